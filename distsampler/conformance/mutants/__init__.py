"""Samplers that are wrong on purpose, so that every property is seen to fail; a module a theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distsampler.conformance.mutants import arguments, determinism, indices, order, partition

if TYPE_CHECKING:
    from distsampler.conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *partition.MUTANTS,
    *indices.MUTANTS,
    *order.MUTANTS,
    *determinism.MUTANTS,
    *arguments.MUTANTS,
)
