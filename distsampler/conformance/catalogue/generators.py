"""The global random generators of a process: they don't steer who draws what, and nobody touches them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from distsampler.conformance import cases
from distsampler.conformance.case import LengthOnly
from distsampler.conformance.catalogue.partition import counts
from distsampler.conformance.process_state import be_process, disturb, generator_states, restored
from distsampler.conformance.property import Property
from distsampler.conformance.trace import Draws, Trace, begin, describe, limit, make
from distsampler.conformance.violation import Violation, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Subject


@dataclass(frozen=True, slots=True)
class Agreement:
    """What the ranks draw with equal random states, and with states of their own that others draw from."""

    alike: Trace
    apart: Trace


@dataclass(frozen=True, slots=True)
class Touch:
    """A global generator that is in another state after a step than before it."""

    rank: int
    step: str
    generator: str


def agreement(subject: Subject, case: Case) -> Agreement:
    """Let all ranks draw in one random state, then each in its own, with other draws in between."""
    with restored():
        alike = [_draws(subject, case, rank, 0, lambda: None) for rank in range(case.num_replicas)]
        apart = [_draws(subject, case, rank, rank + 1, disturb) for rank in range(case.num_replicas)]
    return Agreement(
        Trace(case, tuple(zip(*alike, strict=True))), Trace(case, tuple(zip(*apart, strict=True)))
    )


def _draws(subject: Subject, case: Case, rank: int, process: int, between: Callable[[], None]) -> list[Draws]:
    """Return what one rank draws as process `process`; `between` is called before every step."""
    be_process(process)
    sampler = make(subject, case, rank)
    passes = []
    if sampler is None:
        return [Draws(())] * len(case.epochs)
    for epoch in case.epochs:
        indices: list[Any] = []
        error = ""
        try:
            between()
            begin(subject, sampler, epoch)
            for index in islice(sampler, limit(case)):
                indices.append(index)
                between()
        except Exception as raised:  # noqa: BLE001  (recorded)
            error = describe(raised)
        passes.append(Draws(tuple(indices), error=error))
    return passes


def touches(subject: Subject, case: Case) -> tuple[Touch, ...]:
    """Return after which steps of a rank a global generator is not what it was."""
    with restored():
        return tuple(touch for rank in range(case.num_replicas) for touch in _touches(subject, case, rank))


def _touches(subject: Subject, case: Case, rank: int) -> Iterator[Touch]:
    be_process(rank)
    before = generator_states()
    for step in _steps(subject, case, rank):
        after = generator_states()
        for generator, state in after.items():
            if state != before[generator]:
                yield Touch(rank, step, generator)
        before = after


def _steps(subject: Subject, case: Case, rank: int) -> Iterator[str]:
    """Take one step after the other, and yield what was done; stop where it fails, which `no_crash` tells."""
    try:
        sampler: Any = subject.make(LengthOnly(case.length), case, rank)
        yield "constructing it"
        for epoch in case.epochs:
            begin(subject, sampler, epoch)
            yield f"choosing epoch {epoch}"
            for _ in islice(sampler, limit(case)):
                yield f"drawing epoch {epoch}"
            yield f"ending epoch {epoch}"
    except Exception:  # noqa: BLE001  (no_crash tells)
        return


def rank_agreement(drawn: Agreement) -> Iterator[Violation]:
    """The ranks split the dataset the same way when each has global random states of its own."""
    for (epoch, alike), (_, apart) in zip(drawn.alike.by_epoch(), drawn.apart.by_epoch(), strict=True):
        lost = sorted(counts(alike).keys() - counts(apart).keys())
        if len(counts(apart)) < len(counts(alike)):
            yield Violation(
                f"epoch {epoch}: with global random states that differ from rank to rank no rank draws "
                f"{listed(lost)}; all ranks together draw {len(counts(apart))} samples, "
                f"expected {len(counts(alike))} as with equal states",
                epoch,
                got=lost,
            )
            return


def rng_isolation(touched: tuple[Touch, ...]) -> Iterator[Violation]:
    """Constructing and iterating leave the global generators of random, numpy and torch alone."""
    for touch in touched[:1]:
        yield Violation(
            f"rank {touch.rank}: {touch.step} changes the state of the global generator of "
            f"{touch.generator}, expected it to be left alone",
            rank=touch.rank,
            got=touch.generator,
        )


PROPERTIES = (
    Property(
        "rank_agreement",
        rank_agreement,
        observe=agreement,
        promised=lambda contract: contract.covers,
        exercises=lambda case: case.num_replicas > 1,
        grid=cases.sparse_cases,
        beyond=None,
    ),
    Property("rng_isolation", rng_isolation, observe=touches, grid=cases.sparse_cases, beyond=None),
)
