"""Catalyst's sampler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.utils.data import SequentialSampler

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, when
from distsampler.subjects.inner import inner_sampler

if TYPE_CHECKING:
    from distsampler.conformance.case import LengthOnly


def _wrap(inner: Any, case: Case, rank: int) -> Any:
    from catalyst.data.sampler import DistributedSamplerWrapper

    return DistributedSamplerWrapper(inner, case.num_replicas, rank, shuffle=False)


def _make(dataset: LengthOnly, case: Case, rank: int) -> Any:
    return _wrap(inner_sampler(dataset, case), case, rank)


def _make_shuffling(dataset: LengthOnly, case: Case, rank: int) -> Any:
    from catalyst.data.sampler import DistributedSamplerWrapper

    inner = SequentialSampler(dataset)
    return DistributedSamplerWrapper(inner, case.num_replicas, rank, case.shuffle)


_AT_MOST_ONE = (
    "operator.itemgetter returns no tuple for a single index and refuses none, so that a rank fails that has "
    "no more than one"
)

_URL = "https://catalyst-team.github.io/catalyst/v22.04/api/data.html#distributedsamplerwrapper"

_CONTRACT = Contract(remainders=("pad",), seed=False, wraps=True)

DISTRIBUTED_SAMPLER_WRAPPER = Subject(
    "catalyst.DistributedSamplerWrapper",
    _make,
    _CONTRACT,
    known=(
        *pins.own_generator(),
        *pins.everywhere(
            _CONTRACT,
            dataset_growth=pins.FIXED_LENGTH,
            argument_types=pins.ANY_NUMBER,
            memory=pins.A_LIST,
            latency=pins.A_LIST,
            wrapper_epoch=pins.Reason("set_epoch is not passed on to the sampler inside"),
            uniformity=pins.NOT_FROM_SEED,
        ),
        Known("no_crash", Case(4, 4, shuffle=False), when.at_most_one_each, _AT_MOST_ONE),
    ),
    wrap=_wrap,
    package="catalyst",
    url=_URL,
)

_SHUFFLING = Contract(remainders=("pad",), seed=False)

SHUFFLING_WRAPPER = Subject(
    "catalyst.DistributedSamplerWrapper(SequentialSampler, shuffle)",
    _make_shuffling,
    _SHUFFLING,
    known=(
        *pins.everywhere(
            _SHUFFLING,
            dataset_growth=pins.FIXED_LENGTH,
            argument_types=pins.ANY_NUMBER,
            memory=pins.A_LIST,
            latency=pins.A_LIST,
        ),
        Known("no_crash", Case(4, 4, shuffle=False), when.at_most_one_each, _AT_MOST_ONE),
    ),
    package="catalyst",
    url=_URL,
)
