"""timm's samplers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, torchvision_operators, when

if TYPE_CHECKING:
    from distsampler.conformance.case import LengthOnly


def _make_ordered(dataset: LengthOnly, case: Case, rank: int) -> Any:
    torchvision_operators.declare()
    from timm.data.distributed_sampler import OrderedDistributedSampler

    return OrderedDistributedSampler(dataset, case.num_replicas, rank)


def _make_repeated(dataset: LengthOnly, case: Case, rank: int) -> Any:
    torchvision_operators.declare()
    from timm.data.distributed_sampler import RepeatAugSampler

    return RepeatAugSampler(dataset, case.num_replicas, rank, case.shuffle)


_URL = "https://github.com/huggingface/pytorch-image-models/blob/v1.0.31/timm/data/distributed_sampler.py"

_ORDERED = Contract(remainders=("pad",), shuffles=(False,), epochs=False, seed=False)

ORDERED_DISTRIBUTED_SAMPLER = Subject(
    "timm.OrderedDistributedSampler",
    _make_ordered,
    _ORDERED,
    known=(
        *pins.everywhere(
            _ORDERED,
            dataset_growth=pins.FIXED_LENGTH,
            argument_types=pins.ANY_NUMBER,
            memory=pins.A_LIST,
            latency=pins.A_LIST,
        ),
        Known(
            "argument_validation",
            Case(10, 4, shuffle=False),
            when.always,
            "rank and num_replicas are used unchecked",
        ),
    ),
    package="timm",
    url=_URL,
)

_REPEATED = Contract(remainders=("pad",), shuffles=(True,), seed=False, covers=False)

REPEAT_AUG_SAMPLER = Subject(
    "timm.RepeatAugSampler",
    _make_repeated,
    _REPEATED,
    known=(
        *pins.everywhere(_REPEATED, argument_types=pins.ANY_NUMBER, memory=pins.A_LIST, latency=pins.A_LIST),
        Known("argument_validation", Case(10, 4), when.always, "rank and num_replicas are used unchecked"),
    ),
    package="timm",
    url=_URL,
)
