"""SPDL's samplers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import LengthOnly


def _make_deterministic(dataset: LengthOnly, case: Case, rank: int) -> Any:
    from spdl.source import DistributedDeterministicSampler

    drop = case.remainder == "drop"
    return DistributedDeterministicSampler(
        len(dataset), rank=rank, world_size=case.num_replicas, ddp_drop_last_distributed_round=drop
    )


class _Random:
    """The random sampler, shuffled with the epoch as its seed, as its documentation does it."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        from spdl.source import DistributedRandomSampler

        drop = case.remainder == "drop"
        self.sampler = DistributedRandomSampler(
            len(dataset), rank=rank, world_size=case.num_replicas, ddp_drop_last_distributed_round=drop
        )

    def __iter__(self) -> Iterator[int]:
        return iter(self.sampler)

    def __len__(self) -> int:
        return len(self.sampler)

    def set_epoch(self, epoch: int) -> None:
        self.sampler.shuffle(seed=epoch)


def _refused(case: Case) -> bool:
    return when.empty(case) or (case.remainder == "drop" and case.length < case.num_replicas)


_REFUSED = "a dataset without samples, or one that dropping would leave without any, is refused on every rank"

_URL = "https://facebookresearch.github.io/spdl/main/generated/spdl.source.html"

_DETERMINISTIC = Contract(
    remainders=("drop", "uneven"), shuffles=(False,), epochs=False, seed=False, process_group=False
)

DISTRIBUTED_DETERMINISTIC_SAMPLER = Subject(
    "spdl.DistributedDeterministicSampler",
    _make_deterministic,
    _DETERMINISTIC,
    known=(
        *pins.everywhere(_DETERMINISTIC, dataset_growth=pins.FIXED_LENGTH, argument_types=pins.ANY_NUMBER),
        Known("no_crash", Case(3, 4, shuffle=False, remainder="drop"), _refused, _REFUSED),
    ),
    package="spdl-core",
    url=_URL,
)

_RANDOM = Contract(remainders=("drop", "uneven"), shuffles=(True,), seed=False, process_group=False)

DISTRIBUTED_RANDOM_SAMPLER = Subject(
    "spdl.DistributedRandomSampler",
    _Random,
    _RANDOM,
    known=(
        *pins.everywhere(
            _RANDOM,
            dataset_growth=pins.FIXED_LENGTH,
            argument_types=pins.ANY_NUMBER,
            memory=pins.A_LIST,
            latency=pins.A_LIST,
        ),
        Known("no_crash", Case(3, 4, remainder="drop"), _refused, _REFUSED),
    ),
    package="spdl-core",
    url=_URL,
)
