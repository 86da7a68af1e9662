"""A sampler that is wrong on purpose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from distsampler.conformance.designs import EVERY_REMAINDER
from distsampler.conformance.subject import Subject

if TYPE_CHECKING:
    from collections.abc import Callable

    from distsampler.conformance.case import Case, LengthOnly


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong sampler and the property that has to catch it."""

    caught_by: str
    make: Callable[[LengthOnly, Case, int], Any]

    @property
    def subject(self) -> Subject:
        """The sampler as a subject that promises everything."""
        return Subject(self.make.__name__, self.make, EVERY_REMAINDER)
