"""The rows of `results/conformance.csv`: written, and read again."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from distsampler.check.row import COLUMNS, Row, as_csv
from distsampler.results import ResultsError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def write(path: Path, rows: Iterable[Row]) -> None:
    """Write the rows as CSV."""
    path.write_text(as_csv(rows), encoding="utf-8", newline="\n")


def read(path: Path) -> list[Row]:
    """Return the rows of a matrix. Raises ResultsError for a file that is none."""
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            table = csv.DictReader(lines)
            header, records = tuple(table.fieldnames or ()), list(table)
    except OSError as error:
        raise ResultsError(f"{path} cannot be read ({error.strerror}); run: nox -s matrix") from error
    if header != COLUMNS:
        raise ResultsError(f"{path} has the columns {', '.join(header)}, expected {', '.join(COLUMNS)}")
    return [_row(*(record[name] for name in COLUMNS)) for record in records]


def _row(
    subject: str,
    version: str,
    prop: str,
    tier: str,
    verdict: str,
    cases: str,
    counterexample: str,
    reason: str,
    url: str,
) -> Row:
    return Row(subject, version, prop, tier, verdict, int(cases), counterexample, reason, url)
