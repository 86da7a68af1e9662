"""Samplers that are led astray by another number of replicas or another length of the dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from distsampler.conformance.designs import Strided
from distsampler.conformance.mutants.mutant import Mutant

if TYPE_CHECKING:
    from distsampler.conformance.case import Case, LengthOnly


class SeedsWithReplicas(Strided):
    """Shuffles in another order on another number of replicas."""

    def generator(self) -> np.random.Generator:
        return np.random.default_rng([self.case.seed, self.epoch, self.case.num_replicas])


class SplitsFirst(Strided):
    """Gives every rank a contiguous block."""

    def mine(self, order: list[int]) -> list[int]:
        bounds = np.linspace(0, len(order), self.case.num_replicas + 1).round().astype(int)
        return order[bounds[self.rank] : bounds[self.rank + 1]]


class KeepsOldLength(Strided):
    """Goes on to sample as many as there were at first."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        super().__init__(dataset, case, rank)
        self.at_first = len(dataset)

    def order(self) -> list[int]:
        return [index for index in super().order() if index < self.at_first]


class LooksUpOldLength(KeepsOldLength):
    """Looks up as many positions of an order as there were samples at first."""

    def order(self) -> list[int]:
        order = Strided.order(self)
        return [order[at] for at in range(self.at_first)]


MUTANTS = (
    Mutant("replica_invariance", SeedsWithReplicas, ("B123",)),
    Mutant("replica_invariance", SplitsFirst),
    Mutant("dataset_growth", KeepsOldLength, ("B191",)),
    Mutant("dataset_growth", LooksUpOldLength),
)
