"""Orders that depend on more than their arguments, and samplers that don't survive being copied."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from distsampler.conformance.designs import Strided
from distsampler.conformance.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case, LengthOnly


class GlobalGenerator(Strided):
    """Shuffles with numpy's global generator."""

    def order(self) -> list[int]:
        indices = super().order()
        if self.case.shuffle:
            np.random.shuffle(indices)  # noqa: NPY002  (the fault)
        return indices


class CountsPasses(Strided):
    """Reseeds from the number of passes instead of the epoch."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        super().__init__(dataset, case, rank)
        self.passes = itertools.count()

    def __iter__(self) -> Iterator[int]:
        self.epoch = next(self.passes)
        return super().__iter__()


class SeedsWithHash(Strided):
    """Seeds with the hash of a text, which is another one in every interpreter."""

    def generator(self) -> np.random.Generator:
        text = f"seed {self.case.seed}, epoch {self.epoch}"
        return np.random.default_rng(hash(text) % 2**32)


class KeepsIterator(Strided):
    """Holds on to the pass that runs, which cannot be pickled."""

    def __iter__(self) -> Iterator[int]:
        self.running = super().__iter__()
        return self.running


class ForgetsEpochInCopies(Strided):
    """Leaves the epoch out of what is pickled."""

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "epoch": 0}


class LivesInRegistry(Strided):
    """Keeps its generators in the process that constructed it, where copies elsewhere find none."""

    registry: ClassVar[list[random.Random]] = []

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        super().__init__(dataset, case, rank)
        self.ticket = len(self.registry)
        self.registry.append(random.Random())  # noqa: S311

    def order(self) -> list[int]:
        order = list(range(len(self.dataset)))
        if self.case.shuffle:
            generator = self.registry[self.ticket]
            generator.seed(f"{self.case.seed} {self.epoch}")
            generator.shuffle(order)
        return order


MUTANTS = (
    Mutant("determinism", GlobalGenerator, ("B072", "B254")),
    Mutant("determinism", CountsPasses, ("B086",)),
    Mutant("determinism", SeedsWithHash, ("B154",)),
    Mutant("picklable", KeepsIterator, ("B256",)),
    Mutant("picklable", ForgetsEpochInCopies),
    Mutant("picklable", LivesInRegistry),
)
