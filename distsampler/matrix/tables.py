"""The matrix as Markdown: a table of signs, what is behind them, and which samplers they are about.

Everything is taken from the rows, in their order, so that reading a matrix needs no torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from distsampler.documents.document import Table
from distsampler.matrix.rows import read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from distsampler.check.row import Row

SIGNS = {"pass": "✓", "known": "✗", "fail": "✗", "n/a": "·"}
UNKNOWN = "?"


def parts(path: Path) -> dict[str, Callable[[], str]]:
    """Return what makes each generated part of a Markdown file from the matrix in `path`, by its name."""
    return {
        "matrix": lambda: matrix_table(read(path)),
        "matrix-samplers": lambda: samplers_table(read(path)),
        "matrix-broken": lambda: broken_table(read(path)),
    }


def matrix_table(rows: Sequence[Row]) -> str:
    """Return a row for every sampler, with a sign for every property: ✓ kept, ✗ broken, · not offered."""
    signs = {(row.subject, row.property): SIGNS.get(row.verdict, UNKNOWN) for row in rows}
    names = list(dict.fromkeys(row.property for row in rows))
    lines = [
        (f"`{subject}`", *(signs.get((subject, name), UNKNOWN) for name in names))
        for subject in _subjects(rows)
    ]
    return f"{Table(('sampler', *(name.replace('_', ' ') for name in names)), lines)}\n"


def broken_table(rows: Sequence[Row]) -> str:
    """Return what is broken, with the counterexample and the reason."""
    lines = [
        (
            f"`{row.subject}`",
            row.property.replace("_", " "),
            f"`{row.counterexample}`" if row.counterexample else "",
            f"{row.reason} ([report]({row.url}))" if row.url else row.reason,
        )
        for row in rows
        if row.verdict not in ("pass", "n/a")
    ]
    return f"{Table(('sampler', 'property', 'case', 'reason'), lines)}\n"


def samplers_table(rows: Sequence[Row]) -> str:
    """Return the samplers with their versions, and how many properties each keeps and breaks, core and all.

    What a sampler does not offer counts neither way.
    """
    lines = []
    for subject in _subjects(rows):
        mine = [row for row in rows if row.subject == subject]
        core = [row for row in mine if row.tier == "core"]
        counts = [
            _count(some, *verdicts) for some in (core, mine) for verdicts in (("pass",), ("known", "fail"))
        ]
        lines.append((f"`{subject}`", mine[0].version, *map(str, counts)))
    header = ("sampler", "version", "core kept", "core broken", "kept", "broken")
    return f"{Table(header, lines, header[2:])}\n"


def _subjects(rows: Sequence[Row]) -> list[str]:
    return list(dict.fromkeys(row.subject for row in rows))


def _count(rows: Sequence[Row], *verdicts: str) -> int:
    return sum(row.verdict in verdicts for row in rows)
