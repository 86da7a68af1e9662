"""How mosaicml-streaming shuffles samples and splits them over ranks."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, torchvision_operators, when
from distsampler.subjects.restarts import Restarted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from distsampler.conformance.case import LengthOnly

_SHARD_SIZE = 8


@dataclass(slots=True)
class _Epoch:
    """What a rank of one node reads, as StreamingDataset puts it together from partition and shuffle."""

    length: int
    case: Case
    rank: int
    algorithm: str
    epoch: int
    drawn: int

    def _samples(self) -> NDArray[np.int64]:
        torchvision_operators.declare()
        from streaming.base.partition import get_partitions
        from streaming.base.shuffle import get_shuffle

        samples = get_partitions("relaxed", self.length, 1, 1, self.case.num_replicas, 1, 1, self.drawn)
        if self.case.shuffle:
            whole, rest = divmod(self.length, _SHARD_SIZE)
            shards = np.array([_SHARD_SIZE] * whole + [rest] * (rest > 0))
            samples = get_shuffle(self.algorithm, shards, 1, self.case.seed, self.epoch)[samples]
        mine: NDArray[np.int64] = samples[0, self.rank].flatten()
        return mine

    def __iter__(self) -> Iterator[int]:
        return iter(self._samples())

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch


def _make(dataset: LengthOnly, case: Case, rank: int, *, algorithm: str) -> Restarted:
    return Restarted(functools.partial(_Epoch, len(dataset), case, rank, algorithm), case.num_replicas)


_CONTRACT = Contract(remainders=("pad",), length=False, process_group=False, resume=True)
_OTHER_PADDING = "what is left of an epoch is padded anew, with other samples than without the interruption"
_ARRAYS = pins.Reason("arrays of the whole epoch are made before the first index")


def _subject(algorithm: str, *known: Known) -> Subject:
    return Subject(
        f"streaming.get_partitions+get_shuffle({algorithm})",
        functools.partial(_make, algorithm=algorithm),
        _CONTRACT,
        known=(
            *known,
            *pins.everywhere(
                _CONTRACT,
                dataset_growth=pins.FIXED_LENGTH,
                argument_types=pins.ANY_NUMBER,
                memory=_ARRAYS,
                latency=_ARRAYS,
            ),
            *(
                Known(name, Case(3, 2, shuffle=False, epochs=(0,)), when.padded, _OTHER_PADDING)
                for name in ("resume", "resume_epoch", "resume_round_trip", "resume_serialization")
            ),
            Known(
                "resume_iterators",
                Case(3, 1, shuffle=False, epochs=(0,)),
                when.always,
                "the samples of an epoch are counted, whichever iterator they are from",
            ),
            Known(
                "resume_mismatch",
                Case(13, 2),
                when.always,
                "so many samples are skipped as were counted, of whatever data they are now",
            ),
            Known(
                "no_crash",
                Case(0, 1, shuffle=False),
                when.empty,
                "partitioning divides by the number of samples",
            ),
            Known(
                "argument_validation",
                Case(10, 4, shuffle=False),
                when.always,
                "ranks and nodes are used unchecked",
            ),
        ),
        package="mosaicml-streaming",
        url="https://docs.mosaicml.com/projects/streaming/en/stable/dataset_configuration/shuffling.html",
    )


PY1E = _subject("py1e")
PY1S = _subject(
    "py1s",
    Known(
        "uniformity",
        Case(20, 1, epochs=(0,)),
        when.always,
        "samples are shuffled in their shards, and the shards with each other, by design",
    ),
)
