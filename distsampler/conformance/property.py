"""A promise that samplers make, and how it is put to the test."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from distsampler.conformance import cases
from distsampler.conformance.trace import record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hypothesis.strategies import SearchStrategy

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Contract, Subject
    from distsampler.conformance.violation import Violation


@dataclass(frozen=True, slots=True)
class Property:
    """A promise. `observe` makes the subject do something, `judge` says what was wrong with it.

    `promised` says whether a contract makes the promise at all, `exercises` whether a case puts it to the
    test. `grid` lists the cases that are always tried, `beyond`, if any, what Hypothesis explores after them.
    """

    name: str
    judge: Callable[[Any], Iterable[Violation]]
    observe: Callable[[Subject, Case], Any] = record
    promised: Callable[[Contract], bool] = lambda _: True
    exercises: Callable[[Case], bool] = lambda _: True
    grid: Callable[[Contract], list[Case]] = cases.exhaustive_cases
    beyond: Callable[[Contract], SearchStrategy[Case]] | None = cases.larger_cases
    tier: Literal["core", "quality"] = "core"

    @property
    def promise(self) -> str:
        """The promise in one sentence: the first line of the judge's docstring."""
        return (self.judge.__doc__ or "").strip().splitlines()[0]
