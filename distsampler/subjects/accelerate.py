"""What accelerate puts between a data loader and its sampler."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from torch.utils.data import BatchSampler, IterableDataset, SequentialSampler

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, when
from distsampler.subjects.batches import Flattened
from distsampler.subjects.restarts import SizedRestarted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import LengthOnly


def _sampler(dataset: LengthOnly, case: Case) -> Any:
    """Return the sampler that accelerate makes of a loader's, the same on every process."""
    from accelerate.data_loader import SeedableRandomSampler

    if case.shuffle:
        return SeedableRandomSampler(dataset, data_seed=case.seed)
    return SequentialSampler(dataset)


def _make_shard(dataset: LengthOnly, case: Case, rank: int) -> Flattened:
    from accelerate.data_loader import BatchSamplerShard

    sampler = _sampler(dataset, case)
    batches = BatchSampler(sampler, 1, drop_last=case.remainder == "drop")
    even = case.remainder != "uneven"
    return Flattened(BatchSamplerShard(batches, case.num_replicas, rank, even_batches=even), sampler)


def _make_split(dataset: LengthOnly, case: Case, rank: int) -> Flattened:
    from accelerate.data_loader import BatchSamplerShard

    sampler = _sampler(dataset, case)
    batches = BatchSampler(sampler, case.num_replicas, drop_last=case.remainder == "drop")
    even = case.remainder != "uneven"
    shard = BatchSamplerShard(batches, case.num_replicas, rank, split_batches=True, even_batches=even)
    return Flattened(shard, sampler)


def _make_seedable(dataset: LengthOnly, case: Case, rank: int) -> Flattened:
    """Split the sampler that counts its epochs itself, which no set_epoch interferes with."""
    from accelerate.data_loader import BatchSamplerShard

    even = case.remainder != "uneven"
    batches = BatchSampler(_sampler(dataset, case), 1, drop_last=case.remainder == "drop")
    return Flattened(BatchSamplerShard(batches, case.num_replicas, rank, even_batches=even))


def _start(dataset: LengthOnly, case: Case, rank: int, epoch: int, drawn: int) -> Flattened:
    from accelerate.data_loader import SkipBatchSampler

    shard = _make_shard(dataset, case, rank)
    shard.set_epoch(epoch)
    return Flattened(SkipBatchSampler(shard.batches, drawn // case.num_replicas), shard.sampler)


def _make_skipping(dataset: LengthOnly, case: Case, rank: int) -> SizedRestarted:
    return SizedRestarted(functools.partial(_start, dataset, case, rank), case.num_replicas)


class _Indices(IterableDataset[int]):
    """The indices of a dataset, in order."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __iter__(self) -> Iterator[int]:
        return iter(range(self.length))

    def __len__(self) -> int:
        return self.length


def _make_iterable_shard(dataset: LengthOnly, case: Case, rank: int) -> Any:
    from accelerate.data_loader import IterableDatasetShard

    return IterableDatasetShard(
        _Indices(len(dataset)),
        drop_last=case.remainder == "drop",
        num_processes=case.num_replicas,
        process_index=rank,
    )


_EMPTY = Known(
    "no_crash", Case(0, 1), when.empty_and_shuffled, "torch's RandomSampler refuses a dataset without samples"
)
_UNCHECKED = Known(
    "argument_validation",
    Case(10, 4, shuffle=False),
    when.always,
    "process_index and num_processes are used unchecked; an index that does not exist gives None for batches",
)

_URL = "https://huggingface.co/docs/accelerate/v1.15.0/en/package_reference/torch_wrappers"

_SHARD = Contract(remainders=("pad", "drop", "uneven"), process_group=False)
_SHARD_KNOWN = (
    *pins.everywhere(
        _SHARD,
        seed_epoch_aliasing=pins.ADDS_SEED_AND_EPOCH,
        argument_types=pins.ANY_NUMBER,
        memory=pins.A_LIST,
        latency=pins.A_LIST,
    ),
    _EMPTY,
    _UNCHECKED,
)

BATCH_SAMPLER_SHARD = Subject(
    "accelerate.BatchSamplerShard", _make_shard, _SHARD, _SHARD_KNOWN, package="accelerate", url=_URL
)

SPLIT_BATCH_SAMPLER_SHARD = Subject(
    "accelerate.BatchSamplerShard(split_batches)",
    _make_split,
    _SHARD,
    known=(
        *_SHARD_KNOWN,
        Known(
            "length",
            Case(3, 2, shuffle=False, remainder="uneven"),
            lambda case: case.remainder == "uneven" and when.left_over(case),
            "with even_batches=False, len() counts the last batch on ranks that get nothing of it",
            "https://github.com/huggingface/accelerate/issues/4122",
        ),
    ),
    package="accelerate",
    url=_URL,
)

_SEEDABLE = Contract(
    remainders=("pad", "drop", "uneven"), shuffles=(True,), epochs=False, process_group=False, ranks=False
)

SEEDABLE_RANDOM_SAMPLER = Subject(
    "accelerate.SeedableRandomSampler",
    _make_seedable,
    _SEEDABLE,
    known=(
        *pins.everywhere(_SEEDABLE, memory=pins.A_LIST, latency=pins.A_LIST),
        _EMPTY,
    ),
    package="accelerate",
    url=_URL,
)

_COUNTED = "the training loop counts the batches, whichever iterator they are from"
_SKIPPED = "so many batches are skipped as the training loop counted, of whatever size and data they are now"
_SKIPPED_URL = "https://github.com/huggingface/transformers/issues/40245"

_SKIPPING = Contract(remainders=("pad", "drop", "uneven"), process_group=False, ranks=False, resume=True)

SKIP_FIRST_BATCHES = Subject(
    "accelerate.skip_first_batches",
    _make_skipping,
    _SKIPPING,
    known=(
        *pins.everywhere(
            _SKIPPING, seed_epoch_aliasing=pins.ADDS_SEED_AND_EPOCH, memory=pins.A_LIST, latency=pins.A_LIST
        ),
        Known("resume_iterators", Case(13, 2, shuffle=False, epochs=(0,)), when.always, _COUNTED),
        Known("elastic_resume", Case(9, 2, shuffle=False, epochs=(0,)), when.always, _SKIPPED, _SKIPPED_URL),
        Known("resume_mismatch", Case(13, 2), when.always, _SKIPPED, _SKIPPED_URL),
        _EMPTY,
    ),
    package="accelerate",
    url=_URL,
)

_ITERABLE = Contract(shuffles=(False,), seed=False, process_group=False)

ITERABLE_DATASET_SHARD = Subject(
    "accelerate.IterableDatasetShard",
    _make_iterable_shard,
    _ITERABLE,
    known=(
        *pins.everywhere(_ITERABLE, dataset_growth=pins.FIXED_LENGTH, argument_types=pins.ANY_NUMBER),
        Known(
            "argument_validation",
            Case(10, 4, shuffle=False),
            when.always,
            "process_index and num_processes are used unchecked",
        ),
    ),
    package="accelerate",
    url=_URL,
)
