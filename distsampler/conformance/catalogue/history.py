"""A pass depends on its epoch, not on what else the sampler was asked for before it or meanwhile."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from distsampler.conformance import cases
from distsampler.conformance.comparison import Comparison, differences
from distsampler.conformance.process_state import be_process, restored
from distsampler.conformance.property import Property
from distsampler.conformance.trace import Draws, begin, describe, draw_epoch, limit, make

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Subject
    from distsampler.conformance.violation import Violation

NEVER_DRAWN = 7
_END = object()


@dataclass(frozen=True, slots=True)
class Rank:
    """One rank of a case, whose samplers are asked for more than a pass after the other."""

    subject: Subject
    case: Case
    number: int

    def sampler(self) -> Any | None:
        """Return a fresh sampler, or None where there is none."""
        be_process(self.number)
        return make(self.subject, self.case, self.number)

    def begin(self, sampler: Any, epoch: int) -> Iterator[Any]:
        """Return a pass whose first index is drawn, because a lazy one only then knows its epoch."""
        begin(self.subject, sampler, epoch)
        be_process(self.number)
        running = iter(sampler)
        return itertools.chain(list(itertools.islice(running, 1)), running)

    def finish(self, running: Iterable[Any]) -> tuple[Any, ...]:
        """Return the indices of a pass to its end, but not more than a pass can have."""
        return tuple(itertools.islice(running, limit(self.case)))

    def whole(self) -> tuple[Draws, ...]:
        """Return all epochs as undisturbed samplers draw them, or nothing where one fails."""
        sampler, passes = self.sampler(), []
        for epoch in self.case.epochs:
            if self.subject.contract.epochs:
                sampler = self.sampler()
            try:
                passes.append(Draws(self.finish(self.begin(sampler, epoch))))
            except Exception:  # noqa: BLE001  (no_crash tells)
                return ()
        return tuple(passes)


def visited(subject: Subject, case: Case) -> tuple[Comparison, ...]:
    """Visit the epochs backwards, forwards and the last one again, with one sampler."""
    with restored():
        ranks = [Rank(subject, case, number) for number in range(case.num_replicas)]
        return tuple(visit for rank in ranks for visit in _visits(rank))


def _visits(rank: Rank) -> Iterator[Comparison]:
    epochs = rank.case.epochs
    alone = dict(zip(epochs, rank.whole(), strict=False))
    sampler = rank.sampler()
    for epoch in (*reversed(epochs), *epochs, epochs[-1]) if alone else ():
        begin(rank.subject, sampler, NEVER_DRAWN)
        be_process(rank.number)
        got = draw_epoch(rank.subject, sampler, epoch, limit(rank.case))
        yield Comparison("after other epochs", epoch, rank.number, got, (alone[epoch],))


def disturbed(subject: Subject, case: Case) -> tuple[Comparison, ...]:
    """Let passes run in turns, break one off, and choose another epoch while one runs."""
    with restored():
        ranks = [Rank(subject, case, number) for number in range(case.num_replicas)]
        return tuple(run for rank in ranks for run in _runs(rank))


def _runs(rank: Rank) -> Iterator[Comparison]:
    """Yield what each disturbed pass draws; without numbered epochs it may be any of the first passes."""
    epochs, whole = rank.case.epochs, rank.whole()
    numbered = rank.subject.contract.epochs
    for situation, disturb, allowed in DISTURBANCES if whole else ():
        try:
            got = Draws(disturb(rank, rank.sampler()))
        except Exception as error:  # noqa: BLE001  (recorded)
            got = Draws((), error=describe(error))
        expected = tuple(whole[at] for at in allowed) if numbered else whole
        yield Comparison(situation, epochs[allowed[0]], rank.number, got, expected)


def _another_epoch_chosen(rank: Rank, sampler: Any) -> tuple[Any, ...]:
    running = rank.begin(sampler, rank.case.epochs[0])
    begin(rank.subject, sampler, rank.case.epochs[-1])
    return rank.finish(running)


def _broken_off(rank: Rank, sampler: Any) -> tuple[Any, ...]:
    rank.begin(sampler, rank.case.epochs[0])
    return rank.finish(rank.begin(sampler, rank.case.epochs[-1]))


def _begun_anew(rank: Rank, sampler: Any) -> tuple[Any, ...]:
    rank.begin(sampler, rank.case.epochs[0])
    be_process(rank.number)
    return rank.finish(sampler)


def _in_turns(rank: Rank, sampler: Any, which: int) -> tuple[Any, ...]:
    running = [rank.begin(sampler, epoch) for epoch in (rank.case.epochs[0], rank.case.epochs[-1])]
    turns = itertools.islice(itertools.zip_longest(*running, fillvalue=_END), limit(rank.case))
    return tuple(turn[which] for turn in turns if turn[which] is not _END)


def _first_in_turns(rank: Rank, sampler: Any) -> tuple[Any, ...]:
    return _in_turns(rank, sampler, 0)


def _second_in_turns(rank: Rank, sampler: Any) -> tuple[Any, ...]:
    return _in_turns(rank, sampler, 1)


DISTURBANCES: tuple[tuple[str, Callable[[Rank, Any], tuple[Any, ...]], tuple[int, ...]], ...] = (
    ("with another epoch chosen while it runs", _another_epoch_chosen, (0,)),
    ("after a pass that was broken off", _broken_off, (-1,)),
    ("after a pass that was broken off, without an epoch chosen", _begun_anew, (0, -1)),
    ("in turns with a second iterator", _first_in_turns, (0,)),
    ("in turns with a first iterator", _second_in_turns, (-1,)),
)


def epoch_history(visits: tuple[Comparison, ...]) -> Iterator[Violation]:
    """An epoch's order is a function of the epoch, whatever was visited, skipped or repeated before."""
    return differences(visits)


def iterator_independence(runs: tuple[Comparison, ...]) -> Iterator[Violation]:
    """A pass that runs is not disturbed by a second one, nor a new one by a pass that was broken off."""
    return differences(runs)


PROPERTIES = (
    Property(
        "epoch_history",
        epoch_history,
        observe=visited,
        promised=lambda contract: contract.epochs,
        grid=cases.sparse_cases,
        beyond=None,
    ),
    Property(
        "iterator_independence",
        iterator_independence,
        observe=disturbed,
        grid=cases.sparse_cases,
        beyond=None,
    ),
)
