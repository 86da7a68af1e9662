"""A comparison as a document for a person: what changed, how much, and the reason for the exit code."""

from __future__ import annotations

import math
from statistics import median
from typing import TYPE_CHECKING

from distsampler.documents.document import Block, Bullets, Table
from distsampler.results import PARAMETERS
from distsampler.results.compare import CHANGES
from distsampler.results.quantities import quantity, significant

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from distsampler.results.cell import Cell
    from distsampler.results.compare import Comparison, Pair

STYLES = {"worse": "bold red", "broken": "bold red", "noisy": "yellow", "better": "green", "fixed": "green"}

Shared = dict[str, dict[str, str]]

_METRIC_HEADER = ("metric", "cells", "worse", "better", "noisy", "same", "median cost", "worst cost")
_PAIR_HEADER = ("cost", "cell", "old", "new", "rounds", "spread", "change")
_PAIR_NUMBERS = ("cost", "old", "new", "rounds", "spread")
# These values speak for themselves; a bare number would not.
_NAMELESS = ("workload", "sampler", "strategy", "device", "backend")
_UNPAIRED_SHOWN = 10


def blocks(comparison: Comparison, *, everything: bool) -> Iterator[Block]:
    """Yield the parts of the document; `everything` also lists the cells that did not change."""
    if comparison.environment:
        yield "Environment columns that differ:"
        changes = comparison.environment.items()
        yield Bullets([f"{name}: {old or 'empty'} -> {new or 'empty'}" for name, (old, new) in changes])
    yield from _warnings(comparison)
    yield Table(_METRIC_HEADER, _metric_rows(comparison), _METRIC_HEADER[1:])
    shared = _shared_parameters(comparison)
    pairs = [pair for pair in comparison.pairs if everything or _is_change(pair)]
    for benchmark in dict.fromkeys(pair.parameters["benchmark"] for pair in pairs):
        told = ", ".join(f"{name}={value}" for name, value in shared[benchmark].items() if value)
        rows = [_pair_row(pair, shared) for pair in pairs if pair.parameters["benchmark"] == benchmark]
        yield f"Cells, worst first; all have {told}:"
        yield Table(_PAIR_HEADER, rows, _PAIR_NUMBERS)
    for file, unpaired in (("OLD", comparison.only_old), ("NEW", comparison.only_new)):
        if unpaired:
            yield f"Only in {file}, and in none of the numbers above:"
            yield Bullets(_unpaired_items(unpaired, shared, everything=everything))
    yield summary(comparison)
    yield verdict(comparison)


def summary(comparison: Comparison) -> str:
    """Return how many cells there are of each kind."""
    counts = comparison.counts
    compared = sum(not math.isnan(pair.ratio) for pair in comparison.pairs)
    always = ("worse", "better", "same")
    kinds = [f"{counts[change]} {change}" for change in CHANGES if counts[change] or change in always]
    alone = f"{len(comparison.only_old)} only in OLD, {len(comparison.only_new)} only in NEW"
    return f"{_cells(compared)} compared: {', '.join(kinds)}; {alone}."


def verdict(comparison: Comparison) -> str:
    """Return what the exit code stands for, with the threshold."""
    counts = comparison.counts
    text = (
        f"{'Worse' if comparison.exit_code else 'Not worse'}: {_cells(counts['worse'])} by more than "
        f"{100 * comparison.threshold:.6g} %, {counts['broken']} broken."
    )
    if counts["noisy"]:
        text += f" {_cells(counts['noisy'])} too noisy to count; measure more rounds to decide."
    return text


def _warnings(comparison: Comparison) -> Iterator[str]:
    for file in comparison.dirty:
        yield (
            f"Warning: {file} was measured with uncommitted changes (dirty is true), so its commit does not "
            "say which code ran; commit and measure again."
        )
    other_work = sum(not pair.same_work for pair in comparison.pairs)
    if other_work:
        yield (
            f"Warning: {_cells(other_work)} drew another number of indices in NEW than in OLD, so their "
            "values stand for different work; measure both with the same options."
        )


def _metric_rows(comparison: Comparison) -> list[tuple[str, ...]]:
    """Return a row for each metric; only cells that are ok in both files count."""
    by_metric: dict[str, list[Pair]] = {}
    for pair in comparison.pairs:
        if not math.isnan(pair.ratio):
            by_metric.setdefault(pair.parameters["metric"], []).append(pair)
    return [_metric_row(metric, by_metric[metric]) for metric in sorted(by_metric)]


def _metric_row(metric: str, pairs: Sequence[Pair]) -> tuple[str, ...]:
    changes = [pair.change for pair in pairs]
    counts = [str(changes.count(change)) for change in ("worse", "better", "noisy", "same")]
    costs = [pair.cost for pair in pairs]
    return (metric, str(len(pairs)), *counts, _number(median(costs)), _number(max(costs)))


def _is_change(pair: Pair) -> bool:
    return pair.change != "same" and (pair.change != "unmeasured" or pair.old.status != pair.new.status)


def _pair_row(pair: Pair, shared: Shared) -> tuple[str, ...]:
    """Return a row whose values are the statuses, with the reason after the name, where there are none."""
    unit = pair.parameters["unit"]
    reason = pair.new.error or pair.old.error
    return (
        _number(pair.cost),
        _cell_name(pair.parameters, shared) + (reason and f" ({reason})"),
        _value(pair.old, unit),
        _value(pair.new, unit),
        f"{pair.old.rounds}/{pair.new.rounds}",
        f"{_percent(pair.old.spread)}/{_percent(pair.new.spread)}",
        pair.change,
    )


def _unpaired_items(unpaired: Sequence[dict[str, str]], shared: Shared, *, everything: bool) -> list[str]:
    shown = unpaired if everything else unpaired[:_UNPAIRED_SHOWN]
    items = [_cell_name(parameters, shared) for parameters in shown]
    hidden = len(unpaired) - len(shown)
    return [*items, f"{_cells(hidden)} more, listed with --all"] if hidden else items


def _shared_parameters(comparison: Comparison) -> Shared:
    """Return for each benchmark the parameters that are the same in all its cells, in both files.

    Metric and unit are left out, as they are what a cell's name starts with.
    """
    shared: Shared = {}
    for cell in (*(pair.parameters for pair in comparison.pairs), *comparison.only_old, *comparison.only_new):
        known = shared.setdefault(cell["benchmark"], {**cell, "metric": "", "unit": ""})
        shared[cell["benchmark"]] = {name: value for name, value in known.items() if cell[name] == value}
    return shared


def _cell_name(parameters: Mapping[str, str], shared: Shared) -> str:
    """Return the metric and what else tells this cell from the others of its benchmark."""
    known = ("metric", "unit", *shared[parameters["benchmark"]])
    told = [name for name in PARAMETERS if parameters[name] and name not in known]
    words = [parameters[name] if name in _NAMELESS else f"{name}={parameters[name]}" for name in told]
    return " ".join([parameters["metric"], *words])


def _value(cell: Cell, unit: str) -> str:
    return quantity(cell.median, unit) if cell.status == "ok" else cell.status


def _number(value: float) -> str:
    return "-" if math.isnan(value) else significant(value)


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.0f}%"


def _cells(count: int) -> str:
    return f"{count} cell" if count == 1 else f"{count} cells"
