"""The conformance suite in somebody's own tests, one test per property.

>>> from torch.utils.data import DistributedSampler
>>> from distsampler.check.pytest import parametrize_with_properties
>>> @parametrize_with_properties(DistributedSampler)
... def test_conformance(check):
...     check()
"""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from distsampler.check.inference import infer
from distsampler.check.job import Job, examine_job, jobs, names_of
from distsampler.check.recipe import Promises
from distsampler.check.refusal import TargetError
from distsampler.check.remainders import decide
from distsampler.check.reporter import results_of
from distsampler.check.target import Given
from distsampler.conformance.verdict import Effort

if TYPE_CHECKING:
    from collections.abc import Collection

    from distsampler.check.row import Row
    from distsampler.conformance import Known
    from distsampler.sampling.partition import Remainder


def parametrize_with_properties(
    target: Any,
    *,
    remainder: Remainder | None = None,
    shuffle: bool = True,
    epochs: bool = True,
    known: tuple[Known, ...] = (),
    only: Collection[str] = (),
    effort: Effort = Effort(),  # noqa: B008  (frozen)
) -> pytest.MarkDecorator:
    """Parametrize a test over the properties, with a `check` that fails where the property is broken.

    `target` is a class, a factory or a `Subject` as for `distsampler check`. What it promises is inferred,
    unless `remainder` says how it deals with a remainder, `shuffle=False` that it never shuffles, and
    `epochs=False` that its epochs have no numbers. A check is skipped if its property is not promised, and
    an expected failure if it breaks as a pin in `known` says. All runs in this process: tests of a sampler
    that may hang want a time limit.
    """
    names = names_of(only)
    suite = _Suite(Given(target), Promises(remainder, shuffle, epochs), known, effort)
    return pytest.mark.parametrize("check", [pytest.param(Check(suite, name), id=name) for name in names])


@dataclass(frozen=True, slots=True)
class Check:
    """One property of one sampler, to be called in a test."""

    suite: _Suite
    name: str

    def __call__(self) -> None:
        """Fail, skip, or return, as the property came out."""
        __tracebackhide__ = True
        if self.suite.refusal:
            pytest.fail(self.suite.refusal, pytrace=False)
        row = self.suite.row(self.name)
        if row.verdict == "n/a":
            pytest.skip(row.reason)
        if row.verdict == "known":
            pytest.xfail(f"{row.reason} {row.url}".strip())
        if row.is_broken:
            pytest.fail(str(row), pytrace=False)


class _Suite:
    """The verdicts on one sampler; properties that share observations are examined together, when needed."""

    def __init__(self, target: Given, promises: Promises, known: tuple[Known, ...], effort: Effort) -> None:
        self._target, self._promises, self._known, self._effort = target, promises, known, effort
        self._rows: dict[str, Row] = {}

    @property
    def refusal(self) -> str:
        """Why the sampler cannot be used, in a sentence; empty if it can."""
        return str(self._inferred) if isinstance(self._inferred, TargetError) else ""

    def row(self, name: str) -> Row:
        """Return the row of a property of a sampler that can be used."""
        if name not in self._rows:
            assert not isinstance(self._inferred, TargetError), "it is not refused"
            job = next(job for job in self._inferred if name in job.properties)
            self._rows.update((row.property, row) for row in results_of(examine_job, job))
        return self._rows[name]

    @functools.cached_property
    def _inferred(self) -> list[Job] | TargetError:
        """The jobs, or why there are none."""
        recipe, *seen = results_of(infer, (self._target, self._promises))
        if isinstance(recipe, TargetError):
            return recipe
        if self._promises.remainder is None:
            recipe, _ = decide(recipe, seen)
        return jobs(dataclasses.replace(recipe, known=self._known), (), self._effort)
