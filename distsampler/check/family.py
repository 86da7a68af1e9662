"""A process with all that descend from it: how much memory they use, and their end."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys

import psutil

_BECOME_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER of linux/prctl.h


class Family:
    """The process `pid`, its children, theirs, and those that were once seen to be."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self._seen: dict[int, psutil.Process] = {}

    def usage(self) -> tuple[int, int]:
        """Return how many processes there are, and the resident bytes of the largest."""
        members, largest = self._look(), 0
        for member in members:
            with contextlib.suppress(psutil.Error):
                largest = max(largest, member.memory_info().rss)
        return len(members), largest

    def kill(self) -> None:
        """End every member, and whoever is still in the process group that the first one leads."""
        members = [*self._look(), *self._seen.values()]
        if hasattr(os, "killpg"):
            with contextlib.suppress(OSError):
                # A process that leads no group yet is in ours, which has to live on.
                if os.getpgid(self._pid) == self._pid:
                    os.killpg(self._pid, signal.SIGKILL)
        for member in members:
            with contextlib.suppress(psutil.Error):
                member.kill()

    def _look(self) -> list[psutil.Process]:
        """Return those who are there now."""
        try:
            first = psutil.Process(self._pid)
            descendants = first.children(recursive=True)
        except psutil.Error:
            return []
        self._seen.update((process.pid, process) for process in descendants)
        return [first, *descendants]


def adopt_orphans() -> None:
    """Let processes whose parents have ended become children of this one, where the system can do that."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_BECOME_SUBREAPER, 1, 0, 0, 0)


def end_descendants() -> None:
    """End all that descend from this process, adopted ones too."""
    for process in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            process.kill()
