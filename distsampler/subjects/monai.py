"""MONAI's samplers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, when

if TYPE_CHECKING:
    from distsampler.conformance.case import LengthOnly


def _make(dataset: LengthOnly, case: Case, rank: int) -> Any:
    from monai.data import DistributedSampler

    return DistributedSampler(
        dataset,
        case.remainder != "uneven",
        case.num_replicas,
        rank,
        case.shuffle,
        seed=case.seed,
        drop_last=case.remainder == "drop",
    )


def _make_uneven_and_drop(dataset: LengthOnly, case: Case, rank: int) -> Any:
    from monai.data import DistributedSampler

    return DistributedSampler(
        dataset,
        even_divisible=False,
        num_replicas=case.num_replicas,
        rank=rank,
        shuffle=case.shuffle,
        seed=case.seed,
        drop_last=True,
    )


def _draw_by_weights(inner: Any, case: Case, rank: int) -> Any:
    """Return the sampler that draws by the weights of torch's, which it stands in for."""
    return _weighted(range(case.length), inner.weights, case, rank)


def _make_weighted(dataset: LengthOnly, case: Case, rank: int) -> Any:
    return _weighted(dataset, range(1, len(dataset) + 1), case, rank)


def _weighted(dataset: Any, weights: Any, case: Case, rank: int) -> Any:
    from monai.data import DistributedWeightedRandomSampler

    return DistributedWeightedRandomSampler(
        dataset, weights, num_replicas=case.num_replicas, rank=rank, shuffle=case.shuffle, seed=case.seed
    )


def _refused(case: Case) -> bool:
    return case.remainder == "uneven" and case.length < case.num_replicas


_REFUSED_URL = "https://github.com/Project-MONAI/MONAI/pull/5680"

_CONTRACT = Contract(remainders=("pad", "drop", "uneven"))

DISTRIBUTED_SAMPLER = Subject(
    "monai.DistributedSampler",
    _make,
    _CONTRACT,
    known=(
        *pins.of_torchs(_CONTRACT),
        Known(
            "no_crash",
            Case(3, 4, shuffle=False, remainder="uneven"),
            _refused,
            "with even_divisible=False, fewer samples than ranks are refused on every rank",
            _REFUSED_URL,
        ),
    ),
    package="monai",
    url="https://docs.monai.io/en/stable/data.html#distributedsampler",
)

_BOTH = Contract(remainders=("drop",))

UNEVEN_AND_DROP_LAST = Subject(
    "monai.DistributedSampler(even_divisible=False, drop_last=True)",
    _make_uneven_and_drop,
    _BOTH,
    known=(
        *pins.of_torchs(_BOTH),
        Known(
            "batch_equality",
            Case(10, 4, shuffle=False, remainder="drop"),
            when.left_over,
            "the low ranks fail, the others go on",
        ),
        Known(
            "no_crash",
            Case(10, 4, shuffle=False, remainder="drop"),
            lambda case: case.length < case.num_replicas or when.left_over(case),
            "the two arguments contradict each other, which the low ranks meet as a failing assertion",
        ),
    ),
    package="monai",
    url="https://docs.monai.io/en/stable/data.html#distributedsampler",
)

_WEIGHTED = Contract(remainders=("pad",), covers=False, weighted=True)

DISTRIBUTED_WEIGHTED_RANDOM_SAMPLER = Subject(
    "monai.DistributedWeightedRandomSampler",
    _make_weighted,
    _WEIGHTED,
    known=(
        Known("rng_isolation", Case(1, 1), when.always, pins.GLOBAL_GENERATOR.text),
        *pins.everywhere(
            _WEIGHTED,
            argument_types=pins.ANY_NUMBER,
            memory=pins.A_LIST,
            latency=pins.A_LIST,
            worker_invariance=pins.GLOBAL_GENERATOR,
            epoch_reaches_workers=pins.GLOBAL_GENERATOR,
        ),
        Known(
            "determinism",
            Case(48, 8),
            when.always,
            "seed orders the shards, but the draws come from the global generator",
        ),
        Known("order", Case(8, 1, shuffle=False), when.unshuffled, "shuffle=False is about the shards alone"),
        Known(
            "wrapper_weights",
            Case(2_000, 2, shuffle=False),
            lambda case: case.num_replicas > 1 and not case.shuffle,
            "every rank draws as many by the weights in its own shard, however heavy that is",
        ),
        Known("no_crash", Case(0, 1), when.empty, "torch.multinomial refuses to draw nothing"),
        Known(
            "no_crash",
            Case(2**24 + 2, 1, epochs=(0,)),
            lambda case: case.length > 2**24 * case.num_replicas,
            "torch.multinomial draws from at most 2^24 samples",
        ),
    ),
    wrap=_draw_by_weights,
    package="monai",
    url="https://docs.monai.io/en/stable/data.html#distributedweightedrandomsampler",
)
