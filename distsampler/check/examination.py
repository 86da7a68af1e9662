"""All properties of one sampler, each in a process that it can do no harm from."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from distsampler.check.isolation import Call, Ended, run_all
from distsampler.check.job import Job, examine_job
from distsampler.conformance import Case, Violation

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from distsampler.check.limits import Limits, Patience
    from distsampler.check.row import Row

_CRASH = "no_crash"
_MOST_ATTEMPTS = 4


def rows(jobs: Iterable[Job], patience: Patience, workers: int) -> Iterator[Row]:
    """Yield the row of every property of every job, as it becomes known.

    When a pass dies or exceeds a limit, that breaks the promise that there is no crash, and what else is
    judged from passes is tried without cases of that length. An observation of another kind that does costs
    only what is judged from it. When too much time is lost, no more is tried.
    """
    waiting = list(jobs)
    left = patience.lost_seconds
    fatal: frozenset[int] = frozenset()
    for attempt in range(1, _MOST_ATTEMPTS + 1):
        failed: list[Ended] = []
        calls = [Call(examine_job, job, _limits(job, patience)) for job in waiting]
        for ended in run_all(calls, workers, left):
            told = {row.property: row for row in ended.results}
            yield from told.values()
            if ended.status != "done" and len(told) < len(ended.call.argument.properties):
                failed.append(ended)
        left -= sum(ended.lost_seconds for ended in failed)
        fatal |= {ended.at.length for ended in failed if ended.at and _is_pass(ended.call.argument)}
        waiting = []
        for ended in failed:
            again = _again(ended, fatal) if attempt < _MOST_ATTEMPTS and left > 0 else []
            waiting += again
            open_names = {name for job in again for name in job.properties}
            yield from (
                _row(ended, name) for name in ended.call.argument.properties if name not in open_names
            )


def _limits(job: Job, patience: Patience) -> Limits:
    return patience.passes if _is_pass(job) else patience.others


def _is_pass(job: Job) -> bool:
    return job.crashed or _CRASH in job.properties


def _again(ended: Ended, fatal: frozenset[int]) -> list[Job]:
    """Return what is to be tried again of a job that failed."""
    job: Job = ended.call.argument
    if ended.at is None:
        return []
    if _is_pass(job):
        rest = tuple(name for name in job.properties if name != _CRASH)
        return [dataclasses.replace(job, properties=rest, without=fatal, crashed=True)] if rest else []
    if ended.at.length in fatal - job.without:
        return [dataclasses.replace(job, without=fatal)]
    if len(job.properties) > 1:
        return [dataclasses.replace(job, properties=(name,)) for name in job.properties]
    return []


def _row(ended: Ended, name: str) -> Row:
    """Return the row of a property whose process failed."""
    job: Job = ended.call.argument
    if lacks := job.lacks(name):
        return job.row(name, "n/a", reason=lacks)
    case: Case | None = ended.at
    printed = f"; it printed {ended.output.strip()[:200]!r}" if ended.output.strip() else ""
    sentence = f"the process {ended.reason}, expected an answer{printed}"
    more: dict[str, Any] = {"reason": sentence, "violations": (sentence,)}
    if case is not None:
        more["counterexample"] = str(case)
        if name == _CRASH:
            more["script"] = job.script(name, case, Violation(sentence))
    return job.row(name, ended.status, **more)
