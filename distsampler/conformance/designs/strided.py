"""Samplers that deal a whole order out; each decision is a method, so that a mutant changes one."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np
import torch.distributed as dist

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case, LengthOnly


class Strided:
    """Deals the positions of an epoch out in turns."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        case, rank = placed(case, rank)
        for number in (case.num_replicas, rank, case.seed):
            whole_number(number)
        if not 0 <= rank < case.num_replicas:
            raise ValueError(f"rank is {rank}, expected a value in [0, {case.num_replicas})")
        self.dataset, self.case, self.rank = dataset, case, rank
        self.epoch = 0

    def order(self) -> list[int]:
        """Return the epoch's order of the whole dataset."""
        if not self.case.shuffle:
            return list(range(len(self.dataset)))
        shuffled: list[int] = self.generator().permutation(len(self.dataset)).tolist()
        return shuffled

    def generator(self) -> np.random.Generator:
        """Return what the epoch is shuffled with."""
        return np.random.default_rng([self.case.seed, self.epoch])

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
        self.epoch = whole_number(epoch)


class Blocked(Strided):
    """Gives every rank a contiguous block of the epoch; the first blocks are longer where uneven."""

    def mine(self, order: list[int]) -> list[int]:
        """Return the block of this rank."""
        whole, left = divmod(len(order), self.case.num_replicas)
        start = self.rank * whole + min(self.rank, left)
        return order[start : start + whole + (self.rank < left)]


class ShuffledBlocks(Blocked):
    """Gives every rank a contiguous block of the dataset, in which all ranks shuffle in the same way."""

    def order(self) -> list[int]:
        """Return the dataset's own order."""
        return list(range(len(self.dataset)))

    def mine(self, order: list[int]) -> list[int]:
        """Return the shuffled block of this rank."""
        block = super().mine(order)
        if not self.case.shuffle:
            return block
        return [block[at] for at in self.generator().permutation(len(block)).tolist()]


class NumpyScalars(Strided):
    """Yields numpy's integers."""

    def __iter__(self) -> Iterator[int]:
        """Yield this rank's indices as numpy integers."""
        return iter(np.array(list(super().__iter__()), dtype=np.int64))


class AutoAdvancing(Strided):
    """Goes on to the next epoch with every pass; `set_epoch` says where to go on from."""

    def __iter__(self) -> Iterator[int]:
        """Return this rank's indices of the next epoch."""
        indices = self.mine(self.even(self.order()))
        self.epoch += 1
        return iter(indices)


class FixedLength(Strided):
    """Refuses a dataset whose length changes."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        super().__init__(dataset, case, rank)
        self.length = len(dataset)

    def order(self) -> list[int]:
        """Return the epoch's order of a dataset that is as long as at first."""
        if len(self.dataset) != self.length:
            raise RuntimeError(
                f"the dataset has {len(self.dataset)} samples, expected {self.length}, as at first"
            )
        return super().order()


def whole_number(value: int) -> int:
    """Return `value`, or raise TypeError for what is no int, True and False included."""
    if type(value) is not int:
        raise TypeError(f"got {value!r}, expected an int")
    return value


def placed(case: Case, rank: int) -> tuple[Case, int]:
    """Return `case` and `rank`, with what is None from the process group if there is one."""
    if dist.is_initialized():
        count = dist.get_world_size() if case.num_replicas is None else case.num_replicas
        return dataclasses.replace(case, num_replicas=count), dist.get_rank() if rank is None else rank
    return case, rank
