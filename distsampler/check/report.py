"""What a check came to: every property's row, and what the target was taken to promise."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distsampler.check.request import Request
    from distsampler.check.row import Row


@dataclass(frozen=True, slots=True)
class Report:
    """The answer to a request.

    `offers` says what the target was taken to promise, `doubt` what is unclear about that.
    """

    request: Request
    version: str
    offers: dict[str, str]
    doubt: str
    rows: tuple[Row, ...]

    def exit_code(self, *, strict: bool = False) -> int:
        """Return 1 if a core property is broken, or on `strict` any, else 0."""
        return int(any(row.is_broken and (strict or row.tier == "core") for row in self.rows))

    def broken(self) -> list[Row]:
        """Return the rows of broken promises, core first."""
        return sorted((row for row in self.rows if row.is_broken), key=lambda row: row.tier != "core")

    def as_json(self) -> str:
        """Return the report as JSON."""
        return json.dumps(dataclasses.asdict(self), indent=2) + "\n"
