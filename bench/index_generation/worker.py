"""The process that runs the timed tests, and tells the one that started it about each."""

from __future__ import annotations

import contextlib
import io
import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from multiprocessing.connection import Connection

# The program that started this process may have had modules imported here that pytest would like to rewrite.
_OPTIONS = ("--capture=no", "-W", "ignore::pytest.PytestAssertRewriteWarning")


class Reporter:
    """A pytest plugin that sends `(test, None)` before each test and `(test, outcome)` after it.

    It waits for an answer to each, so that nothing is measured while the starter is busy, and ends this
    process when the starter is gone.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> None:
        """Report that a test begins."""
        self._report(item, None)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Function, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Report what a test measured, or its error."""
        report = yield
        if call.when == "teardown":
            return report
        if call.excinfo is not None:
            self._report(item, {"status": "error", "error": " ".join(call.excinfo.exconly().split())})
        elif call.when == "call":
            benchmark: Any = item.funcargs["benchmark"]
            draws = benchmark.extra_info["draws"]
            self._report(item, {"values": tuple(benchmark.stats.stats.data), "draws": draws})
        return report

    def _report(self, item: pytest.Item, outcome: dict[str, Any] | None) -> None:
        try:
            self._connection.send((item.name, outcome))
            self._connection.recv()
        except (EOFError, ConnectionError):
            os._exit(1)


def run_tests(connection: Connection, arguments: Sequence[str]) -> None:
    """Run pytest and report every test, then `("", outcome)` for those that pytest could not find or run."""
    # Who runs these tests may be a worker of pytest-xdist, which turns benchmarks off where it is found.
    os.environ.pop("PYTEST_XDIST_WORKER", None)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        pytest.main([*arguments, *_OPTIONS], plugins=[Reporter(connection)])
    last_line = printed.getvalue().strip().rpartition("\n")[2]
    connection.send(("", {"status": "error", "error": f"pytest did not run the test: {last_line}"}))
