"""Wrong passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distsampler.conformance.designs import Strided
from distsampler.conformance.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator


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


MUTANTS = (
    Mutant("no_crash", PadsOnce),
    Mutant("length", DeclaresDataset),
    Mutant("index_type", YieldsFloats),
    Mutant("bounds", CountsFromOne),
)
