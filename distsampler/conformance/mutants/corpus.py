"""Wrong samplers that bug reports tell of and that no other theme has: splits, lengths, endings."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

from distsampler.conformance.designs import WRAPS, Blocked, Strided, Wrapping
from distsampler.conformance.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

BATCH = 4
SHARD = 8


class ShardsTwice(Strided):
    """Splits what it was given although that is one rank's part already."""

    def mine(self, order: list[int]) -> list[int]:
        return super().mine(super().mine(order))


class StridesWithinBatches(Strided):
    """Takes every so-many-th sample of each batch of one, which leaves all but the first rank nothing."""

    def mine(self, order: list[int]) -> list[int]:
        return [index for sample in order for index in Strided.mine(self, [sample])]


class FloorsShards(Blocked):
    """Gives every rank `length // num_replicas` samples, whatever is to become of the remainder."""

    def even(self, order: list[int]) -> list[int]:
        return order[: len(order) - len(order) % self.case.num_replicas]


class AddsEndToStart(Blocked):
    """Moves the start of a block on by the end of the one before, not to it."""

    def mine(self, order: list[int]) -> list[int]:
        size = math.ceil(len(order) / self.case.num_replicas)
        start = sum(rank * size for rank in range(self.rank + 1))
        return order[start : (self.rank + 1) * size]


class IsNotDistributed(Strided):
    """Draws the whole dataset on every rank."""

    def mine(self, order: list[int]) -> list[int]:
        return order


class DrawsOnFirstRank(Strided):
    """Splits the dataset, but only the first rank draws its part."""

    def mine(self, order: list[int]) -> list[int]:
        return super().mine(order) if self.rank == 0 else []


class RoundsEpochDown(Strided):
    """Cuts the epoch to a multiple of a number that has nothing to do with the dataset."""

    def order(self) -> list[int]:
        order = super().order()
        return order[: len(order) // SHARD * SHARD]


class PadsAndCuts(Strided):
    """Pads, and then leaves out each rank's last batch if it is not full."""

    def mine(self, order: list[int]) -> list[int]:
        mine = super().mine(order)
        return mine[: len(mine) // BATCH * BATCH]


class EpochOfOwn(Strided):
    """Stays in epoch 0 on all ranks but the first."""

    def set_epoch(self, epoch: int) -> None:
        super().set_epoch(epoch if self.rank == 0 else 0)


class OffsetsByOwnSize(Strided):
    """Starts at the rank times its own number of samples, though the ranks before may have more."""

    def mine(self, order: list[int]) -> list[int]:
        size = len(super().mine(order))
        return order[self.rank * size : (self.rank + 1) * size]


class ReadsOn(Blocked):
    """Fills its last batch with the first samples of the next rank."""

    def mine(self, order: list[int]) -> list[int]:
        mine = super().mine(order)
        end = order.index(mine[-1]) + 1 if mine else 0
        return mine + order[end : end + -len(mine) % BATCH]


class AlwaysPads(Strided):
    """Repeats samples although that was not asked for, as an evaluation counts them twice then."""

    def even(self, order: list[int]) -> list[int]:
        missing = -len(order) % self.case.num_replicas
        return order + list(itertools.islice(itertools.cycle(order), missing))


class DealsShards(Strided):
    """Deals out whole shards of samples, which are not of the same size."""

    def mine(self, order: list[int]) -> list[int]:
        shards = [order[start : start + SHARD] for start in range(0, len(order), SHARD)]
        return [index for shard in shards[self.rank :: self.case.num_replicas] for index in shard]


class TakesAllFirst(Blocked):
    """Lets each rank take as many samples as there are, so that the first one leaves nothing."""

    def mine(self, order: list[int]) -> list[int]:
        return order[self.rank * len(order) : (self.rank + 1) * len(order)]


class DividesTwice(Strided):
    """Divides its length by the number of ranks once more."""

    def __len__(self) -> int:
        return super().__len__() // self.case.num_replicas


class CountsFullBatches(Strided):
    """Declares its last batch to be a full one."""

    def __len__(self) -> int:
        return -(-super().__len__() // BATCH) * BATCH


class RefusesPadding(Strided):
    """Checks that as many indices come out as went in, which padding never does."""

    def even(self, order: list[int]) -> list[int]:
        even = super().even(order)
        if len(even) > len(order):
            raise RuntimeError(f"{len(even)} vs {len(order)}")
        return even


class FailsUnshuffled(Strided):
    """Takes the order of the dataset for a tensor."""

    def order(self) -> list[int]:
        order: Any = super().order()
        return order if self.case.shuffle else order.tolist()  # type: ignore[no-any-return]


class PassesOnce(Strided):
    """Has an iterator that is spent after the first pass and can't be made again."""

    spent = False

    def __iter__(self) -> Iterator[int]:
        if self.spent:
            raise RuntimeError("the iterator is spent")
        self.spent = True
        return super().__iter__()


class NeverEnds(Strided):
    """Goes on with its first index after the last."""

    def __iter__(self) -> Iterator[int]:
        return itertools.cycle(super().__iter__())


class ShardsInPlace(Wrapping):
    """Cuts the inner sampler down to one rank's part when it is asked for its length."""

    def __len__(self) -> int:
        length = super().__len__()
        self.inner.length = length
        return length


MUTANTS = (
    Mutant("coverage", ShardsTwice, ("B106", "B131", "B218")),
    Mutant("coverage", FloorsShards, ("B134", "B159", "B160", "B189")),
    Mutant("coverage", AddsEndToStart, ("B136",)),
    Mutant("coverage", DrawsOnFirstRank, ("B263",)),
    Mutant("coverage", RoundsEpochDown, ("B251",)),
    Mutant("coverage", PadsAndCuts, ("B007",)),
    Mutant("coverage", EpochOfOwn, ("B022",)),
    Mutant("disjointness", IsNotDistributed, ("B112", "B120", "B121", "B248")),
    Mutant("disjointness", OffsetsByOwnSize, ("B204",)),
    Mutant("disjointness", ReadsOn, ("B243",)),
    Mutant(
        "disjointness",
        AlwaysPads,
        ("B001", "B002", "B004", "B005", "B008", "B184", "B260", "B262"),
    ),
    Mutant("equal_lengths", StridesWithinBatches, ("B116",)),
    Mutant("equal_lengths", DealsShards, ("B115", "B175")),
    Mutant("equal_lengths", TakesAllFirst, ("B137",)),
    Mutant("length", DividesTwice, ("B029",)),
    Mutant("length", CountsFullBatches, ("B186", "B234")),
    Mutant("no_crash", RefusesPadding, ("B015",)),
    Mutant("no_crash", FailsUnshuffled, ("B179",)),
    Mutant("no_crash", PassesOnce, ("B241",)),
    Mutant("no_crash", NeverEnds, ("B244",)),
    Mutant("wrapper_fidelity", ShardsInPlace, ("B138",), WRAPS),
)
