"""Lightning's samplers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.utils.data import SequentialSampler

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, torchvision_operators, when
from distsampler.subjects.inner import inner_sampler

if TYPE_CHECKING:
    from distsampler.conformance.case import LengthOnly


def _make_unrepeated(dataset: LengthOnly, case: Case, rank: int) -> Any:
    torchvision_operators.declare()
    from lightning.pytorch.overrides.distributed import UnrepeatedDistributedSampler

    return UnrepeatedDistributedSampler(dataset, case.num_replicas, rank, case.shuffle, case.seed)


def _wrap(inner: Any, case: Case, rank: int) -> Any:
    torchvision_operators.declare()
    from lightning.fabric.utilities.distributed import DistributedSamplerWrapper

    return DistributedSamplerWrapper(inner, case.num_replicas, rank, drop_last=case.remainder == "drop")


def _make_wrapper(dataset: LengthOnly, case: Case, rank: int) -> Any:
    return _wrap(inner_sampler(dataset, case), case, rank)


def _wrap_unrepeated(inner: Any, case: Case, rank: int) -> Any:
    torchvision_operators.declare()
    from lightning.pytorch.overrides.distributed import UnrepeatedDistributedSamplerWrapper

    return UnrepeatedDistributedSamplerWrapper(inner, case.num_replicas, rank, shuffle=False)


def _make_unrepeated_wrapper(dataset: LengthOnly, case: Case, rank: int) -> Any:
    return _wrap_unrepeated(inner_sampler(dataset, case), case, rank)


def _make_shuffling_wrapper(dataset: LengthOnly, case: Case, rank: int) -> Any:
    torchvision_operators.declare()
    from lightning.fabric.utilities.distributed import DistributedSamplerWrapper

    return DistributedSamplerWrapper(
        SequentialSampler(dataset),
        case.num_replicas,
        rank,
        case.shuffle,
        case.seed,
        case.remainder == "drop",
    )


_OVERRIDES = "https://github.com/Lightning-AI/pytorch-lightning/blob/2.6.6/src/lightning/pytorch/overrides/distributed.py"
_FABRIC = "https://github.com/Lightning-AI/pytorch-lightning/blob/2.6.6/src/lightning/fabric/utilities/distributed.py"

_SHUFFLES = "shuffles unless it is told not to, where its documentation says that shuffle has no effect"

_UNREPEATED = Contract(remainders=("uneven",))

UNREPEATED_DISTRIBUTED_SAMPLER = Subject(
    "lightning.UnrepeatedDistributedSampler",
    _make_unrepeated,
    _UNREPEATED,
    known=(
        *pins.everywhere(
            _UNREPEATED,
            argument_types=pins.ANY_NUMBER,
            memory=pins.A_LIST,
            latency=pins.A_LIST,
            seed_effect=pins.Reason("the order is drawn from the epoch alone; seed is accepted and not used"),
        ),
        Known(
            "no_crash",
            Case(3, 4, shuffle=False, remainder="uneven"),
            when.fewer_samples_than_ranks,
            "with fewer samples than ranks, an assertion fails on the ranks without one, and only there",
        ),
    ),
    package="lightning",
    url=_OVERRIDES,
)

_UNREPEATED_WRAPPER = Contract(remainders=("uneven",), seed=False, wraps=True)

UNREPEATED_WRAPPER = Subject(
    "lightning.UnrepeatedDistributedSamplerWrapper",
    _make_unrepeated_wrapper,
    _UNREPEATED_WRAPPER,
    known=(
        Known(
            "no_crash",
            Case(3, 4, shuffle=False, remainder="uneven"),
            lambda case: when.fewer_samples_than_ranks(case) or when.empty_and_shuffled(case),
            "with fewer samples than ranks, an assertion fails on the ranks without one, and only there; "
            "torch's RandomSampler refuses a dataset without samples",
        ),
        *pins.own_generator("uneven"),
        *pins.everywhere(
            _UNREPEATED_WRAPPER,
            argument_types=pins.ANY_NUMBER,
            memory=pins.A_LIST,
            latency=pins.A_LIST,
            wrapper_epoch=pins.Reason(
                "set_epoch is not passed on to the sampler inside",
                "https://github.com/Lightning-AI/pytorch-lightning/issues/21454",
            ),
            uniformity=pins.NOT_FROM_SEED,
        ),
    ),
    wrap=_wrap_unrepeated,
    package="lightning",
    url=_OVERRIDES,
)

_WRAPPER = Contract(seed=False, wraps=True)

DISTRIBUTED_SAMPLER_WRAPPER = Subject(
    "lightning.DistributedSamplerWrapper",
    _make_wrapper,
    _WRAPPER,
    known=(
        *pins.own_generator(),
        *pins.everywhere(
            _WRAPPER,
            dataset_growth=pins.FIXED_LENGTH,
            argument_types=pins.ANY_NUMBER,
            memory=pins.A_LIST,
            latency=pins.A_LIST,
            wrapper_fidelity=pins.Reason(_SHUFFLES),
        ),
        Known(
            "no_crash",
            Case(0, 1),
            when.empty_and_shuffled,
            "torch's RandomSampler refuses a dataset without samples",
        ),
        Known(
            "order",
            Case(8, 2, shuffle=False),
            when.unshuffled,
            _SHUFFLES,
        ),
    ),
    wrap=_wrap,
    package="lightning",
    url=_FABRIC,
)

_SHUFFLING = Contract()

SHUFFLING_WRAPPER = Subject(
    "lightning.DistributedSamplerWrapper(SequentialSampler, shuffle)",
    _make_shuffling_wrapper,
    _SHUFFLING,
    known=(*pins.of_torchs(_SHUFFLING),),
    package="lightning",
    url=_FABRIC,
)
