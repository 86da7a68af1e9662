"""How a function tells what it finds while it runs, to whoever called it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection


class Reporter(Protocol):
    """Hears from a function how far it is."""

    def at(self, what: Any) -> None:
        """Hear what is about to be done, so that it can be named if it does not end."""

    def result(self, value: Any) -> None:
        """Take a part of the answer, which stays known whatever happens after."""


class Line:
    """A reporter in another process."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._process = os.getpid()

    def at(self, what: Any) -> None:
        """Say what is about to be done."""
        self.send("at", what)

    def result(self, value: Any) -> None:
        """Hand over a part of the answer."""
        self.send("result", value)

    def send(self, kind: str, value: Any) -> None:
        """Send a message, unless this is a copy that a sampler forked, which nobody waits for."""
        if os.getpid() != self._process:
            os._exit(0)
        self._connection.send((kind, value))


class _Results(list[Any]):
    """A reporter here, which keeps the results."""

    def at(self, what: Any) -> None:
        """Take no notice."""

    def result(self, value: Any) -> None:
        """Keep a result."""
        self.append(value)


def results_of(function: Callable[[Reporter, Any], None], argument: Any) -> list[Any]:
    """Return what a function reports, called in this process."""
    results = _Results()
    function(results, argument)
    return results
