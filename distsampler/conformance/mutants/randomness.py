"""Shuffles without a seed of their own, with favourites, or within fixed groups."""

from __future__ import annotations

import numpy as np

from distsampler.conformance.designs import Blocked, Strided
from distsampler.conformance.mutants.mutant import Mutant


class IgnoresSeed(Strided):
    """Shuffles by the epoch alone."""

    def generator(self) -> np.random.Generator:
        return np.random.default_rng(self.epoch)


class CutsSeedOff(Strided):
    """Knows 16 bits of the seed."""

    def generator(self) -> np.random.Generator:
        return np.random.default_rng([self.case.seed % 2**16, self.epoch])


class AddsSeedAndEpoch(Strided):
    """Seeds with the sum of seed and epoch."""

    def generator(self) -> np.random.Generator:
        return np.random.default_rng(self.case.seed + self.epoch)


class MixesSeedAndEpoch(Strided):
    """Seeds with the exclusive or of seed and epoch."""

    def generator(self) -> np.random.Generator:
        return np.random.default_rng(self.case.seed ^ self.epoch)


class DropsBeforeShuffling(Strided):
    """Drops the dataset's tail and shuffles what is left."""

    def order(self) -> list[int]:
        length = len(self.dataset)
        left = length % self.case.num_replicas if self.case.remainder == "drop" else 0
        return [index for index in super().order() if index < length - left]


class PadsWithHeadOfDataset(Strided):
    """Repeats the first samples of the dataset, whatever the order of the epoch."""

    def even(self, order: list[int]) -> list[int]:
        padded = super().even(order)
        return order + [at % len(order) for at in range(len(padded) - len(order))] if order else padded


class ShufflesShards(Blocked):
    """Gives every rank the same block of the dataset in every epoch, and shuffles within it."""

    def order(self) -> list[int]:
        return list(range(len(self.dataset)))

    def mine(self, order: list[int]) -> list[int]:
        shard = super().mine(order)
        if self.case.shuffle:
            self.generator().shuffle(shard)
        return shard


class PassesShardsOn(ShufflesShards):
    """Gives every rank the shard that another one had in the epoch before."""

    def mine(self, order: list[int]) -> list[int]:
        start = self.epoch * (len(order) // self.case.num_replicas) if self.case.shuffle else 0
        return super().mine(order[start % max(1, len(order)) :] + order[: start % max(1, len(order))])


MUTANTS = (
    Mutant("seed_effect", IgnoresSeed, ("B048", "B049", "B063", "B272", "B273")),
    Mutant("seed_effect", CutsSeedOff),
    Mutant("seed_epoch_aliasing", AddsSeedAndEpoch),
    Mutant("seed_epoch_aliasing", MixesSeedAndEpoch),
    Mutant("fairness", DropsBeforeShuffling, ("B133",)),
    Mutant("fairness", PadsWithHeadOfDataset),
    Mutant("membership", ShufflesShards, ("B026", "B132")),
    Mutant("membership", PassesShardsOn),
)
