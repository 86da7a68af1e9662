"""How a broken promise is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken promise: a sentence for people, and where it happened for programs."""

    sentence: str
    epoch: int | None = None
    rank: int | None = None
    got: Any = None
    expected: Any = None

    def __str__(self) -> str:
        return self.sentence


def listed(indices: Iterable[Any], most: int = 8) -> str:
    """Return the indices as text, the first of them if there are many."""
    listed = list(indices)
    more = f", … {len(listed)} in all" if len(listed) > most else ""
    return f"[{', '.join(map(str, listed[:most]))}{more}]"
