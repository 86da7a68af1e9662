"""Samplers that are wrong on purpose, so that every property is seen to fail; a module a theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distsampler.conformance.mutants import (
    arguments,
    corpus,
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
    from distsampler.conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *partition.MUTANTS,
    *indices.MUTANTS,
    *order.MUTANTS,
    *determinism.MUTANTS,
    *generators.MUTANTS,
    *history.MUTANTS,
    *uniformity.MUTANTS,
    *randomness.MUTANTS,
    *invariance.MUTANTS,
    *arguments.MUTANTS,
    *cost.MUTANTS,
    *resume.MUTANTS,
    *elastic.MUTANTS,
    *loader.MUTANTS,
    *process_group.MUTANTS,
    *wrappers.MUTANTS,
    *corpus.MUTANTS,
)
