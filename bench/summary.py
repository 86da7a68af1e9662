"""What a finished run says, for the terminal: medians in tables, and what has no value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distsampler.results import PARAMETERS
from distsampler.results.report import index_generation, training

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pandas as pd

    from distsampler.documents.document import Block


def blocks(frame: pd.DataFrame) -> Iterator[Block]:
    """Yield the medians of what was measured, a table for each benchmark."""
    measured = set(frame["benchmark"])
    if "index_generation" in measured:
        yield "Index generation, medians:"
        yield index_generation(frame)
    if "training" in measured:
        yield "Training, medians; last loss and accuracy:"
        yield from training(frame)


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
