"""What one rank drew in some situation, beside what it has to draw there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from distsampler.conformance.violation import Violation, listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from distsampler.conformance.trace import Draws, Trace


@dataclass(frozen=True, slots=True)
class Comparison:
    """A pass, and the passes of which it has to be one; `situation` ends a sentence about where."""

    situation: str
    epoch: int
    rank: int
    got: Draws
    expected: tuple[Draws, ...]

    @property
    def holds(self) -> bool:
        """Whether the pass is one of those expected."""
        return _essence(self.got) in map(_essence, self.expected)


def compared(situation: str, got: Trace, expected: Trace) -> Iterator[Comparison]:
    """Yield every pass of `got` beside the same pass of `expected`."""
    for (epoch, rank, drawn), (_, _, right) in zip(got.passes(), expected.passes(), strict=True):
        yield Comparison(situation, epoch, rank, drawn, (right,))


def in_turn(
    situation: str, rank: int, epochs: Sequence[int], got: Iterable[Draws], expected: Iterable[Draws]
) -> list[Comparison]:
    """Return the passes of one rank over `epochs` beside those expected."""
    return [
        Comparison(situation, epoch, rank, drawn, (right,))
        for epoch, drawn, right in zip(epochs, got, expected, strict=True)
    ]


def differences(comparisons: Iterable[Comparison]) -> Iterator[Violation]:
    """Yield the first pass that is none of those expected, in words."""
    for comparison in comparisons:
        if not comparison.holds:
            got, (expected, *others) = comparison.got, comparison.expected
            drawn = f"it fails with {got.error}" if got.error else f"it is {listed(got.indices)}"
            alternatives = "".join(f" or {listed(other.indices)}" for other in others)
            yield Violation(
                f"epoch {comparison.epoch}, rank {comparison.rank}: {comparison.situation} {drawn}, "
                f"expected {listed(expected.indices)}{alternatives}",
                comparison.epoch,
                comparison.rank,
                got.error or got.indices,
                expected.indices,
            )
            return


def _essence(draws: Draws) -> tuple[tuple[Any, ...], str]:
    return draws.indices, draws.error
