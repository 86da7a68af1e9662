"""A sampler that computes each index from its position, whatever the size of the dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from distsampler.conformance.designs.strided import Strided

if TYPE_CHECKING:
    from collections.abc import Iterator

Numbers = npt.NDArray[np.uint64]

SHUFFLED_WHOLE = 4_096
AT_ONCE = 1_024
ROUNDS = 48


class Keyed(Strided):
    """Starts in constant time and memory; only a dataset of up to 4,096 samples is shuffled whole."""

    def __iter__(self) -> Iterator[int]:
        """Yield this rank's indices, computed some at a time."""
        length, key = len(self.dataset), self.key()
        positions = self.positions(length)
        for start in range(0, len(positions), AT_ONCE):
            some = positions[start : start + AT_ONCE]
            places = np.arange(some.start, some.stop, some.step, dtype=np.uint64) % np.uint64(length)
            yield from self.indices(places, length, key).tolist()

    def __len__(self) -> int:
        """Return the number of this rank's indices."""
        return len(self.positions(len(self.dataset)))

    def key(self) -> tuple[int, ...]:
        """Return what the epoch's order is a function of."""
        return (self.case.seed, self.epoch)

    def positions(self, length: int) -> range:
        """Return this rank's positions in an epoch; those from `length` on pad."""
        rounds, left = divmod(length, self.case.num_replicas)
        total = {
            "uneven": length,
            "drop": rounds * self.case.num_replicas,
            "pad": (rounds + (left > 0)) * self.case.num_replicas,
        }
        return range(self.rank, total[self.case.remainder], self.case.num_replicas)

    def indices(self, places: Numbers, length: int, key: tuple[int, ...]) -> Numbers:
        """Return the indices at these places of the epoch's order."""
        if not self.case.shuffle:
            return places
        generator = np.random.default_rng(key)
        if length <= SHUFFLED_WHOLE:
            return generator.permutation(length).astype(np.uint64)[places]
        return swap_or_not(places, length, generator)


def swap_or_not(places: Numbers, length: int, generator: np.random.Generator) -> Numbers:
    """Return a permutation of `[0, length)` at `places`, shape (places,), uint64.

    Hoang, Morris and Rogaway, "An enciphering scheme based on a card shuffle", 2012.
    """
    ceiling = np.iinfo(np.uint64).max
    offsets = generator.integers(0, length, ROUNDS, np.uint64)
    salts = generator.integers(0, ceiling, ROUNDS, np.uint64, endpoint=True)
    for offset, salt in zip(offsets, salts, strict=True):
        partners = (offset + np.uint64(length) - places) % np.uint64(length)
        coins = mixed(np.maximum(places, partners) ^ salt) >> np.uint64(63)
        places = np.where(coins == 1, partners, places)
    return places


def mixed(numbers: Numbers) -> Numbers:
    """Return the numbers with their bits mixed, as splitmix64 does it, shape (numbers,), uint64."""
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return numbers ^ (numbers >> np.uint64(31))
