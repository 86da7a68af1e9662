"""What is refused: arguments that cannot be."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from distsampler.conformance import cases
from distsampler.conformance.case import LengthOnly
from distsampler.conformance.process_state import restored
from distsampler.conformance.property import Property
from distsampler.conformance.trace import begin, describe, limit
from distsampler.conformance.violation import Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Contract, Subject


@dataclass(frozen=True, slots=True)
class Attempt:
    """A sampler asked for what does not exist: the arguments as text, and the error, empty if accepted."""

    arguments: str
    error: str
    refused: bool


def impossible_arguments(subject: Subject, case: Case) -> tuple[Attempt, ...]:
    """Ask for ranks and numbers of replicas that do not exist; None where there is no process group."""
    tried: list[dict[str, Any]] = [
        {"num_replicas": count, "rank": rank} for count, rank in [(4, 4), (4, -1), (0, 0), (-2, 0)]
    ]
    if subject.contract.process_group:
        tried += [{"num_replicas": None, "rank": 0}, {"num_replicas": 4, "rank": None}]
    return tuple(_attempt(subject, case, arguments) for arguments in tried)


def wrong_types(subject: Subject, case: Case) -> tuple[Attempt, ...]:
    """Ask with floats and bools for numbers."""
    tried: list[dict[str, Any]] = [
        {"num_replicas": 4, "rank": 1.5},
        {"num_replicas": 4.0, "rank": 0},
        {"num_replicas": 4, "rank": True},
        {"num_replicas": True, "rank": 0},
    ]
    if subject.contract.seed:
        tried += [{"seed": 1.5}, {"seed": True}]
    if subject.contract.epochs:
        tried += [{"epoch": 1.5}, {"epoch": True}]
    return tuple(_attempt(subject, case, arguments) for arguments in tried)


def _attempt(subject: Subject, case: Case, arguments: dict[str, Any]) -> Attempt:
    text = " ".join(f"{name}={value}" for name, value in arguments.items())
    changes = {name: value for name, value in arguments.items() if name in ("num_replicas", "seed")}
    try:
        with restored():
            asked = dataclasses.replace(case, **changes)
            sampler = subject.make(LengthOnly(case.length), asked, arguments.get("rank", 0))
            begin(subject, sampler, arguments.get("epoch", case.epochs[0]))
            list(islice(sampler, limit(case)))
    except (ValueError, TypeError, AssertionError, RuntimeError) as error:
        return Attempt(text, describe(error), refused=True)
    except Exception as error:  # noqa: BLE001  (recorded)
        return Attempt(text, describe(error), refused=False)
    return Attempt(text, "", refused=False)


def four_ranks(contract: Contract) -> list[Case]:
    """Return a single case, shuffled if that is offered, because then seed and epoch are used."""
    return cases.shuffled_case(contract, 10, 4)


def argument_validation(attempts: tuple[Attempt, ...]) -> Iterator[Violation]:
    """A rank or a number of replicas that cannot be is refused with an exception that was meant."""
    return _not_refused(attempts)


def argument_types(attempts: tuple[Attempt, ...]) -> Iterator[Violation]:
    """A float or a bool for a rank, a number of replicas, a seed or an epoch is refused."""
    return _not_refused(attempts)


def _not_refused(attempts: tuple[Attempt, ...]) -> Iterator[Violation]:
    for attempt in attempts:
        if not attempt.refused:
            got = f"fails by accident with {attempt.error}" if attempt.error else "is accepted"
            yield Violation(
                f"{attempt.arguments} {got}, expected a ValueError or TypeError", got=attempt.error
            )


PROPERTIES = (
    Property(
        "argument_validation",
        argument_validation,
        observe=impossible_arguments,
        promised=lambda contract: contract.ranks,
        grid=cases.one_case,
        beyond=None,
    ),
    Property(
        "argument_types",
        argument_types,
        observe=wrong_types,
        promised=lambda contract: contract.ranks,
        grid=four_ranks,
        beyond=None,
        tier="quality",
    ),
)
