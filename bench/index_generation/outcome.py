"""What became of one measurement, and the rows of the results CSV that say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from distsampler.results import METRICS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bench.index_generation.samplers import Cell


@dataclass(frozen=True, slots=True)
class Outcome:
    """The values of one metric in one cell, one per round, or the reason why there are none."""

    cell: Cell
    metric: str
    values: tuple[float, ...] = ()
    draws: int = 0
    status: str = "ok"
    error: str = ""
    note: str = ""

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row per round, or the one that says why there is none; an epoch gives `per_index`, too."""
        yield from self._rows(self.metric, self.values)
        if self.metric == "epoch":
            yield from self._rows("per_index", [value / self.draws for value in self.values])

    def _rows(self, metric: str, values: Iterable[float]) -> Iterator[dict[str, Any]]:
        row = {
            "benchmark": "index_generation",
            "workload": "indices",
            "sampler": self.cell.candidate.name,
            "dataset_length": self.cell.dataset_length,
            "num_replicas": self.cell.num_replicas,
            "device": "cpu",
            "processes": 1,
            "batch_size": self.cell.candidate.batch_size or "",
            "threads": 1,
            "metric": metric,
            "unit": METRICS[metric][0],
            "note": "; ".join(filter(None, (self.cell.candidate.note, self.note))),
        }
        if self.status != "ok":
            yield {**row, "status": self.status, "error": self.error}
        for number, value in enumerate(values):
            yield {**row, "round": number, "value": value, "draws": self.draws}
