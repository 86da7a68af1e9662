"""The files that scripts are written to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from distsampler.check.report import Report


def scripts(report: Report, path: Path) -> dict[Path, str]:
    """Return the script of each violation by its file: `path`, then others named after their property."""
    rows = [row for row in report.broken() if row.script]
    paths = [path, *(path.with_stem(f"{path.stem}-{row.property}") for row in rows[1:])]
    return {path: row.script for path, row in zip(paths, rows, strict=False)}
