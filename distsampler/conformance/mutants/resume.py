"""Passes that do not go on where they were."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from distsampler.conformance.designs import RESUMES, Resumable, ResumableUnnumbered, Strided
from distsampler.conformance.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

UNNUMBERED = dataclasses.replace(RESUMES, epochs=False)
PREFETCHED = 4


class StartsAnew(Resumable):
    """Restores the epoch, but begins it again."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        super().load_state_dict({**state, "position": 0})


class SkipsInEveryEpoch(Resumable):
    """Leaves out in every later epoch what was delivered of the interrupted one."""

    skipped = 0

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        super().load_state_dict(state)
        self.skipped = self.start

    def rest(self, start: int) -> list[int]:
        return super().rest(max(start, self.skipped))


class ShufflesAgain(Resumable):
    """Draws another order after a load, because its generator had moved on, and skips in that one."""

    loaded = False

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        super().load_state_dict(state)
        self.loaded = True

    def generator(self) -> np.random.Generator:
        return np.random.default_rng([self.case.seed, self.epoch, self.loaded])


class ShufflesRest(Resumable):
    """Leaves out the head of the dataset instead of the order's, and shuffles what is left."""

    def rest(self, start: int) -> list[int]:
        left = list(range(len(self.dataset)))[start * self.case.num_replicas :]
        if self.case.shuffle:
            self.generator().shuffle(left)
        return self.mine(self.even(left))


class CountsForAllRanks(Resumable):
    """Counts the draws of all ranks, and skips as many of its own."""

    def after(self, start: int, drawn: int) -> int:
        return start + drawn * self.case.num_replicas


class CountsPrefetched(Resumable):
    """Counts what was fetched in advance as delivered."""

    def note(self, epoch: int, position: int) -> None:
        super().note(epoch, -(-position // PREFETCHED) * PREFETCHED)


class ResumesAtRandom(ShufflesAgain):
    """Shuffles with numpy's global generator once a state was loaded."""

    def order(self) -> list[int]:
        order = super().order()
        if self.loaded and self.case.shuffle:
            np.random.shuffle(order)  # noqa: NPY002  (the fault)
        return order


class HandsOutItsState(Resumable):
    """Goes on counting in the state that it handed out last."""

    handed_out: dict[str, Any] | None = None

    def state_dict(self) -> dict[str, Any]:
        self.handed_out = super().state_dict()
        return self.handed_out

    def note(self, epoch: int, position: int) -> None:
        super().note(epoch, position)
        if self.handed_out:
            self.handed_out.update(super().state_dict())


class TakesStateApart(Resumable):
    """Takes the position out of the state that it is given."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        super().load_state_dict({"position": 0, **state})
        if isinstance(state, dict):
            state.pop("position", None)


class ForgetsFlags(Resumable):
    """Pads after a load, whatever it was told."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        super().load_state_dict(state)
        self.case = dataclasses.replace(self.case, remainder="pad")


class LoadsOnlyInPasses(Resumable):
    """Keeps its position in what the first pass creates."""

    def __iter__(self) -> Iterator[int]:
        self.running = True
        return super().__iter__()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        if self.running:
            super().load_state_dict(state)


class CountsEpochsTwice(ResumableUnnumbered):
    """Goes on by an epoch at a load too."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        super().load_state_dict(state)
        self.epoch += 1


class ForgetsEpoch(Resumable):
    """Saves no epoch."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        super().load_state_dict({**state, "epoch": self.epoch})


class SkipsInAnyEpoch(Resumable):
    """Skips in the first pass after a load, whichever epoch is set before it."""

    def set_epoch(self, epoch: int) -> None:
        Strided.set_epoch(self, epoch)


class BeginsLate(Resumable):
    """Notices the start of a pass when its first index is drawn."""

    def __iter__(self) -> Iterator[int]:
        yield from super().__iter__()

    def set_epoch(self, epoch: int) -> None:
        Strided.set_epoch(self, epoch)
        self.start = 0


class RepeatsFinishedEpoch(ResumableUnnumbered):
    """Takes a state from the end of an epoch for one from its start."""

    def draws(self, indices: list[int], start: int, epoch: int) -> Iterator[int]:
        yield from super().draws(indices, start, epoch)
        self.place = (epoch, 0)


class StaysAtEnd(ResumableUnnumbered):
    """Yields nothing in the pass after a load of a state from the end of an epoch."""

    def draws(self, indices: list[int], start: int, epoch: int) -> Iterator[int]:
        return Resumable.draws(self, indices, start, epoch)


class SavesOnlyDraws(Resumable):
    """Counts from zero again until the first draw after a load."""

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        super().load_state_dict(state)
        self.place = (self.epoch, 0)


class SavesGenerator(Resumable):
    """Puts a generator object into its state."""

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "generator": self.generator()}


class NumbersItsRanks(Resumable):
    """Uses integers as keys, which JSON turns into text."""

    def state_dict(self) -> dict[Any, Any]:
        return {self.rank: super().state_dict()}

    def load_state_dict(self, state: Mapping[Any, Any]) -> None:
        super().load_state_dict(state[self.rank])


class DeclaresWholeEpoch(Resumable):
    """Declares the length of a whole epoch after a load."""

    def __len__(self) -> int:
        return Strided.__len__(self)


class StaysShort(Resumable):
    """Declares the rest's length in later epochs too."""

    left: int | None = None

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        super().load_state_dict(state)
        self.left = len(self.rest(self.start))

    def __len__(self) -> int:
        return super().__len__() if self.left is None else self.left


class SharesCounter(Resumable):
    """Counts the draws of all its iterators together."""

    def note(self, epoch: int, position: int) -> None:
        del position
        super().note(epoch, self.place[1] + 1)


class GoesOnUnasked(Resumable):
    """Starts a pass where the last one was broken off."""

    def __iter__(self) -> Iterator[int]:
        if 0 < self.place[1] < len(self):
            self.start = self.place[1]
        return super().__iter__()


class TrustsState(Resumable):
    """Loads any state."""

    def arguments(self) -> dict[str, Any]:
        return {}


class ComparesLengths(Resumable):
    """Loads the state of any dataset that is as long, whatever the seed."""

    def data(self) -> dict[str, Any]:
        return {"length": len(self.dataset)}


MUTANTS = (
    Mutant("resume", StartsAnew, ("B045", "B142", "B230", "B270"), RESUMES),
    Mutant("resume", SkipsInEveryEpoch, ("B034", "B075", "B221"), RESUMES),
    Mutant("resume", ShufflesAgain, ("B078", "B172"), RESUMES),
    Mutant("resume", ShufflesRest, ("B035", "B193"), RESUMES),
    Mutant("resume", CountsForAllRanks, ("B124", "B145", "B147"), RESUMES),
    Mutant("resume", CountsPrefetched, ("B151",), RESUMES),
    Mutant("resume", ResumesAtRandom, ("B141",), RESUMES),
    Mutant("resume", ForgetsFlags, ("B081",), RESUMES),
    Mutant("resume", LoadsOnlyInPasses, ("B105", "B127"), RESUMES),
    Mutant("resume", CountsEpochsTwice, ("B217",), UNNUMBERED),
    Mutant("resume_epoch", ForgetsEpoch, ("B077", "B165", "B169", "B170", "B216"), RESUMES),
    Mutant("resume_epoch", SkipsInAnyEpoch, ("B034", "B220"), RESUMES),
    Mutant("resume_between", BeginsLate, (), RESUMES),
    Mutant("resume_between", RepeatsFinishedEpoch, ("B043", "B172"), UNNUMBERED),
    Mutant("resume_between", StaysAtEnd, ("B042",), UNNUMBERED),
    Mutant("resume_round_trip", SavesOnlyDraws, ("B042",), RESUMES),
    Mutant("resume_serialization", SavesGenerator, ("B256",), RESUMES),
    Mutant("resume_serialization", HandsOutItsState, (), RESUMES),
    Mutant("resume_serialization", TakesStateApart, (), RESUMES),
    Mutant("resume_serialization", NumbersItsRanks, (), RESUMES),
    Mutant("resume_length", DeclaresWholeEpoch, (), RESUMES),
    Mutant("resume_length", StaysShort, ("B222",), RESUMES),
    Mutant("resume_iterators", SharesCounter, (), RESUMES),
    Mutant("resume_iterators", GoesOnUnasked, ("B225",), RESUMES),
    Mutant("resume_mismatch", TrustsState, (), RESUMES),
    Mutant("resume_mismatch", ComparesLengths, (), RESUMES),
)
