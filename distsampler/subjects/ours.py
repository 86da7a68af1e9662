"""distsampler's own sampler."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distsampler.conformance.subject import Contract, Subject
from distsampler.sampler import DistributedSampler

if TYPE_CHECKING:
    from distsampler.conformance.case import Case, LengthOnly


def _make(dataset: LengthOnly, case: Case, rank: int) -> DistributedSampler:
    return DistributedSampler(
        dataset,
        case.num_replicas,
        rank,
        case.shuffle,
        case.seed,
        case.remainder == "drop",
        make_even=case.remainder != "uneven",
    )


DISTRIBUTED_SAMPLER = Subject(
    "distsampler.DistributedSampler", _make, Contract(remainders=("pad", "drop", "uneven"))
)
