"""Samplers whose passes get into each other's way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distsampler.conformance.designs import Strided
from distsampler.conformance.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case, LengthOnly


class ShufflesOn(Strided):
    """Shuffles the order of the pass before instead of the dataset's."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        super().__init__(dataset, case, rank)
        self.kept = list(range(len(dataset)))

    def order(self) -> list[int]:
        if self.case.shuffle:
            self.generator().shuffle(self.kept)
        return list(self.kept)


class AddsEpochs(Strided):
    """Goes on by so many epochs when it is told an epoch."""

    def set_epoch(self, epoch: int) -> None:
        super().set_epoch(self.epoch + epoch)


class MeasuresInPlace(Strided):
    """Runs through a pass to know its length, and goes on to the next epoch at its end."""

    def __len__(self) -> int:
        length = len(list(super().__iter__()))
        self.epoch += 1
        return length


class OnePosition(Strided):
    """Has one position for all its iterators, which outlives a pass that was broken off."""

    position = 0

    def __iter__(self) -> Iterator[int]:
        mine = self.mine(self.even(self.order()))
        while self.position < len(mine):
            self.position += 1
            yield mine[self.position - 1]
        self.position = 0


class LooksUpEpoch(Strided):
    """Looks the epoch up at every index, so that a pass goes on in the order of another epoch."""

    def __iter__(self) -> Iterator[int]:
        for position in range(len(self)):
            yield self.mine(self.even(self.order()))[position]


MUTANTS = (
    Mutant("epoch_history", ShufflesOn, ("B139",)),
    Mutant("epoch_history", AddsEpochs, ("B217",)),
    Mutant("epoch_history", MeasuresInPlace, ("B236",)),
    Mutant("iterator_independence", OnePosition, ("B225", "B255")),
    Mutant("iterator_independence", LooksUpEpoch),
)
