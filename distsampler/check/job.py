"""Properties that are judged from the same observations, examined together in one process."""

from __future__ import annotations

import dataclasses
import difflib
import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from distsampler.check.drawing import drawing, is_drawable
from distsampler.check.offers import lacking
from distsampler.check.refusal import TargetError
from distsampler.check.remainders import REMAINDER
from distsampler.check.repro import script
from distsampler.check.row import Row
from distsampler.conformance import PROPERTIES, Property, Verdict, examine, record
from distsampler.conformance.trace import unasked

if TYPE_CHECKING:
    from collections.abc import Collection

    from distsampler.check.recipe import Recipe
    from distsampler.check.reporter import Reporter
    from distsampler.conformance import Case, Subject, Violation
    from distsampler.conformance.verdict import Effort

_BY_NAME = {prop.name: prop for prop in (REMAINDER, *PROPERTIES)}
_VIOLATIONS_TOLD = 3


@dataclass(frozen=True, slots=True)
class Job:
    """Some properties of one sampler, tried on all cases but those of the lengths in `without`."""

    recipe: Recipe
    properties: tuple[str, ...]
    effort: Effort
    without: frozenset[int] = frozenset()

    def row(self, name: str, verdict: str, **more: Any) -> Row:
        """Return a row about one of the properties."""
        prop = _BY_NAME[name]
        return Row(
            self.recipe.subject().name,
            self.recipe.version(),
            name,
            prop.tier,
            verdict,
            promise=prop.promise,
            **more,
        )

    def lacks(self, name: str) -> str:
        """Return what the sampler does not offer and the property is about, empty if it is promised."""
        contract = self.recipe.contract
        return "" if _BY_NAME[name].promised(contract) else lacking(_BY_NAME[name], contract)

    def script(self, name: str, case: Case, violation: Violation, *, plain: bool = False) -> str:
        """Return the script that reproduces a violation, `plain` if that does not need a length."""
        return script(self.recipe, _BY_NAME[name], case, violation, plain=plain)


def names_of(asked: Collection[str]) -> list[str]:
    """Return the properties that are asked for, all if none are named, in the order of the catalogue."""
    unknown = [name for name in asked if name not in _BY_NAME]
    if unknown:
        alike = [each for name in unknown for each in difflib.get_close_matches(name, _BY_NAME)]
        expected = ", ".join(dict.fromkeys(alike or _BY_NAME))
        are = "is no property, expected one" if len(unknown) == 1 else "are no properties, expected some"
        raise TargetError(f"{', '.join(map(repr, unknown))} {are} such as {expected}")
    return [name for name in _BY_NAME if name in asked or not asked]


def jobs(recipe: Recipe, asked: Collection[str], effort: Effort) -> list[Job]:
    """Return a job for each group of properties that are asked for and share their observations."""
    groups: dict[Any, list[str]] = {}
    for name in names_of(asked):
        if name == REMAINDER.name and recipe.keywords is None:
            continue
        prop = _BY_NAME[name]
        groups.setdefault((prop.observe, prop.grid, prop.beyond), []).append(name)
    return [Job(recipe, tuple(group), effort) for group in groups.values()]


def examine_job(reporter: Reporter, job: Job) -> None:
    """Report a row for every property of the job, then broken ones again, with a script and a drawing."""
    subject = job.recipe.subject()
    properties = [_reporting(_BY_NAME[name], reporter, job.without) for name in job.properties]
    verdicts = examine(subject, properties, job.effort)
    rows = [_row(job, verdict) for verdict in verdicts]
    for row in rows:
        reporter.result(row)
    for row, verdict in zip(rows, verdicts, strict=True):
        case = verdict.counterexample
        if case is None or not verdict.violations:
            continue
        prop = _BY_NAME[verdict.property]
        reporter.at(case)
        plain = is_broken_unasked(prop, subject, case)
        text = job.script(row.property, case, verdict.violations[0], plain=plain)
        shown = dataclasses.replace(row, script=text)
        reporter.result(shown)
        # Of other observations, an undisturbed sampler would not show what is wrong.
        if prop.observe is record and is_drawable(case):
            reporter.result(dataclasses.replace(shown, drawing=drawing(record(subject, case))))


def is_broken_unasked(prop: Property, subject: Subject, case: Case) -> bool:
    """Say whether passes break the property, too, when nobody asks for their length."""
    if prop.observe is not record:
        return False
    with unasked():
        return any(True for _ in prop.judge(record(subject, case)))


def _reporting(prop: Property, reporter: Reporter, without: frozenset[int]) -> Property:
    """Return the property as it is, but that it says which case it is about to try, and leaves some out."""

    @functools.wraps(prop.observe)
    def observe(subject: Subject, case: Case) -> Any:
        reporter.at(case)
        return prop.observe(subject, case)

    def exercises(case: Case) -> bool:
        return case.length not in without and prop.exercises(case)

    return dataclasses.replace(prop, observe=observe, exercises=exercises)


def _reason(job: Job, verdict: Verdict) -> str:
    if verdict.status == "n/a":
        return job.lacks(verdict.property)
    if job.without and not verdict.violations:
        tried = {case.length for case in _BY_NAME[verdict.property].grid(job.recipe.contract)}
        left_out = ", ".join(map(str, sorted(job.without & tried)))
        return f"without length {left_out}, see no_crash" if left_out else ""
    return " ".join(map(str, verdict.violations[:1]))


def _row(job: Job, verdict: Verdict) -> Row:
    """Return the verdict as a row of plain text, since what violations hold is the sampler's own."""
    told = tuple(str(violation) for violation in verdict.violations[:_VIOLATIONS_TOLD])
    case = verdict.counterexample
    return job.row(
        verdict.property,
        verdict.status,
        cases=verdict.cases,
        counterexample="" if case is None else str(case),
        reason=verdict.reason or _reason(job, verdict),
        url=verdict.url,
        violations=told,
    )
