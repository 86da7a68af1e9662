"""distsampler's own sampler."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from distsampler.conformance.subject import Contract, Subject
from distsampler.sampler import DistributedSampler

if TYPE_CHECKING:
    from distsampler.conformance.case import Case, LengthOnly
    from distsampler.permutation import Permutation


def _sampler(
    dataset: LengthOnly, case: Case, rank: int, permutation: Permutation = "keyed"
) -> DistributedSampler:
    return DistributedSampler(
        dataset,
        case.num_replicas,
        rank,
        case.shuffle,
        case.seed,
        case.remainder == "drop",
        make_even=case.remainder != "uneven",
        permutation=permutation,
    )


CONTRACT = Contract(remainders=("pad", "drop", "uneven"), resume=True)

DISTRIBUTED_SAMPLER = Subject("distsampler.DistributedSampler", _sampler, CONTRACT)
TORCH_ORDER = Subject(
    "distsampler.DistributedSampler[torch]", functools.partial(_sampler, permutation="torch"), CONTRACT
)
