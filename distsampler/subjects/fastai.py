"""fastai's distributed loader."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, torchvision_operators, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import LengthOnly


class _Indices:
    """The indices that a rank's loader reads in a pass."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def __iter__(self) -> Iterator[int]:
        return iter(self.loader.get_idxs())

    def __len__(self) -> int:
        return len(self.loader)


def _not_broadcast(indices: list[int], _: int) -> list[int]:
    """Stand in for the broadcast of rank 0's indices, which needs CUDA; unshuffled ones are equal."""
    return indices


def _make(dataset: LengthOnly, case: Case, rank: int) -> _Indices:
    torchvision_operators.declare()
    from fastai.data.load import DataLoader
    from fastai.distributed import DistributedDL

    loader = DistributedDL(DataLoader(dataset, bs=1), rank, case.num_replicas)
    loader._broadcast = _not_broadcast  # noqa: SLF001  (the only way to run it without CUDA)
    return _Indices(loader)


_CONTRACT = Contract(remainders=("pad",), shuffles=(False,), epochs=False, seed=False, process_group=False)

DISTRIBUTED_DL = Subject(
    "fastai.DistributedDL",
    _make,
    _CONTRACT,
    known=(
        *pins.everywhere(
            _CONTRACT,
            dataset_growth=pins.FIXED_LENGTH,
            argument_types=pins.ANY_NUMBER,
            memory=pins.A_LIST,
            latency=pins.A_LIST,
            replica_invariance=pins.SPLIT_FIRST,
            rng_isolation=pins.Reason("constructing a loader draws a seed from Python's global generator"),
        ),
        Known("no_crash", Case(0, 1, shuffle=False), when.empty, "padding divides by the number of samples"),
        Known(
            "argument_validation",
            Case(10, 4, shuffle=False),
            when.always,
            "rank and world_size are used unchecked",
        ),
    ),
    package="fastai",
    url="https://docs.fast.ai/distributed.html#distributeddl",
)
