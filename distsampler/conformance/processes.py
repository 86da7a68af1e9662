"""Processes of our own: several at the same time, under a time limit, and none that survives."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import sys
import time
import warnings
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, TypeVar

from distsampler.conformance.trace import describe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection

T = TypeVar("T")

# A forked process has everything already: the subject, whatever it is made of, and torch.
START_METHOD = "fork" if sys.platform == "linux" else "spawn"


@contextlib.contextmanager
def reaped() -> Iterator[None]:
    """Leave no process behind that the block started, and keep Python's word about forks beside threads."""
    before = {child.pid for child in multiprocessing.active_children()}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            yield
    finally:
        for child in multiprocessing.active_children():
            if child.pid not in before:
                child.kill()
                child.join()


def together(work: Callable[[int], T], count: int, seconds: int) -> list[T]:
    """Return `work(0)` to `work(count - 1)`, each from a process of its own, all at the same time.

    No process ends before all results are there, since they may need each other. Raises TimeoutError unless
    that is after `seconds`, RuntimeError as soon as one has failed. Where processes can't be forked, `work`
    is pickled.
    """
    deadline = time.monotonic() + seconds
    results: dict[int, T] = {}
    with reaped():
        connections = [_start(work, number, seconds) for number in range(count)]
        while len(results) < count:
            pending = [number for number in range(count) if number not in results]
            left = max(0.0, deadline - time.monotonic())
            ready = wait([connections[number] for number in pending], left)
            if not ready:
                raise TimeoutError(f"process {pending[0]} of {count} has not ended after {seconds} s")
            for number in pending:
                if connections[number] in ready:
                    results[number] = _receive(connections[number], number)
    return [results[number] for number in range(count)]


def _start(work: Callable[[int], Any], number: int, seconds: int) -> Connection:
    context: Any = multiprocessing.get_context(START_METHOD)
    receiver: Connection
    receiver, sender = context.Pipe(duplex=False)
    context.Process(target=_report, args=(work, number, sender, seconds)).start()
    sender.close()
    return receiver


def _report(work: Callable[[int], Any], number: int, sender: Connection, seconds: int) -> None:
    """Be the process `number`; end after `seconds` even if nobody is left to end it."""
    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(seconds + 1)
    try:
        sender.send((work(number), ""))
    except BaseException as error:  # noqa: BLE001  (reported)
        sender.send((None, describe(error)))
    time.sleep(seconds)


def _receive(connection: Connection, number: int) -> Any:
    try:
        result, error = connection.recv()
    except EOFError:
        error = "it died without a word"
    if error:
        raise RuntimeError(f"process {number} has failed: {error}")
    return result
