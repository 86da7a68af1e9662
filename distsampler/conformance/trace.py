"""What every rank drew in every epoch, with the lengths that it declared."""

from __future__ import annotations

import contextlib
import itertools
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from distsampler.conformance.case import LengthOnly
from distsampler.conformance.process_state import be_process, restored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Subject


@dataclass(frozen=True, slots=True)
class Draws:
    """One rank's pass over one epoch.

    `indices` are what was yielded, integers of any type as Python's, and `types` the names of the types that
    they had. `lengths` is what `len()` said before the pass, after its first index and after its end (empty
    without `__len__`), `error` what ended the pass early.
    """

    indices: tuple[Any, ...]
    types: frozenset[str] = frozenset()
    lengths: tuple[int, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True)
class Trace:
    """All draws of a case: `draws[e][r]` are those of rank `r` in `case.epochs[e]`."""

    case: Case
    draws: tuple[tuple[Draws, ...], ...]

    def passes(self) -> Iterator[tuple[int, int, Draws]]:
        """Yield (epoch, rank, draws) of every pass."""
        for epoch, ranks in zip(self.case.epochs, self.draws, strict=True):
            for rank, draws in enumerate(ranks):
                yield epoch, rank, draws

    def by_epoch(self) -> Iterator[tuple[int, tuple[Draws, ...]]]:
        """Yield (epoch, draws of each rank)."""
        yield from zip(self.case.epochs, self.draws, strict=True)

    def whole_epochs(self) -> Iterator[tuple[int, tuple[Draws, ...]]]:
        """Yield the epochs in which every rank came to the end of its pass; `no_crash` tells of others."""
        yield from (each for each in self.by_epoch() if not any(draws.error for draws in each[1]))


def record(subject: Subject, case: Case) -> Trace:
    """Let every rank of `case` draw its epochs, each as a process of its own would, and return the trace."""
    with restored():
        ranks = [record_rank(subject, case, rank) for rank in range(case.num_replicas)]
    return Trace(case, tuple(zip(*ranks, strict=True)))


def record_rank(subject: Subject, case: Case, rank: int) -> list[Draws]:
    """Return the draws of one rank, an entry per epoch; ranks have unrelated global random states."""
    be_process(rank)
    try:
        sampler = subject.make(LengthOnly(case.length), case, rank)
    except Exception as error:  # noqa: BLE001  (recorded)
        return [Draws((), error=describe(error))] * len(case.epochs)
    return [draw_epoch(subject, sampler, epoch, limit(case)) for epoch in case.epochs]


def draw_epoch(subject: Subject, sampler: Any, epoch: int, most: int) -> Draws:
    """Iterate `sampler` once as `epoch`, but not over more than `most` indices."""
    try:
        begin(subject, sampler, epoch)
    except Exception as error:  # noqa: BLE001  (recorded)
        return Draws((), error=describe(error))
    return draw(sampler, most)


def begin(subject: Subject, sampler: Any, epoch: int) -> None:
    """Number the next pass of `sampler`, where passes are numbered."""
    if subject.contract.epochs:
        sampler.set_epoch(epoch)


def make(subject: Subject, case: Case, rank: int) -> Any | None:
    """Return a sampler of one rank, or None where none can be made, which `no_crash` tells."""
    try:
        return subject.make(LengthOnly(case.length), case, rank)
    except Exception:  # noqa: BLE001  (no_crash tells)
        return None


def draw(sampler: Any, most: int) -> Draws:
    """Iterate `sampler` once, but not over more than `most` indices."""
    lengths: list[int] = []
    indices: list[Any] = []
    error = ""
    try:
        _note_length(sampler, lengths)
        iterator = iter(sampler)
        indices.extend(itertools.islice(iterator, 1))
        _note_length(sampler, lengths)
        indices.extend(itertools.islice(iterator, most))
        _note_length(sampler, lengths)
        if len(indices) > most:
            error = f"still yields after {most} indices"
    except Exception as raised:  # noqa: BLE001  (recorded)
        error = describe(raised)
    types = frozenset(type(index).__name__ for index in indices)
    if types != {"int"}:
        indices = [_integer(index) for index in indices]
    return Draws(tuple(indices[:most]), types, tuple(lengths), error)


def _integer(index: Any) -> Any:
    """Return an integer of any type as Python's, and all else as it is."""
    try:
        return operator.index(index)
    except TypeError:
        return index


def limit(case: Case) -> int:
    """Return how many indices one rank of `case` may draw before it counts as endless."""
    return 2 * case.length + 64


def describe(error: BaseException) -> str:
    """Return an exception as one line."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001  (a text that cannot be had)
        text = "its text cannot be had"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def has_length(sampler: Any) -> bool:
    """Say whether a sampler has a length; a TypeError is how Python says that it has none."""
    try:
        len(sampler)
    except TypeError:
        return False
    except Exception:  # noqa: BLE001  (it has one, which does not work)
        return True
    return True


@contextlib.contextmanager
def unasked() -> Iterator[None]:
    """Let no sampler be asked for its length meanwhile."""
    global _asks  # noqa: PLW0603
    before, _asks = _asks, False
    try:
        yield
    finally:
        _asks = before


_asks = True


def _note_length(sampler: Any, lengths: list[int]) -> None:
    if _asks:
        with contextlib.suppress(TypeError):  # there is none, see `has_length`
            lengths.append(len(sampler))
