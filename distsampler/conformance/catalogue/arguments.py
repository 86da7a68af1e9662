"""What is refused: arguments that cannot be."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from distsampler.conformance import cases
from distsampler.conformance.case import LengthOnly
from distsampler.conformance.property import Property
from distsampler.conformance.trace import describe, limit
from distsampler.conformance.violation import Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Subject


@dataclass(frozen=True, slots=True)
class Attempt:
    """A sampler asked for what does not exist: the arguments as text, and the error, empty if accepted."""

    arguments: str
    error: str
    refused: bool


def impossible_arguments(subject: Subject, case: Case) -> tuple[Attempt, ...]:
    """Ask for ranks and numbers of replicas that do not exist; None where there is no process group."""
    tried: list[tuple[int | None, int | None]] = [(4, 4), (4, -1), (0, 0), (-2, 0)]
    if subject.contract.process_group:
        tried += [(None, 0), (4, None)]
    return tuple(_attempt(subject, case, count, rank) for count, rank in tried)


def _attempt(subject: Subject, case: Case, num_replicas: int | None, rank: int | None) -> Attempt:
    arguments = f"num_replicas={num_replicas} rank={rank}"
    asked = dataclasses.replace(case, num_replicas=cast("int", num_replicas))
    try:
        sampler: Any = subject.make(LengthOnly(case.length), asked, cast("int", rank))
        list(zip(sampler, range(limit(case)), strict=False))
    except (ValueError, TypeError, AssertionError, RuntimeError) as error:
        return Attempt(arguments, describe(error), refused=True)
    except Exception as error:  # noqa: BLE001  (recorded)
        return Attempt(arguments, describe(error), refused=False)
    return Attempt(arguments, "", refused=False)


def argument_validation(attempts: tuple[Attempt, ...]) -> Iterator[Violation]:
    """A rank or a number of replicas that cannot be is refused with an exception that was meant."""
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
        grid=cases.one_case,
        beyond=None,
    ),
)
