"""Runs the index-generation benchmark: every cell, timed and then measured for memory, into a results CSV."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench.index_generation import memory, pickling, samplers, timing

if TYPE_CHECKING:
    from rich.console import Console

    from distsampler.results import ResultsWriter

CELL_SECONDS = 120.0


def run(
    writer: ResultsWriter,
    *,
    smoke: bool,
    console: Console,
    table: str = samplers.TABLE,
    cell_seconds: float = CELL_SECONDS,
) -> None:
    """Measure every cell of a table of candidates, and write its rows as soon as they are known.

    A measurement that raises, crashes or takes longer than `cell_seconds` is a row that says so.
    """
    cells = samplers.cells(table, smoke=smoke)
    outcomes = chain(
        timing.measure(cells, table, cell_seconds),
        memory.measure(cells, table, cell_seconds),
        pickling.measure(cells),
    )
    columns = (
        TextColumn("index generation"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    # Seldom, since drawing takes time from what is measured.
    with Progress(*columns, console=console, refresh_per_second=2) as progress:
        task = progress.add_task("", total=sum(len(cell.candidate.metrics) for cell in cells))
        for outcome in outcomes:
            for row in outcome.rows():
                writer.write(**row)
            progress.update(task, advance=1, description=f"{outcome.metric} {outcome.cell}")
