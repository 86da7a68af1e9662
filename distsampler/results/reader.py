"""Reading a results CSV back: every row is checked, and a fault is named with its file and line."""

from __future__ import annotations

import csv
import io
import math
import re
from typing import TYPE_CHECKING

from distsampler.results.schema import METRICS, NAMES, STATUSES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pandas as pd

_NUMBER = re.compile(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")
# 18 digits always fit into an int64.
_WHOLE_OR_EMPTY = re.compile(r"[0-9]{0,18}")
_WHOLE_COLUMNS = (
    "dataset_length",
    "num_replicas",
    "processes",
    "batch_size",
    "workers",
    "round",
    "draws",
)
_MEASURE_AGAIN = "measure again with `nox -s bench`"


class ResultsError(ValueError):
    """A file cannot be used as a results CSV; the message is one sentence for the reader."""


def read(path: Path) -> pd.DataFrame:
    """Return the rows of a results CSV: `value`, `round` and `draws` as numbers, all else as text.

    A parameter that does not apply is the empty string, a missing number is NA. The file's columns may stand
    in any order; the frame has them in the order of `COLUMNS`. Raises ResultsError, in one sentence, for a
    file that is missing, no CSV, truncated, or holds other columns or impossible values.
    """
    import pandas as pd

    rows = list(_rows(path, _text(path)))
    if not rows:
        raise ResultsError(
            f"{path}: has a header and no rows, expected at least one measurement; "
            f"its run ended before the first one, so {_MEASURE_AGAIN}"
        )
    frame = pd.DataFrame(rows, columns=list(NAMES))
    frame["value"] = [float(text or "nan") for text in frame["value"]]
    for name in ("round", "draws"):
        frame[name] = pd.array([int(text) if text else None for text in frame[name]], dtype="Int64")
    return frame


def _text(path: Path) -> str:
    """Return the file's text, without the byte order mark that spreadsheets write."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ResultsError(
            f"{path}: cannot be read ({error.strerror}), expected a results CSV; check the path"
        ) from error
    if not content:
        raise ResultsError(f"{path}: is empty, expected a results CSV; {_MEASURE_AGAIN}")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ResultsError(
            f"{path}, line {line}: byte 0x{content[error.start]:02x} is no UTF-8 text, "
            "expected a results CSV; check the path, or save the file as UTF-8"
        ) from error


def _rows(path: Path, text: str) -> Iterator[list[str]]:
    """Yield the fields of each row in the order of `NAMES`, each row checked."""
    numbered = _numbered_fields(path, text)
    _, header = next(numbered, (1, []))
    _check_header(f"{path}, line 1", header)
    if not text.endswith("\n"):
        last = text.count("\n") + 1
        raise ResultsError(
            f"{path}, line {last}: does not end with a newline, expected one after every row; "
            f"the file was cut off there, so delete that line or {_MEASURE_AGAIN}"
        )
    order = [header.index(name) for name in NAMES]
    for line, fields in numbered:
        where = f"{path}, line {line}"
        if len(fields) != len(header):
            raise ResultsError(
                f"{where}: has {len(fields)} fields, expected {len(header)} as in the header; "
                f"delete that line or {_MEASURE_AGAIN}"
            )
        row = [fields[position] for position in order]
        _check_row(where, dict(zip(NAMES, row, strict=True)))
        yield row


def _numbered_fields(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each record's fields with the line that it starts on; quoted fields may span lines."""
    records = csv.reader(io.StringIO(text, newline=""), strict=True)
    while True:
        line = records.line_num + 1
        try:
            fields = next(records)
        except StopIteration:
            return
        except csv.Error as error:
            raise ResultsError(
                f"{path}, line {line}: is no valid CSV ({error}), expected rows as the benchmark "
                f"writes them; correct that line or {_MEASURE_AGAIN}"
            ) from error
        yield line, fields


def _check_header(where: str, header: list[str]) -> None:
    missing = [name for name in NAMES if name not in header]
    unknown = [name for name in header if name not in NAMES]
    repeated = sorted({name for name in header if header.count(name) > 1 and name in NAMES})
    if len(missing) == len(NAMES):
        raise ResultsError(
            f"{where}: is {_shortened(','.join(header))}, expected the header of a results CSV "
            f"({','.join(NAMES[:3])},...); check the path"
        )
    groups = (("missing", missing), ("unknown", unknown), ("repeated", repeated))
    faults = [f"{word}: {_shortened(', '.join(names))}" for word, names in groups if names]
    if faults:
        raise ResultsError(
            f"{where}: has other columns ({'; '.join(faults)}), expected the {len(NAMES)} of a "
            f"results CSV; {_MEASURE_AGAIN} of this version"
        )


def _check_row(where: str, row: dict[str, str]) -> None:
    for name, expected in _faults(row):
        raise ResultsError(
            f"{where}: {name} is {_shortened(row[name])}, expected {expected}; "
            f"correct that line or {_MEASURE_AGAIN}"
        )


def _faults(row: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the name of each column with an impossible value, and what it should hold."""
    for name in _WHOLE_COLUMNS:
        if not _WHOLE_OR_EMPTY.fullmatch(row[name]):
            yield name, "a whole number of at most 18 digits, or nothing"
    if row["metric"] not in METRICS:
        yield "metric", f"one of {', '.join(METRICS)}"
    elif row["unit"] != METRICS[row["metric"]][0]:
        yield "unit", f"{METRICS[row['metric']][0]!r}, the unit of {row['metric']}"
    if row["status"] not in STATUSES:
        yield "status", f"one of {', '.join(STATUSES)}"
    elif row["status"] == "ok" and not _is_measurement(row["value"]):
        yield "value", "a finite number of at least 0, because status is ok"
    elif row["status"] != "ok" and row["value"]:
        yield "value", f"nothing, because status is {row['status']}"


def _is_measurement(text: str) -> bool:
    return _NUMBER.fullmatch(text) is not None and math.isfinite(float(text))


def _shortened(text: str, length: int = 60) -> str:
    return repr(text if len(text) <= length else f"{text[:length]}...")
