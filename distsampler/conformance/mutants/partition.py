"""Wrong partitions."""

from __future__ import annotations

from distsampler.conformance.designs import Strided
from distsampler.conformance.mutants.mutant import Mutant


class LosesLast(Strided):
    """Shuffles all but the last sample."""

    def order(self) -> list[int]:
        return super().order()[: max(1, len(self.dataset) - 1)]


class Overlaps(Strided):
    """Starts every rank's stride one too early, but for the first."""

    def mine(self, order: list[int]) -> list[int]:
        return order[max(0, self.rank - 1) :: self.case.num_replicas]


class LastTakesAll(Strided):
    """Gives the whole remainder to the last rank."""

    def even(self, order: list[int]) -> list[int]:
        return order

    def mine(self, order: list[int]) -> list[int]:
        whole = len(order) // self.case.num_replicas
        stop = None if self.rank == self.case.num_replicas - 1 else (self.rank + 1) * whole
        return order[self.rank * whole : stop]


class PadsWithFirst(Strided):
    """Pads with the first sample only."""

    def even(self, order: list[int]) -> list[int]:
        missing = -len(order) % self.case.num_replicas
        return order + order[:1] * missing if self.case.remainder == "pad" else super().even(order)


class PadsARound(Strided):
    """Pads by a round too many where padding is needed."""

    def even(self, order: list[int]) -> list[int]:
        even = super().even(order)
        return even + even[: self.case.num_replicas] if len(even) > len(order) else even


class CountsWith16Bits(Strided):
    """Keeps its order in numbers of 16 bits."""

    def order(self) -> list[int]:
        return [index & 0xFFFF for index in super().order()]


class SharesWhenLong(Strided):
    """Hands out a long order in blocks, and the first of them to everybody."""

    def mine(self, order: list[int]) -> list[int]:
        is_long = len(order) > 4_000  # noqa: PLR2004
        return order[: len(order) // self.case.num_replicas] if is_long else super().mine(order)


MUTANTS = (
    Mutant("coverage", LosesLast),
    Mutant("coverage", CountsWith16Bits),
    Mutant("disjointness", SharesWhenLong),
    Mutant("disjointness", Overlaps),
    Mutant("equal_lengths", LastTakesAll),
    Mutant("minimal_padding", PadsWithFirst),
    Mutant("minimal_padding", PadsARound),
)
