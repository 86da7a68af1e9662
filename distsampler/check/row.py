"""One property's verdict as plain data: a row of a results file, and what a reader wants beside it."""

from __future__ import annotations

import builtins
import csv
import dataclasses
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

from distsampler.check.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

COLUMNS = (
    "subject",
    "version",
    "property",
    "tier",
    "verdict",
    "cases",
    "counterexample",
    "reason",
    "url",
)


@dataclass(frozen=True, slots=True)
class Row:
    """How a property came out for a sampler.

    `verdict` is a `Status` of the conformance suite, or timeout. `reason` says why, in a sentence. Of a
    broken promise, `violations` are sentences, `drawing` shows what the ranks drew in the counterexample,
    and `script` reproduces it. All text is made printable, since some of it is the sampler's own.
    """

    subject: str
    version: str
    property: str
    tier: str
    verdict: str
    cases: int = 0
    counterexample: str = ""
    reason: str = ""
    url: str = ""
    promise: str = ""
    violations: tuple[str, ...] = ()
    drawing: str = ""
    script: str = ""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, str):
                object.__setattr__(self, field.name, printable(value))
        object.__setattr__(self, "violations", tuple(map(printable, self.violations)))

    def __str__(self) -> str:
        """Return what a reader wants to know of a broken promise."""
        case = f"smallest case: {self.counterexample}" if self.counterexample else ""
        told = self.violations or (self.reason,)
        lines = [f"{self.property}: {self.verdict}: {self.promise}", case, *told, self.drawing, self.script]
        return "\n".join(filter(None, lines))

    @builtins.property  # the name means a field here
    def is_broken(self) -> bool:
        """Say whether the promise is broken, or could not be seen to hold."""
        return self.verdict not in ("pass", "known", "n/a")


def as_csv(rows: Iterable[Row]) -> str:
    """Return the rows as CSV, in the columns of `results/conformance.csv`."""
    text = io.StringIO()
    table = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(dataclasses.asdict(row) for row in rows)
    return text.getvalue()
