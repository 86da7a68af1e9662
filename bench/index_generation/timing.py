"""Times cells with the pytest-benchmark tests of this folder, in a process of their own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.index_generation.outcome import Outcome
from bench.index_generation.process import measuring
from bench.index_generation.worker import run_tests

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bench.index_generation.samplers import Cell

METRICS = ("first_index", "epoch")
_TESTS = Path(__file__).with_name("test_index_generation.py")


def measure(cells: Iterable[Cell], table: str, seconds: float) -> Iterator[Outcome]:
    """Yield the outcome of every timed metric in every cell; one that takes longer than `seconds` is ended.

    A test that crashes or has to be ended takes its process with it; a new one goes on with the rest.
    """
    waiting = {
        f"test_{metric}[{cell}]": (cell, metric)
        for cell in cells
        for metric in METRICS
        if metric in cell.candidate.metrics
    }
    while waiting:
        for name, outcome in _outcomes(list(waiting), table, seconds):
            # What concerns no single test concerns all that are left.
            for test in [name] if name else list(waiting):
                yield Outcome(*waiting.pop(test), **outcome)


def _outcomes(tests: list[str], table: str, seconds: float) -> Iterator[tuple[str, dict[str, Any]]]:
    """Run tests in one process while it lasts, and yield the name and the outcome of each."""
    arguments = [f"--samplers={table}", *(f"{_TESTS}::{test}" for test in tests)]
    running = ""
    with measuring("spawn", run_tests, arguments) as worker:
        try:
            while True:
                name, outcome = worker.receive(seconds if running else None)
                running = "" if outcome else name
                if outcome:
                    yield name, outcome
                if not name:
                    return
                worker.answer()
        except TimeoutError as error:
            yield running, {"status": "timeout", "error": str(error)}
        except EOFError as error:
            yield running, {"status": "error", "error": str(error)}
