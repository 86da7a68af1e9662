"""Wrong passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from distsampler.conformance.designs import Keyed, Strided
from distsampler.conformance.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.designs.keyed import Numbers


class PadsOnce(Strided):
    """Slices the padding from the head once, which is too short when ranks outnumber samples twice."""

    def even(self, order: list[int]) -> list[int]:
        if self.case.remainder != "pad":
            return super().even(order)
        total = -(-len(order) // self.case.num_replicas) * self.case.num_replicas
        padded = order + order[: total - len(order)]
        assert len(padded) == total, "too few indices to pad with"
        return padded


class DeclaresDataset(Strided):
    """Declares the dataset's length, not the rank's."""

    def __len__(self) -> int:
        return len(self.dataset)


class YieldsFloats(Strided):
    """Yields floating point numbers, as a division would."""

    def __iter__(self) -> Iterator[Any]:
        return map(float, super().__iter__())


class CountsFromOne(Strided):
    """Counts samples from one."""

    def order(self) -> list[int]:
        return [index + 1 for index in super().order()]


class SeedsOf32Bits(Strided):
    """Seeds a generator that takes 32 bits with all that the seed and the epoch have."""

    def generator(self) -> np.random.Generator:
        bits = np.random.RandomState(self.case.seed + self.epoch)
        return np.random.default_rng(bits.randint(2**31))


class CountsWith32Bits(Keyed):
    """Counts positions with 32 bits."""

    def indices(self, places: Numbers, length: int, key: tuple[int, ...]) -> Numbers:
        wrapped: Numbers = super().indices(places, length, key).astype(np.int32)
        return wrapped


MUTANTS = (
    Mutant("no_crash", PadsOnce, ("B009", "B010", "B012", "B250")),
    Mutant("no_crash", SeedsOf32Bits, ("B196",)),
    Mutant("length", DeclaresDataset),
    Mutant("index_type", YieldsFloats),
    Mutant("bounds", CountsFromOne, ("B103",)),
    Mutant("bounds", CountsWith32Bits, ("B194",)),
)
