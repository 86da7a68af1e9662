"""One rank whose pass is interrupted: its state is saved, loaded by a fresh sampler, and the pass goes on."""

from __future__ import annotations

import copy
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from distsampler.conformance.case import LengthOnly
from distsampler.conformance.process_state import be_process
from distsampler.conformance.trace import Draws, begin, draw, draw_epoch, limit

if TYPE_CHECKING:
    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Subject

Passes = tuple[tuple[Any, ...], ...]  # the indices of passes that follow each other

LONGEST_CUT_EVERYWHERE = 13


@dataclass(frozen=True, slots=True)
class Interrupted:
    """One rank of a case, interrupted in the case's last epoch; the epochs before it are drawn whole."""

    subject: Subject
    case: Case
    rank: int

    @property
    def epoch(self) -> int:
        """The epoch that is interrupted."""
        return self.case.epochs[-1]

    def fresh(self, process: int) -> Any:
        """Return a sampler that knows nothing yet, in a process with random states of its own."""
        be_process(1_000 * process + self.rank)
        return self.subject.make(LengthOnly(self.case.length), self.case, self.rank)

    def begin(self, sampler: Any, epoch: int | None) -> None:
        """Number the next pass, where passes are numbered and `epoch` is not None."""
        if epoch is not None:
            begin(self.subject, sampler, epoch)

    def ready(self, process: int) -> Any:
        """Return a sampler that is about to draw the epoch that will be interrupted."""
        sampler = self.fresh(process)
        for epoch in self.case.epochs[:-1]:
            draw_epoch(self.subject, sampler, epoch, limit(self.case))
        self.begin(sampler, self.epoch)
        return sampler

    def follow(self, sampler: Any, epoch: int, passes: int) -> tuple[Draws, ...]:
        """Draw the pass that `sampler` is ready for, that of `epoch`, and those after it."""
        most = limit(self.case)
        first = draw(sampler, most)
        rest = (draw_epoch(self.subject, sampler, later, most) for later in range(epoch + 1, epoch + passes))
        return (first, *rest)

    def uninterrupted(self, passes: int) -> Passes | None:
        """Return the indices of these many passes, or None where one fails, which `no_crash` tells."""
        try:
            draws = self.follow(self.ready(1), self.epoch, passes)
        except Exception:  # noqa: BLE001  (no_crash tells)
            return None
        return None if any(each.error for each in draws) else tuple(each.indices for each in draws)

    def save(self, cuts: tuple[int, ...]) -> list[Any]:
        """Return the states of one pass after each of these numbers of draws, and after its end."""
        sampler = self.ready(2)
        iterator, states = iter(sampler), []
        for before, cut in itertools.pairwise((0, *cuts)):
            list(itertools.islice(iterator, cut - before))
            states.append(copy.deepcopy(sampler.state_dict()))
        list(itertools.islice(iterator, 1))
        return [*states, copy.deepcopy(sampler.state_dict())]

    def load(self, state: Any, *, before: int | None = None, after: int | None = None) -> Any:
        """Return a fresh sampler with `state`; `before` and `after` are epochs to set around the load."""
        sampler = self.fresh(3)
        self.begin(sampler, before)
        sampler.load_state_dict(copy.deepcopy(state))
        self.begin(sampler, after)
        return sampler

    def load_kept(self, cut: int) -> Any:
        """Return a sampler with a state that was kept while the pass went on, and was loaded once before."""
        sampler = self.ready(2)
        iterator = iter(sampler)
        list(itertools.islice(iterator, cut))
        state = sampler.state_dict()
        list(itertools.islice(iterator, limit(self.case)))
        for process in (3, 4):
            sampler = self.fresh(process)
            self.begin(sampler, self.epoch)
            sampler.load_state_dict(state)
            if process == 3:  # noqa: PLR2004
                list(itertools.islice(sampler, limit(self.case)))
        return sampler

    def load_again(self, state: Any, more: int) -> Any:
        """Return a sampler with the state of one that loaded `state` and drew `more` indices since."""
        sampler = self.load(state, before=self.epoch)
        iterator = iter(sampler) if more else iter(())
        list(itertools.islice(iterator, more))
        return self.load(sampler.state_dict(), before=self.epoch)

    def load_after_two(self, one: int, other: int, more: int) -> Any:
        """Return a sampler with the state after draws from a pass, from a second one, and from the first."""
        sampler = self.ready(4)
        first = iter(sampler)
        list(itertools.islice(first, one))
        second = iter(sampler)
        list(itertools.islice(second, other))
        list(itertools.islice(first, more))
        return self.load(sampler.state_dict(), before=self.epoch)


def cuts_of(draws: int) -> tuple[int, ...]:
    """Return after how many of `draws` draws to cut: after each, or at the borders of a long pass."""
    return (
        tuple(range(draws + 1)) if draws <= LONGEST_CUT_EVERYWHERE else (0, 1, draws // 2, draws - 1, draws)
    )
