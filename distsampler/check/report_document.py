"""A report as a document: what was taken to be promised, every verdict, every violation, a summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distsampler.check.printable import printable
from distsampler.documents.document import Bullets, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from distsampler.check.report import Report
    from distsampler.check.row import Row
    from distsampler.documents.document import Block

STYLES = {
    "pass": "green",
    "known": "yellow",
    "n/a": "dim",
    "fail": "bold red",
    "error": "bold red",
    "timeout": "bold red",
    "vacuous": "bold red",
}


def blocks(report: Report) -> list[Block]:
    """Return the document of a report."""
    version = f" {report.version}" if report.version else ""
    return [
        f"{printable(report.request.target)}{version} is taken to promise:",
        Bullets([f"{what}: {how}" for what, how in report.offers.items() if how]),
        *([f"It {report.doubt}."] if report.doubt else []),
        _verdicts(report),
        *_not_promised(report),
        *(block for number, row in enumerate(report.broken(), 1) for block in _violation(number, row)),
        summary(report),
    ]


def summary(report: Report) -> str:
    """Return what the check came to, in one sentence."""
    kept, broken = [], []
    for tier in ("core", "quality"):
        rows = [row for row in report.rows if row.tier == tier and row.verdict != "n/a"]
        names = [row.property for row in rows if row.is_broken]
        noun = f"{tier} property" if len(rows) == 1 else f"{tier} properties"
        if names:
            broken.append(f"{len(names)} of {len(rows)} {noun} ({', '.join(names)})")
        elif rows:
            kept.append(f"all {len(rows)} {noun}")
    told = [f"{verb} {' and '.join(what)}" for verb, what in (("keeps", kept), ("breaks", broken)) if what]
    others = (_others(verdict, report.rows) for verdict in ("known", "n/a"))
    says = " and ".join(told) or "promises nothing of what was asked for"
    return "; ".join([f"{printable(report.request.target)} {says}", *filter(None, others)]) + "."


def _others(verdict: str, rows: Sequence[Row]) -> str:
    count = sum(row.verdict == verdict for row in rows)
    return f"{count} {'is' if count == 1 else 'are'} {verdict}" if count else ""


def _verdicts(report: Report) -> Table:
    """Return the verdicts on what is promised, core first."""
    numbers = {row.property: number for number, row in enumerate(report.broken(), 1)}
    rows = [
        (
            row.tier,
            row.property,
            row.verdict,
            str(row.cases or ""),
            f"see {numbers[row.property]} below" if row.property in numbers else row.reason,
        )
        for row in sorted(report.rows, key=lambda row: row.tier != "core")
        if row.verdict != "n/a"
    ]
    return Table(("tier", "property", "verdict", "cases", "why"), rows, numbers=("cases",))


def _not_promised(report: Report) -> list[Block]:
    """Return what is not promised, by why it is not."""
    names: dict[str, list[str]] = {}
    for row in report.rows:
        if row.verdict == "n/a":
            names.setdefault(row.reason, []).append(row.property)
    told = [f"n/a, {reason}: {', '.join(properties)}" for reason, properties in names.items()]
    return [Bullets(told)] if told else []


def _violation(number: int, row: Row) -> Iterator[Block]:
    case = [f"smallest case: {row.counterexample}"] if row.counterexample else []
    yield f"{number}. {row.property} ({row.tier}, {row.verdict}): {row.promise}"
    yield Bullets([*case, *(row.violations or [row.reason])])
    if row.drawing:
        yield row.drawing
