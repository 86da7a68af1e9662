"""The catalogue of promises: one module a theme, each with how to observe, how to judge, and its table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distsampler.conformance.catalogue import (
    arguments,
    bounds,
    cost,
    determinism,
    elastic,
    generators,
    history,
    indices,
    invariance,
    loader,
    order,
    partition,
    process_group,
    randomness,
    resume,
    uniformity,
    wrappers,
)

if TYPE_CHECKING:
    from distsampler.conformance.property import Property

PROPERTIES: tuple[Property, ...] = (
    *partition.PROPERTIES,
    *indices.PROPERTIES,
    *bounds.PROPERTIES,
    *order.PROPERTIES,
    *determinism.PROPERTIES,
    *generators.PROPERTIES,
    *history.PROPERTIES,
    *uniformity.PROPERTIES,
    *randomness.PROPERTIES,
    *invariance.PROPERTIES,
    *arguments.PROPERTIES,
    *cost.PROPERTIES,
    *resume.PROPERTIES,
    *elastic.PROPERTIES,
    *loader.PROPERTIES,
    *process_group.PROPERTIES,
    *wrappers.PROPERTIES,
)
