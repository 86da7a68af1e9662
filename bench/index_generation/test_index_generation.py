"""Times index generation with pytest-benchmark, a new sampler in every round.

The collector is off while a round is timed: indices are integers, which it does not track, so all it would
add are the pauses that the other objects of this process cause.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_benchmark.fixture import BenchmarkFixture

    from bench.index_generation.samplers import Cell

pytestmark = pytest.mark.benchmark(disable_gc=True)


def test_first_index(benchmark: BenchmarkFixture, cell: Cell) -> None:
    """Construction of a sampler up to the first index of its epoch."""

    def first_index(source: Any, kept: list[Any]) -> None:
        iterator = iter(cell.build(source))
        next(iterator)
        kept.append(iterator)

    first_index(cell.prepare(), [])
    _time(benchmark, cell, first_index, draws=1)


def test_epoch(benchmark: BenchmarkFixture, cell: Cell) -> None:
    """Construction of a sampler up to the last index of its epoch."""

    def epoch(source: Any, _: list[Any]) -> None:
        deque(cell.build(source), maxlen=0)

    draws = cell.count_draws(cell.prepare())
    assert draws > 0, f"{cell} drew no index, expected at least 1; leave out the cell"
    _time(benchmark, cell, epoch, draws)


def _time(benchmark: BenchmarkFixture, cell: Cell, target: Callable[..., None], draws: int) -> None:
    """Time `target(source, kept)`; what it keeps is freed after the round, outside the measured time."""
    benchmark.group = f"{target.__name__}, length {cell.dataset_length}, {cell.num_replicas} replicas"
    benchmark.extra_info["draws"] = draws
    benchmark.pedantic(
        target,
        setup=lambda: ((cell.prepare(), []), {}),
        teardown=lambda _, kept: kept.clear(),
        rounds=_rounds(cell.dataset_length),
        iterations=1,
    )


def _rounds(dataset_length: int) -> int:
    """Return more rounds for short epochs, which cost little and scatter more."""
    return max(3, min(20, 5 * 10**6 // dataset_length))
