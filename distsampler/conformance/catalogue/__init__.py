"""The catalogue of promises: one module a theme, each with how to observe, how to judge, and its table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distsampler.conformance.catalogue import arguments, determinism, indices, order, partition

if TYPE_CHECKING:
    from distsampler.conformance.property import Property

PROPERTIES: tuple[Property, ...] = (
    *partition.PROPERTIES,
    *indices.PROPERTIES,
    *order.PROPERTIES,
    *determinism.PROPERTIES,
    *arguments.PROPERTIES,
)
