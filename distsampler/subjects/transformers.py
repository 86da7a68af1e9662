"""The samplers of transformers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, when
from distsampler.subjects.batches import Flattened

if TYPE_CHECKING:
    from distsampler.conformance.case import LengthOnly

_BATCH_SIZE = 4


def _token_counts(dataset: LengthOnly) -> list[int]:
    """Return a number of tokens for every sample, as different as those of real text."""
    return [1 + index * 37 % 101 for index in range(len(dataset))]


def _make_with_loop(dataset: LengthOnly, case: Case, rank: int) -> Any:
    from transformers.trainer_pt_utils import DistributedSamplerWithLoop

    return DistributedSamplerWithLoop(
        dataset, _BATCH_SIZE, num_replicas=case.num_replicas, rank=rank, shuffle=case.shuffle, seed=case.seed
    )


def _make_length_grouped(dataset: LengthOnly, case: Case, rank: int) -> Any:
    from transformers.trainer_pt_utils import DistributedLengthGroupedSampler

    return DistributedLengthGroupedSampler(
        _BATCH_SIZE,
        None,
        case.num_replicas,
        rank,
        case.seed,
        case.remainder == "drop",
        _token_counts(dataset),
    )


def _make_shard(dataset: LengthOnly, case: Case, rank: int) -> Any:
    from transformers.trainer_pt_utils import ShardSampler

    return ShardSampler(dataset, 1, case.remainder == "drop", case.num_replicas, rank)


def _make_batch_rebalance(dataset: LengthOnly, case: Case, rank: int) -> Flattened:
    from transformers.trainer_pt_utils import BatchRebalanceSampler

    batches = BatchRebalanceSampler(
        _token_counts(dataset),
        case.num_replicas,
        case.num_replicas,
        1,
        case.shuffle,
        case.seed,
        rank,
        case.remainder == "drop",
    )
    return Flattened(batches, batches)


_URL = "https://github.com/huggingface/transformers/blob/v5.24.0/src/transformers/trainer_pt_utils.py"


def _fills_a_batch(case: Case) -> bool:
    return -(-case.length // case.num_replicas) % _BATCH_SIZE > 0


_FILLS = "by design every rank's indices are filled up to a multiple of the batch size"
_SHORT_FILL = "what fills up the last batch is cut from the rank's own indices, too few in a small dataset"

_LOOP = Contract(remainders=("pad",))

DISTRIBUTED_SAMPLER_WITH_LOOP = Subject(
    "transformers.DistributedSamplerWithLoop",
    _make_with_loop,
    _LOOP,
    known=(
        Known("fairness", Case(5, 4, epochs=(0, 1, 2)), _fills_a_batch, _FILLS),
        Known("batch_equality", Case(7, 4, shuffle=False), _fills_a_batch, _SHORT_FILL),
        *pins.of_torchs(_LOOP),
        Known("minimal_padding", Case(10, 2, shuffle=False), _fills_a_batch, _FILLS),
        Known("disjointness", Case(10, 2, shuffle=False), _fills_a_batch, _FILLS),
        Known("order", Case(10, 2, shuffle=False), _fills_a_batch, _FILLS),
        Known("equal_lengths", Case(7, 4, shuffle=False), _fills_a_batch, _SHORT_FILL),
        Known(
            "length",
            Case(10, 2, shuffle=False),
            _fills_a_batch,
            "len() is torch's and leaves out the indices that fill up the last batch",
        ),
    ),
    package="transformers",
    url=_URL,
)

_GROUPS = "samples are grouped by their number of tokens, the longest ones first, by design"

_GROUPED = Contract(shuffles=(True,))

DISTRIBUTED_LENGTH_GROUPED_SAMPLER = Subject(
    "transformers.DistributedLengthGroupedSampler",
    _make_length_grouped,
    _GROUPED,
    known=(
        Known("fairness", Case(5, 2, epochs=(0, 1, 2)), when.left_over, _GROUPS),
        *pins.everywhere(_GROUPED, uniformity=pins.Reason(_GROUPS)),
        *pins.of_torchs(_GROUPED),
        Known(
            "no_crash",
            Case(4, 9),
            lambda case: when.empty(case) or when.padding_outnumbers_samples(case),
            "pads with one slice of the order, which is too short for more than twice as many ranks as "
            "samples, and takes the longest of no samples in an empty dataset",
            "https://github.com/pytorch/pytorch/issues/45324",
        ),
        Known("argument_validation", Case(10, 4), when.always, "num_replicas=0 ends in a division by zero"),
    ),
    package="transformers",
    url=_URL,
)

_SHARD = Contract(shuffles=(False,), epochs=False, seed=False, process_group=False)

SHARD_SAMPLER = Subject(
    "transformers.ShardSampler",
    _make_shard,
    _SHARD,
    known=(
        *pins.everywhere(
            _SHARD,
            dataset_growth=pins.FIXED_LENGTH,
            argument_types=pins.ANY_NUMBER,
            memory=pins.A_LIST,
            latency=pins.A_LIST,
        ),
        Known(
            "argument_validation",
            Case(10, 4, shuffle=False),
            when.always,
            "process_index and num_processes are used unchecked",
        ),
    ),
    package="transformers",
    url=_URL,
)

_REBALANCED = Contract(process_group=False)

BATCH_REBALANCE_SAMPLER = Subject(
    "transformers.BatchRebalanceSampler",
    _make_batch_rebalance,
    _REBALANCED,
    known=(
        *pins.of_torchs(_REBALANCED),
        Known("argument_validation", Case(10, 4, shuffle=False), when.always, "rank is used unchecked"),
    ),
    package="transformers",
    url=_URL,
    slow=8,
)
