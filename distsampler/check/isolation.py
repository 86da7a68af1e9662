"""Calling a function in a process of its own, under limits, so that whatever it does there ends there."""

from __future__ import annotations

import contextlib
import math
import multiprocessing
import os
import signal
import sys
import time
import warnings
from collections import deque
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, Literal

import torch

from distsampler.check.family import Family
from distsampler.check.loading import own_traceback
from distsampler.check.output import OutputFile, redirect
from distsampler.check.reporter import Line
from distsampler.conformance.trace import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from multiprocessing.connection import Connection
    from pathlib import Path

    from distsampler.check.limits import Limits
    from distsampler.check.reporter import Reporter

Status = Literal["done", "error", "timeout"]

# A forked process has torch and the target already; elsewhere forking is not there, or not safe.
START_METHOD = "fork" if sys.platform == "linux" else "spawn"
_POLL_SECONDS = 0.1
_MOST_PROCESSES = 64


@dataclass(frozen=True, slots=True)
class Call:
    """A function, called with a `Reporter` and an argument; both are pickled where processes spawn."""

    function: Callable[[Reporter, Any], None]
    argument: Any
    limits: Limits


@dataclass(frozen=True, slots=True)
class Ended:
    """How a call ended: what it had reported until then and, unless it is done, why and at what."""

    call: Call
    results: tuple[Any, ...]
    status: Status
    reason: str = ""
    at: Any = None
    traceback: str = ""
    output: str = ""
    lost_seconds: float = 0


def run_all(calls: Iterable[Call], workers: int, lost_seconds: float = math.inf) -> Iterator[Ended]:
    """Yield how each call ended, as it ends; at most `workers` of them run at a time.

    Once some did not end in time, `lost_seconds` is how long all of them may keep silent together; those
    that are not done by then have a timeout too.

    Raises ConnectionAbortedError when the parent of this process, who wanted to know, has gone.
    """
    parent = os.getppid()
    waiting = deque(calls)
    running: list[_Child] = []
    lost = 0.0
    try:
        while waiting or running:
            if (lost and lost + sum(child.silence() for child in running)) >= lost_seconds:
                reason = f"was not waited for after {lost_seconds:g} s lost to others"
                while running:
                    yield running.pop().ended("timeout", reason)
                yield from (Ended(call, (), "timeout", reason) for call in waiting)
                return
            while waiting and len(running) < workers:
                running.append(_Child(waiting.popleft()))
            wait([ready for child in running for ready in child.signals()], timeout=_POLL_SECONDS)
            for child in tuple(running):
                ended = child.poll()
                if ended:
                    running.remove(child)
                    lost += ended.lost_seconds
                    yield ended
            if os.getppid() != parent:
                raise ConnectionAbortedError("the parent process has ended")
    finally:
        for child in running:
            child.end()


class _Child:
    """A call on its way."""

    def __init__(self, call: Call) -> None:
        self.call, self.limits = call, call.limits
        self._results: list[Any] = []
        self._at: Any = None
        self._last: tuple[Status, str, str] | None = None
        self._output = OutputFile()
        context: Any = multiprocessing.get_context(START_METHOD)
        self._connection, theirs = context.Pipe(duplex=False)
        self._process = context.Process(target=_run, args=(theirs, self._output.path, call))
        with warnings.catch_warnings():
            # A module that starts threads when it is imported is not ours to blame.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()
        theirs.close()
        self._family = Family(self._process.pid or 0)
        self._started = self._heard = self._looked = time.monotonic()

    def signals(self) -> list[Any]:
        """Return what becomes ready when there is news."""
        ended = self._process.sentinel
        return [ended] if self._connection.closed else [ended, self._connection]

    def poll(self) -> Ended | None:
        """Return how the call ended, if it has, or does now because it exceeds a limit."""
        is_alive = self._process.is_alive()
        self._listen()
        last = self._last or (None if is_alive else self._death()) or self._excess()
        if last is None:
            return None
        return self.ended(*last)

    def ended(self, status: Status, reason: str, traceback: str = "") -> Ended:
        """End the call, and return how it ended."""
        output = self._output.text()
        lost = time.monotonic() - self._started if status == "timeout" else 0
        self.end()
        return Ended(self.call, tuple(self._results), status, reason, self._at, traceback, output, lost)

    def silence(self) -> float:
        """Return for how many seconds nothing was heard."""
        return time.monotonic() - self._heard

    def end(self) -> None:
        """Kill the process and all that it started."""
        self._family.kill()
        self._process.join()
        self._connection.close()
        self._output.remove()

    def _listen(self) -> None:
        try:
            while not self._connection.closed and self._connection.poll():
                self._take(*self._connection.recv())
        except (EOFError, OSError):
            self._connection.close()

    def _take(self, kind: str, value: Any) -> None:
        self._heard = time.monotonic()
        if kind == "at":
            self._at = value
        elif kind == "result":
            self._results.append(value)
        else:
            self._last = value

    def _death(self) -> tuple[Status, str, str]:
        code = self._process.exitcode or 0
        if code >= 0:
            return "error", f"ended itself, with exit code {code}", ""
        return "error", f"died of {signal.Signals(-code).name}", ""

    def _excess(self) -> tuple[Status, str, str] | None:
        """Return which limit is exceeded; looking costs some time and is not done all the time."""
        now = time.monotonic()
        if now - self._looked < _POLL_SECONDS:
            return None
        self._looked = now
        self._output.bound()
        processes, largest = self._family.usage()
        if largest > self.limits.bytes:
            return "error", f"needs more than {self.limits.bytes / 2**30:g} GiB of memory", ""
        if processes > _MOST_PROCESSES:
            return "error", f"starts more than {_MOST_PROCESSES} processes", ""
        if self.silence() > self.limits.silent_seconds:
            return "timeout", f"has not ended after {self.limits.silent_seconds:g} s", ""
        if now - self._started > self.limits.seconds:
            self._at = None  # it is slow in all cases, and this one is not to blame
            return "timeout", f"is not through with all cases after {self.limits.seconds:g} s", ""
        return None


def _run(connection: Connection, output: Path, call: Call) -> None:
    """Be the child process."""
    if hasattr(os, "setsid"):
        os.setsid()
    # Cores are shared by processes already, and a forked one would wait for threads that it does not have.
    torch.set_num_threads(1)
    redirect(output)
    line = Line(connection)
    last: tuple[Status, str, str] = ("done", "", "")
    try:
        call.function(line, call.argument)
    except BaseException as error:  # noqa: BLE001  (reported)
        last = ("error", f"raises {describe(error)}", own_traceback(error))
    with contextlib.suppress(BaseException):
        line.send("last", last)
    # What the sampler left behind, threads and exit handlers, must not keep the process.
    os._exit(0)
