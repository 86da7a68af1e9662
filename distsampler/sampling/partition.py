"""Who draws which positions of an epoch: pad, drop or uneven. Plain arithmetic, nothing of size N.

An epoch is a sequence of `length` positions, shuffled or not. The ranks take turns: rank `r` of `R` draws
the positions `start + r`, `start + r + R`, and so on, where `start` positions were delivered before. So the
first positions are drawn first on every rank, and what is left after any step can be split anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

if TYPE_CHECKING:
    from distsampler.sampling.permutation import Indices

Remainder = Literal["pad", "drop", "uneven"]


@dataclass(frozen=True, slots=True)
class Partition:
    """One rank's share of the positions `[start, length)` of an epoch.

    `pad` continues past the end with the epoch's first positions, in order and around again, until every
    rank has as many; `drop` leaves out the last `(length - start) % num_replicas`; `uneven` does neither.
    Raises ValueError unless `0 <= rank < num_replicas` and `0 <= start <= length`.
    """

    length: int
    num_replicas: int
    rank: int
    remainder: Remainder = "pad"
    start: int = 0

    def __post_init__(self) -> None:
        if self.length < 0:
            raise ValueError(f"length is {self.length}, expected 0 or more")
        if self.num_replicas < 1:
            raise ValueError(
                f"num_replicas is {self.num_replicas}, expected 1 or more; a single process is num_replicas=1"
            )
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError(
                f"rank is {self.rank}, expected a value in [0, {self.num_replicas}) "
                f"because num_replicas is {self.num_replicas}; ranks count from 0"
            )
        if self.remainder not in get_args(Remainder):
            raise ValueError(f"remainder is {self.remainder!r}, expected one of {get_args(Remainder)}")
        if not 0 <= self.start <= self.length:
            raise ValueError(f"start is {self.start}, expected a value in [0, {self.length}]")

    @property
    def num_samples(self) -> int:
        """How many positions this rank draws, padding included."""
        left = self.length - self.start
        if self.remainder == "pad":
            return -(-left // self.num_replicas)
        if self.remainder == "drop":
            return left // self.num_replicas
        return self._turns(left)

    @property
    def total_size(self) -> int:
        """How many positions all ranks draw together, padding included."""
        left = self.length - self.start
        if self.remainder == "uneven":
            return left
        return self.num_samples * self.num_replicas

    @property
    def valid_length(self) -> int:
        """How many of this rank's positions are not padding; they come first."""
        return min(self._turns(self.length - self.start), self.num_samples)

    def positions(self) -> range:
        """Return the positions that this rank draws; those from `length` on are padding, modulo `length`."""
        first = self.start + self.rank
        return range(first, first + self.num_samples * self.num_replicas, self.num_replicas)

    def delivered(self, count: int) -> int:
        """Return how many of the epoch's positions are done when every rank has drawn `count` of its own.

        All of them once this rank knows that no rank has any left. A rank whose turn comes last in an uneven
        split does not know whether the others have drawn their last one, and does not count those.
        """
        if self.remainder == "drop" and 0 < count == self.num_samples:
            return self.length
        return min(self.length, self.start + count * self.num_replicas)

    def places(self, positions: Indices) -> tuple[Indices, Indices]:
        """Return the ranks that draw `positions` and how many each draws before, -1 where none does."""
        turns = positions - self.start
        last = self.start + (self.total_size if self.remainder == "drop" else self.length - self.start)
        drawn = (turns >= 0) & (positions < last)
        return np.where(drawn, turns % self.num_replicas, -1), np.where(drawn, turns // self.num_replicas, -1)

    def _turns(self, left: int) -> int:
        """How often this rank's turn comes when `left` positions are dealt out one by one."""
        return max(0, -(-(left - self.rank) // self.num_replicas))
