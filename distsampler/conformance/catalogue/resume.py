"""A pass that was interrupted goes on from the state that was saved, as if nothing had happened."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from distsampler.conformance import cases
from distsampler.conformance.property import Property
from distsampler.conformance.resumption import SHORTEST_SHARED, resumptions
from distsampler.conformance.violation import Violation, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.interruption import Passes
    from distsampler.conformance.resumption import Resumed
    from distsampler.conformance.subject import Contract


def resume(resumed: Iterable[Resumed]) -> Iterator[Violation]:
    """Cut after any draw, a pass goes on with what was left when its state is loaded and its epoch is set."""
    return _differences(resumed, "resume")


def resume_epoch(resumed: Iterable[Resumed]) -> Iterator[Violation]:
    """The state restores the epoch; only `set_epoch` of another one starts at its beginning."""
    return _differences(resumed, "resume_epoch")


def resume_between(resumed: Iterable[Resumed]) -> Iterator[Violation]:
    """A state from between two epochs, the end of one or the start of the next, leaves the next one whole."""
    return _differences(resumed, "resume_between")


def resume_round_trip(resumed: Iterable[Resumed]) -> Iterator[Violation]:
    """A state that is loaded and saved at once is still the same place in the same pass."""
    return _differences(resumed, "resume_round_trip")


def resume_serialization(resumed: Iterable[Resumed]) -> Iterator[Violation]:
    """A state means the same after it was pickled, written as JSON, or kept while samplers drew on."""
    return _differences(resumed, "resume_serialization")


def resume_iterators(resumed: Iterable[Resumed]) -> Iterator[Violation]:
    """With two passes at a time, the state is that of one of them; a pass broken off is forgotten."""
    return _differences(resumed, "resume_iterators")


def resume_length(resumed: Iterable[Resumed]) -> Iterator[Violation]:
    """After a load, `len()` is how many indices are left, and in later epochs how many a whole one has."""
    for after in (after for after in resumed if after.asks == "resume"):
        for epoch, draws in enumerate(after.draws, after.first):
            drawn = len(draws.indices)
            if draws.lengths and draws.lengths[0] != drawn and not draws.error:
                yield Violation(
                    f"epoch {epoch}, rank {after.rank}: {after.how}: len() is {draws.lengths[0]} before the "
                    f"pass, expected {drawn}, which is what it yields",
                    epoch,
                    after.rank,
                    draws.lengths[0],
                    drawn,
                )


def _differences(resumed: Iterable[Resumed], asks: str) -> Iterator[Violation]:
    """Yield where draws are none of those that are expected."""
    for after in (after for after in resumed if after.asks == asks):
        error = next((draws.error for draws in after.draws if draws.error), "")
        got = tuple(draws.indices for draws in after.draws)
        if error:
            sentence = f"rank {after.rank}: {after.how}: {error}; expected no error"
            yield Violation(f"epoch {after.first}, {sentence}", after.first, after.rank, error)
        elif got not in after.expected:
            yield _difference(after, got)


def _difference(after: Resumed, got: Passes) -> Violation:
    """Return the first pass that is not as it should be."""
    at = min(
        next(at for at, indices in enumerate(got) if indices != expected[at]) for expected in after.expected
    )
    allowed = tuple(dict.fromkeys(expected[at] for expected in after.expected))
    epoch = after.first + at
    return Violation(
        f"epoch {epoch}, rank {after.rank}: {after.how}: draws {listed(got[at])}, "
        f"expected {' or '.join(map(listed, allowed))} as without the interruption",
        epoch,
        after.rank,
        got[at],
        allowed[0],
    )


def short_cases(contract: Contract) -> list[Case]:
    """Return small cases whose passes can be cut everywhere, interrupted in the first epoch or the second."""
    small = cases.small_cases(contract, (0, 1, 2, 3, 5, 9), (1, 2, 4))
    return [dataclasses.replace(case, epochs=epochs) for case in small for epochs in ((0,), (0, 1))]


def _resumes(contract: Contract) -> bool:
    return contract.resume


def _resumes_epochs(contract: Contract) -> bool:
    return contract.resume and contract.epochs


PROPERTIES = (
    Property("resume", resume, resumptions, _resumes, grid=short_cases),
    Property("resume_epoch", resume_epoch, resumptions, _resumes_epochs, grid=short_cases),
    Property("resume_between", resume_between, resumptions, _resumes, grid=short_cases),
    Property("resume_round_trip", resume_round_trip, resumptions, _resumes, grid=short_cases),
    Property("resume_serialization", resume_serialization, resumptions, _resumes, grid=short_cases),
    Property(
        "resume_length",
        resume_length,
        resumptions,
        lambda contract: contract.resume and contract.length,
        grid=short_cases,
    ),
    Property(
        "resume_iterators",
        resume_iterators,
        resumptions,
        _resumes_epochs,
        exercises=lambda case: case.length >= SHORTEST_SHARED * case.num_replicas,
        grid=short_cases,
    ),
)
