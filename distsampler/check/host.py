"""The process that a check runs in: it imports the target, and tells what it finds as lines of JSON.

The target is imported once, here, and every group of properties is examined in a copy of this process.
"""

from __future__ import annotations

import dataclasses
import faulthandler
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distsampler.check.examination import rows
from distsampler.check.family import adopt_orphans, end_descendants
from distsampler.check.inference import infer
from distsampler.check.isolation import Call, run_all
from distsampler.check.job import jobs, names_of
from distsampler.check.loading import load
from distsampler.check.offers import offered
from distsampler.check.output import redirect
from distsampler.check.recipe import Promises, Recipe
from distsampler.check.refusal import TargetError
from distsampler.check.remainders import decide
from distsampler.check.request import EXAMPLES, PATIENCE, Request
from distsampler.check.target import Target, parse
from distsampler.conformance.verdict import Effort

if TYPE_CHECKING:
    from collections.abc import Iterator

Event = dict[str, Any]


def main() -> None:
    """Answer the request on the standard input; what is printed meanwhile goes to the file argv[1]."""
    request = Request(**json.load(sys.stdin))
    events = os.fdopen(os.dup(1), "w", encoding="utf-8")
    redirect(Path(sys.argv[1]))
    adopt_orphans()
    try:
        for event in answer(request):
            events.write(json.dumps(event) + "\n")
            events.flush()
    finally:
        end_descendants()
    # Threads and exit handlers that the target leaves behind must not keep the process.
    os._exit(0)


def answer(request: Request) -> Iterator[Event]:
    """Yield what the target is taken to promise and a row for every property, or why it is refused."""
    try:
        names_of(request.properties)  # refuses an unknown one before anything is imported
        target = _imported(parse(request.target), request.import_seconds)
        recipe, doubt = _inferred(target, request)
    except TargetError as error:
        yield {"event": "refused", "sentence": str(error), "traceback": error.traceback}
        return
    seed = request.seed
    effort = Effort(EXAMPLES[request.mode], derandomize=seed is None, seed=seed)
    planned = jobs(recipe, request.properties, effort)
    asked = {name for job in planned for name in job.properties}
    yield {
        "event": "started",
        "target": str(target),
        "version": recipe.version(),
        "offers": offered(recipe),
        "doubt": doubt,
        "properties": [name for name in names_of(()) if name in asked],
    }
    for row in rows(planned, PATIENCE[request.mode], _cores()):
        yield {"event": "row", "row": dataclasses.asdict(row)}
    yield {"event": "ended"}


def _imported(target: Target, seconds: float) -> Target:
    """Import the target; if that does not end, this process does, and says where on its standard error."""
    faulthandler.dump_traceback_later(seconds, exit=True, file=2)
    load(target)
    faulthandler.cancel_dump_traceback_later()
    return target


def _inferred(target: Target, request: Request) -> tuple[Recipe, str]:
    """Return the target with its contract, and what is doubtful about it."""
    promises = Promises(request.remainder, request.shuffle, request.epochs)
    (ended,) = run_all([Call(infer, (target, promises), PATIENCE[request.mode].passes)], workers=1)
    if not ended.results:
        raise TargetError(
            f"{target} cannot be used: in the case {ended.at}, the process {ended.reason}, "
            "expected a sampler that can be iterated",
            ended.traceback,
        )
    recipe, *seen = ended.results
    if isinstance(recipe, TargetError):
        raise recipe
    return decide(recipe, seen) if request.remainder is None else (recipe, "")


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


if __name__ == "__main__":
    main()
