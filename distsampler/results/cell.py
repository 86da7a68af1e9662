"""A cell: one combination of the parameter columns, and what the rows of one results file say of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from distsampler.results import PARAMETERS

if TYPE_CHECKING:
    import pandas as pd

Key = tuple[str, ...]

_TAIL = 0.2
_SEVERITY = ("ok", "skipped", "timeout", "error")


@dataclass(frozen=True, slots=True)
class Cell:
    """The rows of one cell in one file, in numbers; they are NaN if no round was `ok`.

    `low` and `high` are the range of the rounds without a fifth of them at either end, which may be outliers;
    of five rounds or fewer, none is left out. `status` is the worst of the rows, `error` the reason for it.
    """

    status: str
    error: str
    rounds: int
    draws: float
    median: float
    low: float
    high: float

    @property
    def spread(self) -> float:
        """Width of `low` to `high` as a share of the median; NaN for a single round, which has none."""
        if self.rounds <= 1:
            return math.nan
        return quotient(self.high - self.low, self.median) if self.high > self.low else 0.0


def cells(frame: pd.DataFrame) -> dict[Key, Cell]:
    """Return the cells of a frame from `results.read`, by their values of PARAMETERS, in natural order."""
    import pandas as pd

    ok = frame["status"] == "ok"
    severity = frame["status"].map(_SEVERITY.index)
    grouped = frame.assign(severity=severity, draws=frame["draws"].where(ok)).groupby(list(PARAMETERS))
    value = grouped["value"]
    summary = pd.DataFrame(
        {
            "status": grouped["severity"].max().map(lambda rank: _SEVERITY[rank]),
            "error": grouped["error"].max(),
            "rounds": value.count(),
            "draws": grouped["draws"].median().astype("float64"),
            "median": value.median(),
            "low": value.quantile(_TAIL, interpolation="lower"),
            "high": value.quantile(1 - _TAIL, interpolation="higher"),
        }
    )
    found = {key: Cell(*row) for key, *row in summary.itertuples(name=None)}
    return {key: found[key] for key in sorted(found, key=_natural)}


def named(key: Key) -> dict[str, str]:
    """Return a cell's parameters by their names."""
    return dict(zip(PARAMETERS, key, strict=True))


def quotient(numerator: float, denominator: float) -> float:
    """Return numerator / denominator, where 0 / 0 is 1 and anything else / 0 infinite."""
    if numerator == denominator:
        return 1.0
    return numerator / denominator if denominator else math.inf


def _natural(key: Key) -> list[str]:
    """Return a sort key that puts 1000 before 20000."""
    return [text.zfill(18) if text.isdigit() else text for text in key]
