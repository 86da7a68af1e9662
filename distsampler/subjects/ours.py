"""distsampler's own samplers."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.sampling.distributed import Distributed, distribute
from distsampler.sampling.sampler import DistributedSampler
from distsampler.subjects import pins, when
from distsampler.subjects.inner import inner_sampler

if TYPE_CHECKING:
    from distsampler.conformance.case import LengthOnly
    from distsampler.sampling.permutation import Permutation


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

DISTRIBUTED_SAMPLER = Subject("distsampler.DistributedSampler", _sampler, CONTRACT, package="distsampler")
_AS_TORCH = pins.Reason("the order is torch's, which is drawn whole from the sum of seed and epoch")

TORCH_ORDER = Subject(
    "distsampler.DistributedSampler[torch]",
    functools.partial(_sampler, permutation="torch"),
    CONTRACT,
    known=pins.everywhere(CONTRACT, seed_epoch_aliasing=_AS_TORCH, memory=_AS_TORCH, latency=_AS_TORCH),
    package="distsampler",
)


def _wrap(inner: Any, case: Case, rank: int) -> Distributed[Any]:
    return distribute(
        inner,
        case.num_replicas,
        rank,
        case.seed,
        case.remainder == "drop",
        make_even=case.remainder != "uneven",
    )


def _distributed(dataset: LengthOnly, case: Case, rank: int) -> Distributed[Any]:
    return _wrap(inner_sampler(dataset, case), case, rank)


_DRAWN_WHOLE = pins.Reason("what the inner sampler draws is held, to be the same on every rank")

DISTRIBUTED = Subject(
    "distsampler.distribute",
    _distributed,
    dataclasses.replace(CONTRACT, wraps=True, weighted=True),
    known=(
        *pins.everywhere(CONTRACT, memory=_DRAWN_WHOLE, latency=_DRAWN_WHOLE),
        Known(
            "no_crash", Case(0, 1), when.empty_and_shuffled, "torch's RandomSampler refuses an empty dataset"
        ),
    ),
    wrap=_wrap,
    package="distsampler",
)
