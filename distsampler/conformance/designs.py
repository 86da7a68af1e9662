"""Correct samplers of different designs. No property may flag one, and the mutants start from them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from distsampler.conformance.subject import Contract, Subject

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case, LengthOnly

EVERY_REMAINDER = Contract(remainders=("pad", "drop", "uneven"))


class Strided:
    """Deals the positions of an epoch out in turns, one method a decision."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        if None in (case.num_replicas, rank) or not 0 <= rank < case.num_replicas:
            raise ValueError(f"rank {rank} of {case.num_replicas} does not exist")
        self.dataset, self.case, self.rank = dataset, case, rank
        self.epoch = 0

    def order(self) -> list[int]:
        """Return the epoch's order of the whole dataset."""
        indices = list(range(len(self.dataset)))
        if self.case.shuffle:
            np.random.default_rng([self.case.seed, self.epoch]).shuffle(indices)
        return indices

    def even(self, order: list[int]) -> list[int]:
        """Return the order made a multiple of the number of ranks, as the remainder policy says."""
        left = len(order) % self.case.num_replicas
        if left and self.case.remainder == "pad":
            missing = self.case.num_replicas - left
            return order + [order[at % len(order)] for at in range(missing)]
        if left and self.case.remainder == "drop":
            return order[:-left]
        return order

    def mine(self, order: list[int]) -> list[int]:
        """Return this rank's part of the order."""
        return order[self.rank :: self.case.num_replicas]

    def __iter__(self) -> Iterator[int]:
        """Yield this rank's indices."""
        yield from self.mine(self.even(self.order()))

    def __len__(self) -> int:
        """Return the number of this rank's indices."""
        return len(self.mine(self.even(list(range(len(self.dataset))))))

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of the next pass."""
        self.epoch = epoch


class Blocked(Strided):
    """Gives every rank a contiguous block of the epoch; the first blocks are longer where uneven."""

    def mine(self, order: list[int]) -> list[int]:
        """Return the block of this rank."""
        whole, left = divmod(len(order), self.case.num_replicas)
        start = self.rank * whole + min(self.rank, left)
        return order[start : start + whole + (self.rank < left)]


class NumpyScalars(Strided):
    """Yields numpy's integers."""

    def __iter__(self) -> Iterator[int]:
        """Yield this rank's indices as numpy integers."""
        return iter(np.array(list(super().__iter__()), dtype=np.int64))


DESIGNS: tuple[Subject, ...] = (
    Subject("strided", Strided, EVERY_REMAINDER),
    Subject("blocked", Blocked, EVERY_REMAINDER),
    Subject("numpy-scalars", NumpyScalars, EVERY_REMAINDER),
)
