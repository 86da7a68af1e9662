"""What a finished run says, for the terminal: medians in tables, and what has no value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from distsampler.quantities import quantity
from distsampler.results import METRICS, PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

# Each metric that is shown, and the parameter that its table spreads over columns.
SPREAD: dict[str, str] = {
    "first_index": "dataset_length",
    "per_index": "dataset_length",
    "peak_memory": "dataset_length",
    "throughput": "sampler",
}


def tables(frame: pd.DataFrame) -> Iterator[Table]:
    """Yield one table of medians per metric, a row for each combination of the parameters that vary in it."""
    for metric, spread in SPREAD.items():
        rows = frame[(frame["metric"] == metric) & (frame["status"] == "ok")]
        if not rows.empty:
            yield _table(rows, metric, spread)


def _table(rows: pd.DataFrame, metric: str, spread: str) -> Table:
    varying = [name for name in PARAMETERS if name != spread and len(set(rows[name])) > 1] or ["workload"]
    medians = rows.pivot_table(index=varying, columns=spread, values="value", aggfunc="median", sort=False)
    unit, meaning = METRICS[metric]
    table = Table(title=f"{metric}, median: {meaning}", title_justify="left")
    for name in varying:
        table.add_column(
            name.replace("_", " "), overflow="fold", min_width=len(max(rows[name], key=len)) // 3
        )
    for value in medians.columns:
        table.add_column(_short(value), justify="right", no_wrap=value.isdecimal(), overflow="fold")
    for row in medians.reset_index().itertuples(index=False):
        labels, values = row[: len(varying)], row[len(varying) :]
        table.add_row(*labels, *("" if value != value else quantity(value, unit) for value in values))  # noqa: PLR0124
    return table


def _short(value: str) -> str:
    """Return a power of ten from 1,000 on as such, any other value as it is."""
    is_power = value.startswith("1000") and not value.strip("0").strip("1")
    return f"10^{len(value) - 1}" if is_power else value


def counts(frame: pd.DataFrame) -> str:
    """Return how many rows have each status, such as `120 rows ok, 3 rows skipped`."""
    return ", ".join(f"{count} rows {status}" for status, count in frame["status"].value_counts().items())


def failures(frame: pd.DataFrame) -> list[str]:
    """Return a line for each row with status `error` or `timeout`: which measurement, and why."""
    failed = frame[frame["status"].isin(["error", "timeout"])]
    return [
        f"{row['status']}: {' '.join(filter(None, (row[name] for name in PARAMETERS)))}: {row['error']}"
        for row in failed.to_dict("records")
    ]
