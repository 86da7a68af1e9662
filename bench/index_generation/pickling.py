"""How large a pickled sampler is, which is what a spawned worker is sent."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

from bench.index_generation.outcome import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bench.index_generation.samplers import Cell

METRIC = "pickled_size"


def measure(cells: Iterable[Cell]) -> Iterator[Outcome]:
    """Yield the pickled size of every cell's sampler in the middle of an epoch, its source aside."""
    for cell in cells:
        if METRIC not in cell.candidate.metrics:
            continue
        source = cell.prepare()
        try:
            sampler = cell.build(source)
            next(iter(sampler))
            size = len(pickle.dumps(sampler)) - len(pickle.dumps(source))
        except Exception as error:  # noqa: BLE001  (becomes a row of the results)
            yield Outcome(cell, METRIC, status="error", error=f"{type(error).__name__}: {error}")
        else:
            yield Outcome(cell, METRIC, values=(max(0, size),), draws=1)
