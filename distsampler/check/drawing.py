"""What each rank drew, as text: a line per rank, a column per position."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance import Case, Draws, Trace

_LARGEST_LENGTH = 32
_MOST_REPLICAS = 8
_MOST_EPOCHS = 3
_WIDEST = 14


def is_drawable(case: Case) -> bool:
    """Say whether the case is small enough to be taken in at a glance."""
    is_short = case.length <= _LARGEST_LENGTH and len(case.epochs) <= _MOST_EPOCHS
    return is_short and case.num_replicas <= _MOST_REPLICAS


def drawing(trace: Trace) -> str:
    """Return every epoch's indices; those drawn before in the epoch are in brackets, as padding is."""
    lines: list[str] = []
    for epoch, ranks in trace.by_epoch():
        lines += [f"epoch {epoch}", *(f"  {line}" for line in _rank_lines(ranks))]
        drawn = {str(index) for draws in ranks for index in draws.indices}
        missing = [str(index) for index in range(trace.case.length) if str(index) not in drawn]
        if missing:
            lines.append(f"  drawn by no rank: {' '.join(missing)}")
    return "\n".join(lines)


def _rank_lines(ranks: tuple[Draws, ...]) -> Iterator[str]:
    cells = _cells(ranks)
    width = max((len(cell) for line in cells for cell in line), default=0)
    for rank, (draws, line) in enumerate(zip(ranks, cells, strict=True)):
        shown = "".join(f" {cell:>{width}}" for cell in line[:_WIDEST])
        more = f" … {len(line)} in all" if len(line) > _WIDEST else ""
        told = f" {draws.error}" if draws.error else "" if line else " nothing"
        yield f"rank {rank}:{shown}{more}{told}".rstrip()


def _cells(ranks: tuple[Draws, ...]) -> list[list[str]]:
    """Return each rank's indices as text; positions that are drawn at the same time are compared in turn."""
    seen: set[str] = set()
    cells: list[list[str]] = [[] for _ in ranks]
    for position in range(max((len(draws.indices) for draws in ranks), default=0)):
        for rank, draws in enumerate(ranks):
            if position < len(draws.indices):
                index = str(draws.indices[position])
                cells[rank].append(f"({index})" if index in seen else f" {index} ")
                seen.add(index)
    return cells
