"""What a process may use before it is ended."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds` in all, `silent_seconds` between two reports, and `bytes` resident in any one process."""

    seconds: float
    silent_seconds: float
    bytes: int = 2 * 2**30


@dataclass(frozen=True, slots=True)
class Patience:
    """Limits of a process that does nothing but draw, limits of another one, and what may be lost in all.

    After `lost_seconds` in which processes did not end, nobody waits for those that have not ended either.
    """

    passes: Limits
    others: Limits
    lost_seconds: float
