"""Measuring in a process of its own, so that a sampler that hangs or crashes harms nothing else."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess


@dataclass(frozen=True, slots=True)
class Measuring:
    """A process that measures, and the connection over which it tells."""

    process: BaseProcess
    connection: Connection

    def receive(self, seconds: float | None = None) -> Any:
        """Return the next message; raise TimeoutError after `seconds`, EOFError if the process has ended."""
        try:
            if self.connection.poll(seconds):
                return self.connection.recv()
        except (EOFError, ConnectionError) as error:
            self.process.join()
            raise EOFError(f"its process ended {_manner(self.process.exitcode)}") from error
        raise TimeoutError(f"took longer than {seconds:g} s, the limit for one measurement")

    def answer(self) -> None:
        """Let the process go on; that it has just ended is for `receive` to say."""
        with contextlib.suppress(ConnectionError):
            self.connection.send(None)


@contextlib.contextmanager
def measuring(
    method: Literal["spawn", "forkserver"], target: Callable[..., None], *arguments: Any
) -> Iterator[Measuring]:
    """Run `target(connection, *arguments)` in a new process, and end that process on leaving.

    `method` is how multiprocessing starts it.
    """
    context: Any = multiprocessing.get_context(method)
    connection, theirs = context.Pipe()
    process = context.Process(target=_run, args=(target, theirs, *arguments), daemon=True)
    process.start()
    # With only one end left here, each side notices when the other is gone.
    theirs.close()
    try:
        yield Measuring(process, connection)
    finally:
        process.kill()
        process.join()
        connection.close()


def _run(target: Callable[..., None], *arguments: Any) -> None:
    # Ctrl-C reaches every process of a terminal; the starter is the one to act on it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    target(*arguments)


def _manner(exitcode: int | None) -> str:
    if exitcode is None or exitcode >= 0:
        return f"with exit code {exitcode} before it had measured anything"
    name = signal.Signals(-exitcode).name
    return f"by {name}; the machine may have run out of memory" if name == "SIGKILL" else f"by {name}"
