"""The samplers that torch ships."""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING

from torch.distributed.elastic.utils.data.elastic_distributed_sampler import ElasticDistributedSampler
from torch.utils.data import DistributedSampler

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, when
from distsampler.subjects.restarts import SizedRestarted

if TYPE_CHECKING:
    from distsampler.conformance.case import LengthOnly


def _make(dataset: LengthOnly, case: Case, rank: int) -> DistributedSampler[int]:
    return DistributedSampler(
        dataset,  # type: ignore[arg-type]  # torch asks for a Dataset but needs a length only
        case.num_replicas,
        rank,
        case.shuffle,
        case.seed,
        case.remainder == "drop",
    )


def _make_elastic(dataset: LengthOnly, case: Case, rank: int) -> ElasticDistributedSampler[int]:
    return ElasticDistributedSampler(dataset, case.num_replicas, rank)  # type: ignore[arg-type]  # as above


def _start(
    dataset: LengthOnly, case: Case, rank: int, epoch: int, drawn: int
) -> ElasticDistributedSampler[int]:
    sampler: ElasticDistributedSampler[int] = ElasticDistributedSampler(
        dataset,  # type: ignore[arg-type]  # as above
        case.num_replicas,
        rank,
        drawn,
    )
    sampler.set_epoch(epoch)
    return sampler


def _make_restarted(dataset: LengthOnly, case: Case, rank: int) -> SizedRestarted:
    return SizedRestarted(functools.partial(_start, dataset, case, rank), case.num_replicas)


KNOWN_OF_DISTRIBUTED_SAMPLER = (
    Known(
        "seed_epoch_aliasing",
        Case(64, 1, epochs=(0, 1, 2, 3)),
        when.always,
        "seeds with the sum of seed and epoch",
        "https://github.com/pytorch/pytorch/blob/v2.13.0/torch/utils/data/distributed.py",
    ),
    Known(
        "dataset_growth",
        Case(10, 1, shuffle=False),
        when.always,
        "keeps the number of samples of its construction: fails an assertion, or leaves the new ones out",
        "https://github.com/pytorch/pytorch/pull/15991",
    ),
    Known(
        "argument_types",
        Case(10, 4),
        when.always,
        "takes True for 1; floats end with a TypeError once it is iterated",
    ),
    Known(
        "memory",
        Case(1_000_000, 1),
        when.always,
        "makes a list of all samples on every rank",
        "https://github.com/pytorch/pytorch/issues/50201",
    ),
    Known(
        "latency",
        Case(1_000_000, 1),
        when.always,
        "makes a list of all samples before the first index",
        "https://github.com/pytorch/pytorch/issues/45427",
    ),
)

DISTRIBUTED_SAMPLER = Subject(
    "torch.DistributedSampler",
    _make,
    known=KNOWN_OF_DISTRIBUTED_SAMPLER,
    package="torch",
    url="https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.distributed.DistributedSampler",
)

_ELASTIC = Contract(remainders=("pad",), shuffles=(True,), seed=False)
_RESTARTED = dataclasses.replace(_ELASTIC, resume=True)
_ELASTIC_KNOWN = (
    *pins.everywhere(
        _ELASTIC,
        dataset_growth=pins.FIXED_LENGTH,
        argument_types=pins.ANY_NUMBER,
        memory=pins.A_LIST,
        latency=pins.A_LIST,
    ),
    Known(
        "no_crash",
        Case(4, 9),
        lambda case: when.empty(case) or when.padding_outnumbers_samples(case),
        "pads with one slice of the order, which is too short for more than twice as many ranks as "
        "samples, and refuses a start_index of 0 in an empty dataset",
        "https://github.com/pytorch/pytorch/issues/45324",
    ),
)

_START_INDEX = "start_index cuts the dataset and not the order of the epoch, and the rest is shuffled anew"
_START_INDEX_URL = "https://github.com/pytorch/pytorch/pull/147967"
_AT_END = "a start_index at the end of the dataset is refused"
_AT_END_URL = "https://github.com/pytorch/elastic/issues/26"

ELASTIC_DISTRIBUTED_SAMPLER = Subject(
    "torch.ElasticDistributedSampler",
    _make_elastic,
    _ELASTIC,
    known=_ELASTIC_KNOWN,
    package="torch",
    url="https://github.com/pytorch/pytorch/blob/v2.13.0/torch/distributed/elastic/utils/data/elastic_distributed_sampler.py",
)

RESTARTED_ELASTIC_SAMPLER = Subject(
    "torch.ElasticDistributedSampler(start_index)",
    _make_restarted,
    _RESTARTED,
    known=(
        *_ELASTIC_KNOWN,
        *(
            Known(name, Case(13, 2, epochs=(0,)), when.always, _START_INDEX, _START_INDEX_URL)
            for name in ("resume", "resume_epoch", "resume_iterators", "elastic_resume")
        ),
        Known("resume_mismatch", Case(13, 2), when.always, _START_INDEX, _START_INDEX_URL),
        *(
            Known(name, Case(13, 1, epochs=(0,)), when.always, _AT_END, _AT_END_URL)
            for name in ("resume_between", "resume_round_trip", "resume_serialization")
        ),
    ),
    package="torch",
    url=ELASTIC_DISTRIBUTED_SAMPLER.url,
)
