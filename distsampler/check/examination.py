"""All properties of one sampler, each in a process that it can do no harm from."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from distsampler.check.isolation import Call, Ended, run_all
from distsampler.check.job import Job, examine_job
from distsampler.conformance import Case, Violation

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from distsampler.check.limits import Limits, Patience
    from distsampler.check.row import Row

_CRASH = "no_crash"
_MOST_ATTEMPTS = 4


def rows(jobs: Iterable[Job], patience: Patience, workers: int) -> Iterator[Row]:
    """Yield the row of every property of every job, as it becomes known.

    What is judged from passes comes first. When a pass dies or exceeds a limit, that breaks the promise that
    there is no crash, and all else is tried without cases of that length. An observation of another kind
    that does costs only what is judged from it. When too much time is lost, no more is tried.
    """
    planned = list(jobs)
    examination = _Examination(workers, patience.lost_seconds)
    passes = [job for job in planned if _CRASH in job.properties]
    failed = yield from examination.run(passes, patience.passes, _without_length)
    fatal = frozenset(ended.at.length for ended in failed if ended.at)
    others = [dataclasses.replace(job, without=fatal) for job in planned if job not in passes]
    yield from examination.run(others, patience.others, _one_by_one)


@dataclass(slots=True)
class _Examination:
    """Processes that jobs are done in, and for how many seconds they may still be waited for in vain."""

    workers: int
    left: float

    def run(
        self, jobs: list[Job], limits: Limits, again: Callable[[Ended], list[Job]]
    ) -> Generator[Row, None, list[Ended]]:
        """Yield the rows of the jobs, and return how processes ended that failed.

        `again` says what to try instead of one.
        """
        failed: list[Ended] = []
        for attempt in range(1, _MOST_ATTEMPTS + 1):
            failing: list[Ended] = []
            for ended in run_all([Call(examine_job, job, limits) for job in jobs], self.workers, self.left):
                told = {row.property: row for row in ended.results}
                yield from told.values()
                if ended.status != "done" and len(told) < len(ended.call.argument.properties):
                    failing.append(ended)
            self.left -= sum(ended.lost_seconds for ended in failing)
            jobs = []
            for ended in failing:
                instead = again(ended) if attempt < _MOST_ATTEMPTS and self.left > 0 and ended.at else []
                jobs += instead
                open_names = {name for job in instead for name in job.properties}
                yield from (
                    _row(ended, name) for name in ended.call.argument.properties if name not in open_names
                )
            failed += failing
        return failed


def _without_length(ended: Ended) -> list[Job]:
    """Return the job without the length that it failed at, and without the promise that is broken by that."""
    job: Job = ended.call.argument
    rest = tuple(name for name in job.properties if name != _CRASH)
    without = job.without | {ended.at.length}
    return [dataclasses.replace(job, properties=rest, without=without)] if rest else []


def _one_by_one(ended: Ended) -> list[Job]:
    """Return a job for each of the properties, since another of them may be the one that fails."""
    job: Job = ended.call.argument
    several = len(job.properties) > 1
    return [dataclasses.replace(job, properties=(name,)) for name in job.properties] if several else []


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
