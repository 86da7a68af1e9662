"""Comparing two results: pair the cells that both have, then judge each pair.

The cost of a pair is new / old for times and memory and old / new for rates: above 1 is always worse.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal

from distsampler.results import ENVIRONMENT
from distsampler.results.cell import Cell, cells, named, quotient

if TYPE_CHECKING:
    import pandas as pd

Change = Literal["broken", "worse", "noisy", "better", "same", "differs", "fixed", "unmeasured"]

CHANGES: dict[Change, str] = {
    "broken": "ok in OLD, error or timeout in NEW",
    "worse": "the cost is above 1 + threshold",
    "noisy": "worse or better, but the rounds of OLD and NEW overlap, so it may be chance",
    "better": "worse, had OLD and NEW changed places",
    "same": "within the threshold, or less than 1 MiB of memory apart",
    "differs": "a loss or an accuracy beyond the threshold, where neither direction is a cost",
    "fixed": "error or timeout in OLD, ok in NEW",
    "unmeasured": "any other pair without a value in both, such as skipped for want of a GPU",
}
_FAILS: tuple[Change, ...] = ("broken", "worse")
_COST_SIGN = {"s": 1, "B": 1, "1/s": -1, "1": 0}
# Memory comes in chunks: less than this says more about the allocator than about the sampler.
_RESOLUTION = {"B": 2.0**20}


class CompareError(ValueError):
    """Two results have nothing to judge; the message is one sentence for the reader."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A cell that both files have."""

    parameters: dict[str, str]
    old: Cell
    new: Cell
    threshold: float

    @property
    def ratio(self) -> float:
        """New / old median, NaN unless both are ok; 0 / 0 is 1 and anything else / 0 infinite."""
        return quotient(self.new.median, self.old.median) if self._ok else math.nan

    @property
    def cost(self) -> float:
        """The ratio, turned so that above 1 is worse; NaN for a loss or an accuracy."""
        sign = _COST_SIGN[self.parameters["unit"]]
        if not (sign and self._ok):
            return math.nan
        return self.ratio if sign > 0 else quotient(self.old.median, self.new.median)

    @property
    def change(self) -> Change:
        """What became of the cell, a key of CHANGES."""
        if not self._ok:
            return _status_change(self.old.status, self.new.status)
        unit, old, new = self.parameters["unit"], self.old, self.new
        largest = max(quotient(new.median, old.median), quotient(old.median, new.median))
        if largest <= 1 + self.threshold or abs(new.median - old.median) < _RESOLUTION.get(unit, 0):
            return "same"
        if not _COST_SIGN[unit]:
            return "differs"
        if old.low <= new.high and new.low <= old.high:
            return "noisy"
        return "worse" if self.cost > 1 else "better"

    @property
    def same_work(self) -> bool:
        """Whether both values stand for the same number of drawn indices, as far as that is known."""
        return not self._ok or self.old.draws == self.new.draws or math.isnan(self.old.draws + self.new.draws)

    @property
    def _ok(self) -> bool:
        return self.old.status == self.new.status == "ok"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two results, cell by cell; the pairs are sorted by cost, worst first."""

    pairs: tuple[Pair, ...]
    only_old: tuple[dict[str, str], ...]
    only_new: tuple[dict[str, str], ...]
    environment: dict[str, tuple[str, str]]
    dirty: tuple[str, ...]
    threshold: float

    @property
    def counts(self) -> Counter[Change]:
        """How many pairs there are of each change."""
        return Counter(pair.change for pair in self.pairs)

    @property
    def exit_code(self) -> int:
        """1 if a cell is worse or broken, else 0."""
        return int(any(self.counts[change] for change in _FAILS))


def compare(old: pd.DataFrame, new: pd.DataFrame, threshold: float) -> Comparison:
    """Compare two frames of `results.read`.

    Raises CompareError if they have no cell in common, or none that can be judged.
    """
    olds, news = cells(old), cells(new)
    pairs = [Pair(named(key), olds[key], news[key], threshold) for key in olds if key in news]
    if not pairs:
        raise CompareError(
            f"the two have no cell in common ({len(olds)} in OLD, {len(news)} in NEW), expected the same "
            "parameters in both; compare runs of the same benchmark with the same options"
        )
    if all(math.isnan(pair.cost) and pair.change != "broken" for pair in pairs):
        raise CompareError(
            f"none of the cells in common ({len(pairs)}) has a time, memory or rate that is ok in both, "
            "expected at least one to judge; look at the columns status and error"
        )
    return Comparison(
        tuple(sorted(pairs, key=_badness, reverse=True)),
        tuple(named(key) for key in olds if key not in news),
        tuple(named(key) for key in news if key not in olds),
        _environment_changes(old, new),
        tuple(name for name, frame in (("OLD", old), ("NEW", new)) if (frame["dirty"] == "true").any()),
        threshold,
    )


def tidy(comparison: Comparison) -> pd.DataFrame:
    """Return one row per cell of either file: its parameters, the change, the ratio and both summaries."""
    import pandas as pd

    rows = [
        {
            **pair.parameters,
            "change": pair.change,
            "ratio": pair.ratio,
            "cost": pair.cost,
            **{f"old_{name}": value for name, value in asdict(pair.old).items()},
            **{f"new_{name}": value for name, value in asdict(pair.new).items()},
        }
        for pair in comparison.pairs
    ]
    rows += [{**parameters, "change": "only in OLD"} for parameters in comparison.only_old]
    rows += [{**parameters, "change": "only in NEW"} for parameters in comparison.only_new]
    return pd.DataFrame(rows)


def _status_change(old: str, new: str) -> Change:
    if old == "ok" and new in ("error", "timeout"):
        return "broken"
    return "fixed" if old in ("error", "timeout") and new == "ok" else "unmeasured"


def _environment_changes(old: pd.DataFrame, new: pd.DataFrame) -> dict[str, tuple[str, str]]:
    """Return the environment columns with other values in `new` than in `old`, and the values of both."""
    changes = {}
    for name in ENVIRONMENT:
        before, after = (", ".join(sorted(set(frame[name]))) for frame in (old, new))
        if before != after and name not in ("run", "time_utc"):
            changes[name] = (before, after)
    return changes


def _badness(pair: Pair) -> float:
    if pair.change == "broken":
        return math.inf
    return -1.0 if math.isnan(pair.cost) else pair.cost
