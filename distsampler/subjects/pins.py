"""Pins of properties that a sampler breaks in every case, and the reasons that many samplers share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from distsampler.conformance.case import Case
from distsampler.conformance.catalogue import PROPERTIES
from distsampler.conformance.subject import Known
from distsampler.subjects import when

if TYPE_CHECKING:
    from distsampler.conformance.subject import Contract
    from distsampler.sampling.partition import Remainder


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a property is broken, and a report that says so."""

    text: str
    url: str = ""


A_LIST = Reason(
    "a list of all indices is made before the first one", "https://github.com/pytorch/pytorch/issues/50201"
)
ADDS_SEED_AND_EPOCH = Reason("epoch and seed are added, so that one more of one is one less of the other")
FIXED_LENGTH = Reason(
    "how many indices there are is computed at construction; a dataset that has grown fails an assertion or "
    "is drawn in part",
    "https://github.com/pytorch/pytorch/pull/15991",
)
ANY_NUMBER = Reason("True is taken for 1, and a float is met by accident or not at all")
UNCHECKED = Reason("rank and number of replicas are used unchecked")
BLOCKS = Reason(
    "every rank draws from the same part of the dataset in all epochs",
    "https://github.com/AI-Hypercomputer/maxtext/issues/477",
)
SPLIT_FIRST = Reason(
    "the dataset is split before it is shuffled, so that a step holds other samples on other ranks"
)
GLOBAL_GENERATOR = Reason("draws come from the global generator of the process")
NOT_FROM_SEED = Reason("neither seed nor epoch reaches the RandomSampler inside")
OWN_GENERATOR = Reason(
    "the RandomSampler inside draws from the global generator of its process, so that ranks split different "
    "orders",
    "https://github.com/Lightning-AI/pytorch-lightning/pull/17713",
)


def everywhere(contract: Contract, **reasons: Reason) -> tuple[Known, ...]:
    """Return pins of the properties named, whose counterexamples are the first cases of their grids."""
    properties = {prop.name: prop for prop in PROPERTIES}
    pins = []
    for name, reason in reasons.items():
        prop = properties[name]
        case = next(case for case in prop.grid(contract) if prop.exercises(case))
        pins.append(Known(name, case, when.always, reason.text, reason.url))
    return tuple(pins)


def of_torchs(contract: Contract) -> tuple[Known, ...]:
    """Return the pins of torch's DistributedSampler, which samplers that are derived from it have, too."""
    return everywhere(
        contract,
        seed_epoch_aliasing=ADDS_SEED_AND_EPOCH,
        dataset_growth=FIXED_LENGTH,
        argument_types=ANY_NUMBER,
        memory=A_LIST,
        latency=A_LIST,
    )


def own_generator(remainder: Remainder = "pad") -> tuple[Known, ...]:
    """Return the pins of a wrapper on every rank around a RandomSampler of its own."""
    case, through_loader = Case(48, 8, remainder=remainder), Case(11, 2, remainder=remainder)
    broken = (
        *((name, case, when.shuffled_over_ranks) for name in ("coverage", "disjointness", "minimal_padding")),
        ("rank_agreement", case, when.shuffled_over_ranks),
        ("wrapper_agreement", through_loader, when.several_ranks),
        *((name, case, when.shuffled) for name in ("determinism", "rng_isolation", "replica_invariance")),
        *((name, through_loader, when.shuffled) for name in ("worker_invariance", "epoch_reaches_workers")),
    )
    return tuple(
        Known(name, case, holds, OWN_GENERATOR.text, OWN_GENERATOR.url) for name, case, holds in broken
    )
