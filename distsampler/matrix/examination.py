"""One sampler after the other against all properties, each in a process that it can do no harm from."""

from __future__ import annotations

import itertools
import logging
import warnings
from typing import TYPE_CHECKING

from distsampler.check.isolation import Call, Ended, run_all
from distsampler.check.limits import Limits
from distsampler.check.offers import lacking
from distsampler.check.row import Row
from distsampler.conformance import PROPERTIES, examine
from distsampler.conformance.case import LengthOnly
from distsampler.conformance.cases import representative
from distsampler.conformance.trace import describe
from distsampler.subjects import SUBJECTS, version
from distsampler.subjects.entry_points import discovered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from distsampler.check.reporter import Reporter
    from distsampler.conformance import Property, Subject, Verdict

# A property takes up to a minute; what needs more than five has stopped to answer.
LIMITS = Limits(seconds=1_800, silent_seconds=300, bytes=8 * 2**30)

_BY_NAME = {subject.name: subject for subject in (*SUBJECTS, *discovered())}


def examined(names: Iterable[str], workers: int) -> Iterator[list[Row]]:
    """Yield the rows of each sampler, one for every property, as samplers get ready.

    A sampler that can't be made has error rows, one that does not end has them from where it stopped.
    """
    for ended in run_all([Call(examine_sampler, name, LIMITS) for name in names], workers):
        yield _completed(ended)


def examine_sampler(reporter: Reporter, name: str) -> None:
    """Report a row for every property of the sampler with that name."""
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    subject = _BY_NAME[name]
    reason = _unusable(subject)
    for _, group in itertools.groupby(PROPERTIES, key=lambda prop: (prop.observe, prop.grid, prop.beyond)):
        properties = list(group)
        reporter.at(properties[0].name)
        if reason:
            rows = [_row(subject, prop, "error", reason=reason) for prop in properties]
        else:
            rows = [
                _told(subject, prop, verdict)
                for prop, verdict in zip(properties, examine(subject, properties), strict=True)
            ]
        for row in rows:
            reporter.result(row)


def _unusable(subject: Subject) -> str:
    """Return why no sampler can be made at all, or nothing."""
    if version(subject) is None:
        return f"{subject.package} is not installed"
    case = representative(subject.contract)
    try:
        subject.make(LengthOnly(case.length), case, 0)
    except Exception as error:  # noqa: BLE001  (recorded)
        return f"cannot be made: {describe(error)}"
    return ""


def _told(subject: Subject, prop: Property, verdict: Verdict) -> Row:
    sentence = lacking(prop, subject.contract) if verdict.status == "n/a" else ""
    sentence = sentence or " ".join(map(str, verdict.violations[:1]))
    return _row(
        subject,
        prop,
        verdict.status,
        cases=verdict.cases,
        counterexample="" if verdict.counterexample is None else str(verdict.counterexample),
        reason=verdict.reason or sentence,
        url=verdict.url,
    )


def _row(
    subject: Subject,
    prop: Property,
    verdict: str,
    cases: int = 0,
    counterexample: str = "",
    reason: str = "",
    url: str = "",
) -> Row:
    number = (version(subject) or "").partition("+")[0]  # the build does not matter
    return Row(subject.name, number, prop.name, prop.tier, verdict, cases, counterexample, reason, url)


def _completed(ended: Ended) -> list[Row]:
    """Return the rows that a sampler's process reported, and for the rest why it did not."""
    subject = _BY_NAME[ended.call.argument]
    told = {row.property: row for row in ended.results}
    reason = f"the process {ended.reason} at {ended.at}"
    return [told.get(prop.name) or _row(subject, prop, ended.status, reason=reason) for prop in PROPERTIES]
