"""How LitData shuffles chunks and splits them over ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import LengthOnly

_CHUNK_SIZE = 8


@dataclass(slots=True)
class _Cache:
    """What the shuffles ask a cache: where its chunks begin and end; nothing is known of their bytes."""

    length: int
    _reader: None = None

    def get_chunk_intervals(self) -> list[Any]:
        from litdata.streaming.item_loader import Interval

        starts = range(0, self.length, _CHUNK_SIZE)
        ends = [min(start + _CHUNK_SIZE, self.length) for start in starts]
        return [Interval(start, start, end, end) for start, end in zip(starts, ends, strict=True)]


class _Epoch:
    """What a rank of one node reads with one worker, as StreamingDataset takes it from the shuffle."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        from litdata.streaming.shuffle import FullShuffle, NoShuffle
        from litdata.utilities.env import _DistributedEnv

        shuffle = FullShuffle if case.shuffle else NoShuffle
        self.shuffle = shuffle(_Cache(len(dataset)), case.seed, case.remainder == "drop")
        self.env = _DistributedEnv(case.num_replicas, rank, num_nodes=1)
        self.epoch = 1

    def __iter__(self) -> Iterator[int]:
        epoch = self.epoch
        chunks, intervals = self.shuffle.get_chunks_and_intervals_per_workers(self.env, 1, 1, epoch)
        mine = zip(chunks[self.env.global_rank], intervals[self.env.global_rank], strict=True)
        for chunk, (_, start, end, _) in mine:
            yield from self.shuffle(np.arange(start, end), len(chunks), epoch, chunk)

    def __len__(self) -> int:
        length: int = self.shuffle.get_len(self.env, 1, 1, self.epoch)
        return length

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch; LitData counts from one."""
        self.epoch = 1 + epoch


def _beyond_32_bits(case: Case) -> bool:
    return case.shuffle and max(case.seed, 1 + max(case.epochs)) >= 2**32


_32_BITS = "numpy's RandomState takes seeds and epochs of 32 bits only"

_CHUNKS = "samples are shuffled in their chunks, and the chunks with each other, by design"
_TAIL = "what drop_last leaves out is the end of the last chunk, before that is shuffled"

_CONTRACT = Contract(remainders=("drop", "uneven"), process_group=False)

SHUFFLE = Subject(
    "litdata.FullShuffle",
    _Epoch,
    _CONTRACT,
    known=(
        *pins.everywhere(
            _CONTRACT,
            dataset_growth=pins.FIXED_LENGTH,
            argument_types=pins.ANY_NUMBER,
            memory=pins.Reason("the chunks are shuffled and shared out in lists before the first index"),
            latency=pins.Reason("the chunks are shuffled and shared out in lists before the first index"),
            replica_invariance=pins.SPLIT_FIRST,
        ),
        Known("uniformity", Case(20, 1, remainder="drop", epochs=(0,)), when.always, _CHUNKS),
        Known("fairness", Case(5, 2, remainder="drop", epochs=(0, 1, 2)), when.left_over, _TAIL),
        Known(
            "equal_lengths",
            Case(7, 8, shuffle=False, remainder="uneven"),
            lambda case: case.remainder == "uneven" and when.left_over(case),
            "without drop_last the last rank gets the whole remainder",
        ),
        Known(
            "no_crash",
            Case(0, 1, remainder="drop"),
            when.empty_and_shuffled,
            "numpy refuses to index with the empty order of no chunks",
        ),
        Known("no_crash", Case(48, 4, remainder="drop", seed=2**32), _beyond_32_bits, _32_BITS),
        Known(
            "argument_validation",
            Case(10, 4, shuffle=False, remainder="drop"),
            when.always,
            "rank and world size are used unchecked",
        ),
    ),
    package="litdata",
    url="https://github.com/Lightning-AI/litData/blob/v0.2.76/src/litdata/streaming/shuffle.py",
)
