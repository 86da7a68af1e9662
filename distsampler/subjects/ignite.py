"""ignite's sampler."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, when
from distsampler.subjects.inner import inner_sampler

if TYPE_CHECKING:
    from distsampler.conformance.case import LengthOnly


def _wrap(inner: Any, case: Case, rank: int) -> Any:
    from ignite.distributed.auto import DistributedProxySampler

    return DistributedProxySampler(inner, case.num_replicas, rank)


def _make(dataset: LengthOnly, case: Case, rank: int) -> Any:
    return _wrap(inner_sampler(dataset, case), case, rank)


_CONTRACT = Contract(remainders=("pad",), seed=False, wraps=True)

DISTRIBUTED_PROXY_SAMPLER = Subject(
    "ignite.DistributedProxySampler",
    _make,
    _CONTRACT,
    known=(
        *pins.everywhere(
            _CONTRACT,
            dataset_growth=pins.FIXED_LENGTH,
            argument_types=pins.ANY_NUMBER,
            memory=pins.A_LIST,
            latency=pins.A_LIST,
            rng_isolation=pins.Reason("every pass seeds torch's global generator with the epoch"),
            wrapper_epoch=pins.Reason("set_epoch is not passed on to the sampler inside"),
        ),
        Known(
            "no_crash",
            Case(0, 1),
            when.empty_and_shuffled,
            "torch's RandomSampler refuses a dataset without samples",
        ),
    ),
    wrap=_wrap,
    package="pytorch-ignite",
    url="https://docs.pytorch.org/ignite/v0.5.5/generated/ignite.distributed.auto.DistributedProxySampler.html",
)
