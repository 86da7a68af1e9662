"""What somebody wants checked, and how much effort and patience that gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from distsampler.check.limits import Limits, Patience

if TYPE_CHECKING:
    from distsampler.sampling.partition import Remainder

Mode = Literal["quick", "default", "deep"]

PATIENCE: dict[Mode, Patience] = {
    "quick": Patience(Limits(20, 3), Limits(30, 10), 10),
    "default": Patience(Limits(120, 10), Limits(120, 30), 45),
    "deep": Patience(Limits(1_800, 60), Limits(1_800, 120), 600),
}
EXAMPLES: dict[Mode, int] = {"quick": 20, "default": 100, "deep": 2_000}


@dataclass(frozen=True, slots=True)
class Request:
    """A target with what is promised of it, as in `Promises`; no `properties` means all of them.

    `seed` is that of a deep check, and `import_seconds` how long importing the target may take.
    """

    target: str
    remainder: Remainder | None = None
    shuffle: bool = True
    epochs: bool = True
    properties: tuple[str, ...] = ()
    mode: Mode = "default"
    seed: int | None = None
    import_seconds: float = 60
