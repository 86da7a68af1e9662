"""Having a target checked: in a process of its own, whose answer is read as it comes."""

from __future__ import annotations

import dataclasses
import json
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from distsampler.check.family import Family
from distsampler.check.output import OutputFile
from distsampler.check.refusal import TargetError
from distsampler.check.report import Report
from distsampler.check.row import Row

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from distsampler.check.request import Request

Event = dict[str, Any]


def check(request: Request, progress: Callable[[Event], None] = lambda _: None) -> Report:
    """Return the report on a target; `progress` hears of every event. Raises TargetError."""
    started: Event = {}
    rows: dict[str, Row] = {}
    for event in _events(request):
        if event["event"] == "refused":
            raise TargetError(event["sentence"], event["traceback"])
        if event["event"] == "started":
            started = event
        elif event["event"] == "row":
            row = Row(**{**event["row"], "violations": tuple(event["row"]["violations"])})
            rows[row.property] = row
        progress(event)
    in_order = tuple(rows[name] for name in started["properties"])
    return Report(request, started["version"], started["offers"], started["doubt"], in_order)


def _events(request: Request) -> Iterator[Event]:
    """Yield what the host process tells; it and all that it started have ended afterwards."""
    output = OutputFile()
    with output.path.open("ab") as errors:
        host = subprocess.Popen(  # noqa: S603  (this program)
            [sys.executable, "-m", "distsampler.check.host", str(output.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
    family = Family(host.pid)
    assert host.stdin is not None, "the host has a standard input"
    assert host.stdout is not None, "the host has a standard output"
    try:
        json.dump(dataclasses.asdict(request), host.stdin)
        host.stdin.close()
        kind = ""
        for line in host.stdout:
            event = json.loads(line)
            kind = event["event"]
            yield event
        if kind not in ("refused", "ended"):
            raise TargetError(*_death(request, host.wait(), output.text()))
    finally:
        family.kill()
        host.wait()
        host.stdout.close()
        output.remove()


def _death(request: Request, code: int, printed: str) -> tuple[str, str]:
    """Return why the host ended without an answer, as a sentence and what it last said."""
    if printed.startswith("Timeout ("):
        reason = f"its import has not ended after {request.import_seconds:g} s"
    elif code < 0:
        reason = f"the process that imported it died of {signal.Signals(-code).name}"
    else:
        reason = f"the process that imported it ended with exit code {code}"
    sentence = f"{request.target} cannot be checked: {reason}, expected a module that only defines things"
    return sentence, printed
