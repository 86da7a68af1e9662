"""From cells to rows of a results CSV: every cell gets its rows, whatever becomes of it."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

import torch
import torch.distributed as dist
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench.training.cells import CELLS, SMOKE, Cell
from bench.training.corpus import source_files, write_corpus
from bench.training.launch import Outcome, command, launch
from bench.training.workloads import WORKLOADS
from distsampler.results import METRICS, ResultsWriter

if TYPE_CHECKING:
    from rich.console import Console

LEAST_FALL = 0.005  # share of the first epoch's loss; untrained, it moves by a quarter of that at most


def run(writer: ResultsWriter, *, smoke: bool, console: Console) -> None:
    """Train every cell and write its rows; a cell that fails is a row, and the rest goes on."""
    cells = SMOKE if smoke else CELLS
    columns = (
        TextColumn("training"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    # Seldom, since drawing takes time from what is measured.
    bars = Progress(*columns, console=console, refresh_per_second=2)
    with tempfile.TemporaryDirectory() as folder, bars as progress:
        task = progress.add_task("reading the standard library's sources", total=len(cells))
        corpus = Path(folder) / "corpus"
        write_corpus(corpus, source_files())
        for cell in cells:
            progress.update(task, description=cell.title)
            rows = measure(cell, corpus)
            for row in rows:
                writer.write(**row)
            progress.console.print(f"{cell.title}: {summary(rows)}", markup=False, soft_wrap=True)
            progress.advance(task)


def measure(cell: Cell, corpus: Path) -> list[dict[str, Any]]:
    """Train one cell and return its rows: its measurements, or one row that says why there are none."""
    columns = cell.columns()
    try:
        columns["dataset_length"] = len(WORKLOADS[cell.workload].datasets(corpus)[0])
    except ValueError as error:  # a Python without its sources leaves no text to train on
        return rows_of(columns, Outcome("error", str(error)))
    if reason := lacking(cell):
        return rows_of(columns, Outcome("skipped", reason))
    return rows_of(columns, judge(launch(command(cell, corpus), cell.timeout_seconds, cell.device)))


def lacking(cell: Cell) -> str:
    """Return what this machine lacks to run `cell`, empty if nothing."""
    if cell.device == "cuda" and not torch.cuda.is_available():
        return "no GPU: torch.cuda.is_available() is False"
    if cell.device == "cuda" and cell.processes > torch.cuda.device_count():
        return f"{cell.processes} processes need as many GPUs, torch sees {torch.cuda.device_count()}"
    if cell.backend and not dist.is_backend_available(cell.backend):
        return f"torch was built without {cell.backend}"
    return ""


def judge(outcome: Outcome) -> Outcome:
    """Turn an outcome whose training loss did not fall into an error: nothing was trained to be timed."""
    if outcome.status != "ok":
        return outcome
    losses = [row["value"] for row in outcome.reports if row["metric"] == "train_loss"]
    if not losses:
        return Outcome("error", "the program ended without a training loss, expected one per epoch")
    if losses[-1] < losses[0] * (1 - LEAST_FALL):
        return outcome
    return Outcome(
        "error",
        f"training loss went from {losses[0]:.6g} in the first epoch to {losses[-1]:.6g} in the last, "
        f"expected a fall by {LEAST_FALL:.1%} or more",
    )


def rows_of(columns: dict[str, Any], outcome: Outcome) -> list[dict[str, Any]]:
    """Return one row per reported measurement, or the one row that says why there are none."""
    if outcome.status == "ok":
        return [{**columns, **row, "unit": METRICS[row["metric"]][0]} for row in outcome.reports]
    unit = METRICS["throughput"][0]
    failure = {"metric": "throughput", "unit": unit, "status": outcome.status, "error": outcome.error}
    return [{**columns, **failure}]


def summary(rows: list[dict[str, Any]]) -> str:
    """Return a cell's rows in a few words, for the terminal."""
    if "status" in rows[0]:
        return f"{rows[0]['status']}, {rows[0]['error']}"
    values = {name: [row["value"] for row in rows if row["metric"] == name] for name in METRICS}
    losses = values["train_loss"]
    return (
        f"{median(values['throughput']):,.0f} samples/s, first batch {median(values['first_batch']):.2g} s, "
        f"loss {losses[0]:.3f} to {losses[-1]:.3f}, accuracy {values['validation_accuracy'][-1]:.3f}"
    )
