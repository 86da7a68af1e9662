"""Ultralytics' sampler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, torchvision_operators, when

if TYPE_CHECKING:
    from distsampler.conformance.case import LengthOnly

_BATCH_SIZE = 4


def _make(dataset: LengthOnly, case: Case, rank: int) -> Any:
    torchvision_operators.declare()
    from ultralytics.data.build import ContiguousDistributedSampler

    return ContiguousDistributedSampler(dataset, case.num_replicas, _BATCH_SIZE, rank, case.shuffle)


_CONTRACT = Contract(remainders=("uneven",), seed=False)

CONTIGUOUS_DISTRIBUTED_SAMPLER = Subject(
    "ultralytics.ContiguousDistributedSampler",
    _make,
    _CONTRACT,
    known=(
        *pins.everywhere(
            _CONTRACT,
            dataset_growth=pins.FIXED_LENGTH,
            argument_types=pins.ANY_NUMBER,
            memory=pins.A_LIST,
            latency=pins.A_LIST,
            membership=pins.BLOCKS,
            replica_invariance=pins.SPLIT_FIRST,
        ),
        Known(
            "equal_lengths",
            Case(7, 3, shuffle=False, remainder="uneven"),
            lambda case: case.num_replicas > 1 and case.length > _BATCH_SIZE,
            "whole batches are dealt out, so that a rank can be a batch behind or have nothing",
            "https://github.com/ultralytics/ultralytics/pull/25576",
        ),
        Known(
            "argument_validation",
            Case(10, 4, shuffle=False, remainder="uneven"),
            when.always,
            "rank and num_replicas are used unchecked, and None is taken for a single process",
        ),
    ),
    package="ultralytics",
    url="https://docs.ultralytics.com/reference/data/build/",
)
