"""From a subject and the properties to verdicts, each with its smallest counterexample."""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Flaky

from distsampler.conformance.catalogue import PROPERTIES
from distsampler.conformance.trace import describe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hypothesis.strategies import SearchStrategy

    from distsampler.conformance.case import Case
    from distsampler.conformance.property import Property
    from distsampler.conformance.subject import Known, Subject
    from distsampler.conformance.violation import Violation

Status = Literal["pass", "fail", "known", "n/a", "vacuous", "error"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a property came out for a subject.

    `known` means that it fails as pinned and holds elsewhere, `n/a` that it is not promised, `vacuous` that
    no case put it to the test, `error` that it could not be judged or that a pin is out of date.
    """

    subject: str
    property: str
    status: Status
    cases: int = 0
    counterexample: Case | None = None
    violations: tuple[Violation, ...] = ()
    reason: str = ""
    url: str = ""

    def __str__(self) -> str:
        lines = [f"{self.subject}: {self.property}: {self.status} after {self.cases} cases"]
        if self.counterexample is not None:
            lines.append(f"  smallest case: {self.counterexample}")
        lines += [f"  {violation}" for violation in self.violations[:3]]
        return "\n".join([*lines, f"  {self.reason}"] if self.reason else lines)


@dataclass(slots=True)
class _Finding:
    """What is known so far about one property of the subject under examination."""

    prop: Property
    pins: tuple[Known, ...]
    cases: int = 0
    counterexample: Case | None = None
    violations: tuple[Violation, ...] = ()
    error: str = ""

    @property
    def open(self) -> bool:
        return self.counterexample is None and not self.error

    def wants(self, case: Case) -> bool:
        pinned = any(pin.when(case) for pin in self.pins)
        return self.open and not pinned and self.prop.exercises(case)

    def judge(self, case: Case, observed: Any) -> tuple[Violation, ...]:
        """Return the violations in one case, or note why it cannot be judged."""
        self.cases += 1
        try:
            return tuple(self.prop.judge(observed))
        except Exception as error:  # noqa: BLE001  (recorded as the verdict)
            self.error = f"{case}: cannot be judged, {describe(error)}"
            return ()

    def break_with(self, case: Case, violations: tuple[Violation, ...]) -> None:
        self.counterexample, self.violations = case, violations


class _Broken(Exception):  # noqa: N818  (never leaves this module)
    """A case broke a promise; raised so that Hypothesis looks for a simpler one."""

    def __init__(self, finding: _Finding, case: Case, violations: tuple[Violation, ...]) -> None:
        super().__init__(finding.prop.name, case)
        self.finding, self.case, self.violations = finding, case, violations


@dataclass(frozen=True, slots=True)
class Effort:
    """How long Hypothesis looks beyond the small cases, and whether with the same cases every time.

    Without `derandomize` the cases are new every time, or those of an earlier time if they have its `seed`.
    """

    examples: int = 100
    derandomize: bool = True
    seed: int | None = None


def examine(
    subject: Subject, properties: Sequence[Property] = PROPERTIES, effort: Effort = Effort()
) -> list[Verdict]:
    """Return the verdict of every property for `subject`, in the order of `properties`.

    Properties that are judged from the same observations of the same cases share them.
    """
    findings = {
        prop.name: _Finding(prop, tuple(pin for pin in subject.known if pin.property == prop.name))
        for prop in properties
    }
    promised = [prop for prop in properties if prop.promised(subject.contract)]
    for _, group in itertools.groupby(sorted(promised, key=_observation), key=_observation):
        _examine_group(subject, [findings[prop.name] for prop in group], effort)
    return [_verdict(subject, findings[prop.name], is_promised=prop in promised) for prop in properties]


def _observation(prop: Property) -> tuple[str, str, str]:
    return prop.observe.__qualname__, prop.grid.__qualname__, getattr(prop.beyond, "__qualname__", "")


def _examine_group(subject: Subject, findings: list[_Finding], effort: Effort) -> None:
    """Try the small cases in order, then let Hypothesis look for others until it finds no more."""
    prop = findings[0].prop
    grid = prop.grid(subject.contract)
    tried = {each.prop.name: _one_in(subject.slow, filter(each.prop.exercises, grid)) for each in findings}
    effort = dataclasses.replace(effort, examples=effort.examples // subject.slow)
    for case in grid:
        for broken in _judge(subject, [each for each in findings if case in tried[each.prop.name]], case):
            broken.finding.break_with(broken.case, broken.violations)
    while effort.examples and prop.beyond and any(finding.open for finding in findings):
        simplest = _search(subject, findings, prop.beyond(subject.contract), effort)
        if simplest is None:
            return
        simplest.finding.break_with(simplest.case, simplest.violations)


def _one_in(slow: int, cases: Iterable[Case]) -> frozenset[Case]:
    """Return one case in `slow`, and one at least if there is any, neither the first nor the last of many."""
    every = list(cases)
    return frozenset(every[len(every) // 2 % slow :: slow])


def _judge(subject: Subject, findings: Iterable[_Finding], case: Case) -> list[_Broken]:
    """Observe one case if a finding wants it; return what it broke."""
    wanting = [finding for finding in findings if finding.wants(case)]
    if not wanting:
        return []
    observed = wanting[0].prop.observe(subject, case)
    judged = [(finding, finding.judge(case, observed)) for finding in wanting]
    return [_Broken(finding, case, violations) for finding, violations in judged if violations]


def _search(
    subject: Subject, findings: list[_Finding], strategy: SearchStrategy[Case], effort: Effort
) -> _Broken | None:
    """Return the simplest case that Hypothesis finds to break an open finding, or None."""
    seen: list[_Broken] = []

    @settings(
        max_examples=effort.examples,
        derandomize=effort.derandomize,
        database=None,
        deadline=None,
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, Phase.shrink),
    )
    @given(strategy)
    def explore(case: Case) -> None:
        for broken in _judge(subject, findings, case):
            seen.append(broken)
            raise broken

    try:
        (explore if effort.seed is None else seed(effort.seed)(explore))()
    except (_Broken, Flaky):
        return min(seen, key=lambda broken: broken.case.size)
    return None


def _verdict(subject: Subject, finding: _Finding, *, is_promised: bool) -> Verdict:
    """Return the verdict that a finished finding amounts to."""
    name = finding.prop.name
    if not is_promised:
        return Verdict(subject.name, name, "n/a")
    if finding.counterexample is not None:
        return Verdict(subject.name, name, "fail", finding.cases, finding.counterexample, finding.violations)
    if finding.error:
        return Verdict(subject.name, name, "error", finding.cases, reason=finding.error)
    if not finding.cases and not finding.pins:
        return Verdict(subject.name, name, "vacuous", reason="no case put the promise to the test")
    return _pinned(subject, finding) or Verdict(subject.name, name, "pass", finding.cases)


def _pinned(subject: Subject, finding: _Finding) -> Verdict | None:
    """Return the verdict of the pinned counterexamples, each of which must still break the property."""
    prop = finding.prop
    violations: tuple[Violation, ...] = ()
    for pin in finding.pins:
        violations = tuple(prop.judge(prop.observe(subject, pin.case)))
        if not violations:
            reason = f"the pinned counterexample {pin.case} passes now; remove the pin"
            return Verdict(subject.name, prop.name, "error", finding.cases, pin.case, reason=reason)
    if not finding.pins:
        return None
    case = finding.pins[-1].case
    reason = "; ".join(dict.fromkeys(pin.reason for pin in finding.pins))
    url = next((pin.url for pin in finding.pins if pin.url), "")
    return Verdict(subject.name, prop.name, "known", finding.cases, case, violations, reason, url)
