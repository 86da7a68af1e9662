"""A state that is loaded where something is different: the number of replicas, the dataset, the seed."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from distsampler.conformance.interruption import Interrupted, cuts_of
from distsampler.conformance.process_state import restored
from distsampler.conformance.trace import Draws, describe, record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Subject

MEANT = {"ValueError", "TypeError", "RuntimeError", "NotImplementedError"}
MEANT_AT_LOAD = MEANT | {"AssertionError"}  # in the middle of a pass it is an accident


@dataclass(frozen=True, slots=True)
class Landed:
    """One rank with a foreign state: its draws of the pass and of the next epoch, or the error it raised."""

    draws: Draws
    later: Draws
    error: str = ""
    refuses: bool = False


@dataclass(frozen=True, slots=True)
class Relocation:
    """What the ranks of `loaded` made of a state that was taken after `cut` draws of each rank of `saved`.

    `delivered` are the indices that these draws gave, `over` says that they were all of the epoch. `later`
    is what each rank of `loaded` draws in the next epoch without any of this.
    """

    saved: Case
    loaded: Case
    cut: int
    over: bool
    delivered: frozenset[Any]
    ranks: tuple[Landed, ...]
    later: tuple[Draws, ...]

    @property
    def epoch(self) -> int:
        """The epoch that was interrupted."""
        return self.saved.epochs[-1]

    @property
    def left(self) -> frozenset[Any]:
        """The samples of the loaded case's dataset that were not delivered before."""
        return frozenset(range(self.loaded.length)) - self.delivered

    @property
    def draws(self) -> tuple[Draws, ...]:
        """What each rank drew of the epoch after the load."""
        return tuple(landed.draws for landed in self.ranks)

    @property
    def refused(self) -> bool:
        """Whether every rank refused the state."""
        return all(landed.refuses for landed in self.ranks)

    def __str__(self) -> str:
        differing = [
            (field.name, getattr(self.saved, field.name), getattr(self.loaded, field.name))
            for field in dataclasses.fields(self.saved)
            if getattr(self.saved, field.name) != getattr(self.loaded, field.name)
        ]
        saved = " ".join(f"{name}={old}" for name, old, _ in differing)
        loaded = " ".join(f"{name}={new}" for name, _, new in differing)
        return f"epoch {self.epoch}, cut after {self.cut} draws with {saved}, then loaded with {loaded}"


def relocations(subject: Subject, saved: Case, loaded: Case) -> Iterator[Relocation]:
    """Cut the last epoch of `saved` everywhere, and let fresh ranks of `loaded` go on from there.

    Every rank loads its own state if there are as many as before, otherwise all load that of rank 0. Yields
    nothing where either case can't be drawn without all this, which `no_crash` tells.
    """
    epoch = saved.epochs[-1]
    before = record(subject, saved).draws[-1]
    later = record(subject, dataclasses.replace(loaded, epochs=(*loaded.epochs, epoch + 1))).draws[-1]
    if any(draws.error for draws in (*before, *later)):
        return
    most = len(before[0].indices)
    cuts = _cuts(subject, saved, most)
    with restored():
        try:
            states = _states(subject, saved, loaded, cuts)
        except Exception as error:  # noqa: BLE001  (recorded)
            failed = Landed(Draws(()), Draws(()), f"state_dict: {describe(error)}")
            yield Relocation(saved, loaded, 0, False, frozenset(), (failed,), later)
            return
        for cut, each in zip(cuts, states, strict=True):
            delivered = frozenset(index for draws in before for index in draws.indices[:cut])
            ranks = tuple(_land(Interrupted(subject, loaded, rank), state) for rank, state in enumerate(each))
            yield Relocation(saved, loaded, cut, cut == most, delivered, ranks, later)


def _cuts(subject: Subject, saved: Case, most: int) -> tuple[int, ...]:
    """Return where to cut; not between two epochs, which `resume_between` is about."""
    cuts = cuts_of(most)
    if len(saved.epochs) > 1:
        cuts = cuts[1:]
    return cuts if subject.contract.epochs else cuts[:-1]


def _states(subject: Subject, saved: Case, loaded: Case, cuts: tuple[int, ...]) -> list[tuple[Any, ...]]:
    """Return what each rank of `loaded` loads, for every cut."""
    if loaded.num_replicas != saved.num_replicas:
        states = Interrupted(subject, saved, 0).save(cuts)[:-1]
        return [(state,) * loaded.num_replicas for state in states]
    ranks = (Interrupted(subject, saved, rank).save(cuts)[:-1] for rank in range(saved.num_replicas))
    return list(zip(*ranks, strict=True))


def _land(rank: Interrupted, state: Any) -> Landed:
    try:
        sampler = rank.load(state, before=rank.epoch)
    except Exception as error:  # noqa: BLE001  (recorded)
        return Landed(Draws(()), Draws(()), describe(error), type(error).__name__ in MEANT_AT_LOAD)
    draws, later = rank.follow(sampler, rank.epoch, 2)
    kind, _, _ = draws.error.partition(":")
    return Landed(draws, later, draws.error, kind in MEANT)
