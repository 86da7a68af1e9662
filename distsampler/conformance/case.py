"""One sampling problem, and the dataset that goes with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distsampler.sampling.partition import Remainder


@dataclass(frozen=True, slots=True)
class Case:
    """One sampling problem: a dataset of `length` samples, split over `num_replicas` ranks, in `epochs`."""

    length: int
    num_replicas: int
    shuffle: bool = True
    seed: int = 0
    remainder: Remainder = "pad"
    epochs: tuple[int, ...] = (0, 1)

    @property
    def size(self) -> tuple[int, int, int, bool, int]:
        """Sort key: what a reader finds simpler comes first."""
        return (self.length, self.num_replicas, len(self.epochs), self.shuffle, self.seed + max(self.epochs))

    def __str__(self) -> str:
        epochs = f"epoch {self.epochs[0]}" if len(self.epochs) == 1 else f"epochs {list(self.epochs)}"
        return (
            f"length={self.length} num_replicas={self.num_replicas} shuffle={self.shuffle} "
            f"seed={self.seed} remainder={self.remainder} {epochs}"
        )


@dataclass(slots=True)
class LengthOnly:
    """A map-style dataset of any length that holds nothing and counts how often a sample was read."""

    length: int
    reads: int = 0

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, index: int) -> int:
        if not 0 <= index < self.length:
            raise IndexError(f"index is {index}, expected a value in [0, {self.length})")
        self.reads += 1
        return index
