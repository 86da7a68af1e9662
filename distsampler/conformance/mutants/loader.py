"""Samplers that a `DataLoader`, or its worker processes, bring to light."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import torch

from distsampler.conformance.designs import Strided
from distsampler.conformance.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case, LengthOnly

BATCH = 2


class CeilBlocks(Strided):
    """Gives every rank a block of the rounded up size, and the last ones what is left of that."""

    def mine(self, order: list[int]) -> list[int]:
        size = -(-len(order) // self.case.num_replicas)
        return order[self.rank * size : (self.rank + 1) * size]

    def even(self, order: list[int]) -> list[int]:
        return order


class DealsBatches(Strided):
    """Deals whole batches out in turns, and neither pads nor drops when they don't come out even."""

    def even(self, order: list[int]) -> list[int]:
        return order

    def mine(self, order: list[int]) -> list[int]:
        batches = [order[start : start + BATCH] for start in range(0, len(order), BATCH)]
        return list(itertools.chain(*batches[self.rank :: self.case.num_replicas]))


class SplitsBatches(Strided):
    """Splits every global batch into chunks of a rounded up size, which the last batch has too few of."""

    def even(self, order: list[int]) -> list[int]:
        return order

    def mine(self, order: list[int]) -> list[int]:
        whole = BATCH * self.case.num_replicas
        batches = (order[start : start + whole] for start in range(0, len(order), whole))
        sizes = ((batch, -(-len(batch) // self.case.num_replicas)) for batch in batches)
        return [index for batch, size in sizes for index in batch[self.rank * size : (self.rank + 1) * size]]


class DropsPerRank(Strided):
    """Deals the remainder out, and drops what does not fill a batch on each rank by itself."""

    def even(self, order: list[int]) -> list[int]:
        return order

    def mine(self, order: list[int]) -> list[int]:
        mine = super().mine(order)
        return mine[: len(mine) - len(mine) % BATCH]


class FillsBudget(Strided):
    """Ends its pass when its own samples, each as large as its index, have used up a budget."""

    def mine(self, order: list[int]) -> list[int]:
        budget = sum(order) // self.case.num_replicas
        mine = super().mine(order)
        return [index for index, used in zip(mine, itertools.accumulate(mine), strict=True) if used <= budget]


class StopsAtBadSample(Strided):
    """Ends the pass of the rank that meets a sample that can't be used."""

    def mine(self, order: list[int]) -> list[int]:
        return list(itertools.takewhile(lambda index: index != len(self.dataset) - 1, super().mine(order)))


class CountsReads(Strided):
    """Takes for the epoch how often the dataset was read through, which only workers know."""

    def generator(self) -> np.random.Generator:
        return np.random.default_rng([self.case.seed, self.dataset.reads // max(1, len(self))])


class SeedsFromGlobal(Strided):
    """Takes its seed from torch's global generator, which a loader draws from as its workers start."""

    def generator(self) -> np.random.Generator:
        return np.random.default_rng(int(torch.randint(2**31, ()).item()))


class OrdersAhead(Strided):
    """Puts the next pass into order at the end of a pass, before its epoch is set."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        super().__init__(dataset, case, rank)
        self.ahead = self.order()

    def __iter__(self) -> Iterator[int]:
        order, self.ahead = self.ahead, self.order()
        return iter(self.mine(self.even(order)))


class OrdersOnce(Strided):
    """Keeps the order of its first pass for workers that live on."""

    kept: list[int] | None = None

    def __iter__(self) -> Iterator[int]:
        self.kept = self.kept or self.mine(self.even(self.order()))
        return iter(self.kept)


MUTANTS = (
    Mutant("batch_equality", CeilBlocks, ("B087", "B109", "B264")),
    Mutant("batch_equality", DealsBatches, ("B089", "B126", "B265")),
    Mutant("batch_equality", SplitsBatches, ("B070", "B097")),
    Mutant("batch_equality", DropsPerRank, ("B146", "B201")),
    Mutant("batch_equality", FillsBudget, ("B090",)),
    Mutant("batch_equality", StopsAtBadSample, ("B092",)),
    Mutant("worker_invariance", CountsReads, ("B025",)),
    Mutant("worker_invariance", SeedsFromGlobal),
    Mutant("epoch_reaches_workers", OrdersAhead, ("B165",)),
    Mutant("epoch_reaches_workers", OrdersOnce, ("B073",)),
)
