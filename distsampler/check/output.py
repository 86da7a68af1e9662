"""What a sampler prints: kept out of the report, and bounded, however much it is."""

from __future__ import annotations

import io
import os
import sys
import tempfile
from pathlib import Path

KEPT = 4_000
_BOUND = 1_000_000


class OutputFile:
    """A file that a child process prints to, of which the beginning is kept."""

    def __init__(self) -> None:
        handle, path = tempfile.mkstemp(prefix="distsampler-")
        self.path = Path(path)
        self._file = os.fdopen(handle, "r+b")
        self._kept = ""

    def bound(self) -> None:
        """Empty the file if it has grown large."""
        if os.fstat(self._file.fileno()).st_size > _BOUND:
            self.text()
            self._file.truncate(0)

    def text(self) -> str:
        """Return the beginning of what was printed."""
        if not self._kept:
            self._file.seek(0)
            self._kept = self._file.read(KEPT).decode("utf-8", "replace")
        return self._kept

    def remove(self) -> None:
        """Delete the file."""
        self._file.close()
        self.path.unlink(missing_ok=True)


class _Head(io.TextIOBase):
    """Passes the first characters on, and drops the rest, which costs next to nothing."""

    def __init__(self, descriptor: int) -> None:
        self.buffer = open(descriptor, "wb", buffering=0, closefd=False)  # noqa: SIM115
        self._left = KEPT

    def write(self, text: str) -> int:
        kept = text[: self._left]
        if kept:
            self.buffer.write(kept.encode("utf-8", "replace"))
            self._left -= len(kept)
        return len(text)

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self.buffer.fileno()


def redirect(path: Path) -> None:
    """Let all that this process prints, whether through Python or not, go to `path`; nothing can be read."""
    sink = os.open(path, os.O_WRONLY | os.O_APPEND)
    source = os.open(os.devnull, os.O_RDONLY)
    for opened, standard in ((source, 0), (sink, 1), (sink, 2)):
        os.dup2(opened, standard)
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stdout, sys.stderr = _Head(1), _Head(2)
