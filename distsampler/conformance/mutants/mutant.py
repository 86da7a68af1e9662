"""A sampler that is wrong on purpose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from distsampler.conformance.designs import EVERY_REMAINDER
from distsampler.conformance.subject import Contract, Subject

if TYPE_CHECKING:
    from collections.abc import Callable

    from distsampler.conformance.case import Case, LengthOnly


@dataclass(frozen=True, slots=True)
class Mutant:
    """A wrong sampler, the property that has to catch it, and the bug reports that it stands for."""

    caught_by: str
    make: Callable[[LengthOnly, Case, int], Any]
    records: tuple[str, ...] = ()
    contract: Contract = EVERY_REMAINDER

    @property
    def subject(self) -> Subject:
        """The sampler as a subject that promises everything; a wrapper is made of an inner sampler."""
        wrap = self.make if self.contract.wraps else None
        return Subject(self.make.__name__, self.make, self.contract, wrap=wrap)
