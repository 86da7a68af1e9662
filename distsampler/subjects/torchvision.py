"""torchvision's sampler of video clips."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, torchvision_operators, when

if TYPE_CHECKING:
    from distsampler.conformance.case import LengthOnly


def _make(dataset: LengthOnly, case: Case, rank: int) -> Any:
    torchvision_operators.declare()
    from torchvision.datasets.samplers import DistributedSampler

    return DistributedSampler(dataset, case.num_replicas, rank, case.shuffle)


_CONTRACT = Contract(remainders=("pad",), seed=False)

DISTRIBUTED_SAMPLER = Subject(
    "torchvision.video.DistributedSampler",
    _make,
    _CONTRACT,
    known=(
        *pins.everywhere(
            _CONTRACT,
            dataset_growth=pins.FIXED_LENGTH,
            argument_types=pins.ANY_NUMBER,
            memory=pins.A_LIST,
            latency=pins.A_LIST,
        ),
        Known(
            "no_crash",
            Case(4, 9, shuffle=False),
            when.padding_outnumbers_samples,
            "pads with one slice of the order, which is too short for more than twice as many ranks "
            "as samples",
            "https://github.com/pytorch/pytorch/issues/45324",
        ),
        Known(
            "argument_validation",
            Case(10, 4, shuffle=False),
            when.always,
            "num_replicas=0 ends in a division by zero",
        ),
    ),
    package="torchvision",
    url="https://github.com/pytorch/vision/blob/v0.28.0/torchvision/datasets/samplers/clip_sampler.py",
)
