"""Wrong orders."""

from __future__ import annotations

import numpy as np

from distsampler.conformance.designs import Strided
from distsampler.conformance.mutants.mutant import Mutant


class AlwaysShuffles(Strided):
    """Does not honour shuffle=False."""

    def order(self) -> list[int]:
        generator = np.random.default_rng([self.case.seed, self.epoch])
        return [int(index) for index in generator.permutation(len(self.dataset))]


class IgnoresEpoch(Strided):
    """Repeats the first epoch's order."""

    def set_epoch(self, epoch: int) -> None:
        del epoch


class NeverShuffles(Strided):
    """Does not honour shuffle=True."""

    def order(self) -> list[int]:
        return list(range(len(self.dataset)))


MUTANTS = (
    Mutant("order", AlwaysShuffles),
    Mutant("reshuffle", IgnoresEpoch),
    Mutant("reshuffle", NeverShuffles),
)
