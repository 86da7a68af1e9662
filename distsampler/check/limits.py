"""What a process may use before it is ended."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """`seconds` in all, `silent_seconds` between two reports, and `bytes` resident in any one process."""

    seconds: float
    silent_seconds: float
    bytes: int = 2 * 2**30
