"""Appending measurements to a results CSV, each on disk before the next one starts."""

from __future__ import annotations

import csv
import datetime as dt
import math
import os
from typing import TYPE_CHECKING, Any

from distsampler.results.schema import NAMES, STATUSES

if TYPE_CHECKING:
    from pathlib import Path


class ResultsWriter:
    """Appends rows of one run to a results CSV, each flushed to disk before `write` returns.

    Raises FileExistsError if `path` exists: a run never mixes with another.
    """

    def __init__(self, path: Path, environment: dict[str, str]) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._environment = environment
        self._file = path.open("x", newline="", encoding="utf-8")
        self._csv = csv.DictWriter(self._file, NAMES)
        self._csv.writeheader()
        self._sync()

    def write(self, **values: Any) -> None:
        """Write one row: the given parameter and measurement columns, the environment and the time.

        Raises ValueError for an unknown column, a status that does not fit the value, or a value that is
        not finite and at least 0.
        """
        row = {"status": "ok", **self._environment, "time_utc": _utc_now(), **values}
        unknown = sorted(set(row) - set(NAMES))
        if unknown:
            raise ValueError(f"unknown results columns {unknown}, expected some of {list(NAMES)}")
        if row["status"] not in STATUSES:
            raise ValueError(f"status is {row['status']!r}, expected one of {STATUSES}")
        measured = row.get("value") not in (None, "")
        if measured != (row["status"] == "ok"):
            raise ValueError(f"status is {row['status']!r} with value {row.get('value')!r}; only ok has one")
        if measured and not (math.isfinite(row["value"]) and row["value"] >= 0):
            raise ValueError(f"value is {row['value']!r}, expected a finite number of at least 0")
        self._csv.writerow(row)
        self._sync()

    def close(self) -> None:
        """Close the file; every row is on disk already."""
        self._file.close()

    def _sync(self) -> None:
        self._file.flush()
        os.fsync(self._file.fileno())


def _utc_now() -> str:
    return dt.datetime.now(dt.timezone.utc).isoformat(timespec="milliseconds")
