"""Wrappers that do not keep what the inner sampler does."""

from __future__ import annotations

import numpy as np
import torch

from distsampler.conformance.designs import WRAPS, Strided, Wrapping
from distsampler.conformance.mutants.mutant import Mutant

BATCH = 2


class ReplacesInner(Wrapping):
    """Shuffles the positions itself, and never asks the inner sampler."""

    def order(self) -> list[int]:
        return Strided.order(self)


class ShufflesInner(Wrapping):
    """Shuffles what the inner sampler has drawn."""

    def order(self) -> list[int]:
        order: list[int] = self.generator().permutation(super().order()).tolist()
        return order


class DropsOddBatches(Wrapping):
    """Loses batches of another size than the first."""

    def order(self) -> list[int]:
        order = super().order()
        return order[: len(order) - len(order) % BATCH]


class KeepsEpochToItself(Wrapping):
    """Does not tell the inner sampler the epoch."""

    def set_epoch(self, epoch: int) -> None:
        Strided.set_epoch(self, epoch)


class DrawsOnEachRank(Wrapping):
    """Lets the inner sampler draw from each process's own generators."""

    def order(self) -> list[int]:
        return list(self.inner)


class SeedsByRank(Wrapping):
    """Seeds the inner sampler's draws with the rank as well."""

    def generator(self) -> np.random.Generator:
        return np.random.default_rng([self.case.seed, self.epoch, self.rank])


class DrawsAllOnEachRank(Wrapping):
    """Delivers all that the inner sampler draws on every rank."""

    def mine(self, order: list[int]) -> list[int]:
        return order


class WeighsShards(Wrapping):
    """Draws by the weights of its own shard."""

    def mine(self, order: list[int]) -> list[int]:
        shard = super().mine(list(range(len(order))))
        weights = torch.as_tensor(self.inner.weights)[shard]
        drawn = torch.multinomial(weights, len(shard), replacement=True)
        return [shard[at] for at in drawn.tolist()]


MUTANTS = (
    Mutant("wrapper_fidelity", ReplacesInner, ("B052", "B053", "B055", "B058"), WRAPS),
    Mutant("wrapper_fidelity", ShufflesInner, (), WRAPS),
    Mutant("wrapper_fidelity", DropsOddBatches, ("B205",), WRAPS),
    Mutant("wrapper_epoch", KeepsEpochToItself, ("B166",), WRAPS),
    Mutant("wrapper_agreement", DrawsOnEachRank, ("B060", "B259"), WRAPS),
    Mutant("wrapper_agreement", SeedsByRank, ("B047",), WRAPS),
    Mutant("wrapper_weights", DrawsAllOnEachRank, ("B056",), WRAPS),
    Mutant("wrapper_weights", WeighsShards, ("B059",), WRAPS),
)
