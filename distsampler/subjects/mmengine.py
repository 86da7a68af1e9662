"""MMEngine's samplers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from unittest import mock

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, when

if TYPE_CHECKING:
    from distsampler.conformance.case import LengthOnly


def _make(dataset: LengthOnly, case: Case, rank: int) -> Any:
    from mmengine.dataset import DefaultSampler
    from mmengine.dataset import sampler as module

    # It takes rank and world size from the process group only, as a process of its own would find them there.
    found = module.get_dist_info() if rank is None else (rank, case.num_replicas)
    with mock.patch.object(module, "get_dist_info", return_value=found):
        return DefaultSampler(dataset, case.shuffle, case.seed, case.remainder == "pad")


_CONTRACT = Contract(remainders=("pad", "uneven"), ranks=False)

DEFAULT_SAMPLER = Subject(
    "mmengine.DefaultSampler",
    _make,
    _CONTRACT,
    known=(
        *pins.everywhere(
            _CONTRACT,
            seed_epoch_aliasing=pins.ADDS_SEED_AND_EPOCH,
            dataset_growth=pins.FIXED_LENGTH,
            memory=pins.A_LIST,
            latency=pins.A_LIST,
        ),
        Known(
            "no_crash",
            Case(0, 1, shuffle=False),
            lambda case: when.empty(case) and case.remainder == "pad",
            "rounding up divides by the number of samples",
        ),
    ),
    package="mmengine",
    url="https://mmengine.readthedocs.io/en/v0.10.7/api/generated/mmengine.dataset.DefaultSampler.html",
)
