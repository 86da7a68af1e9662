"""Real text that every machine has: the Python standard library's own sources, and every offset a sample."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.utils.data import Dataset

CONTEXT = 64  # bytes that the model sees of the text before the byte that it predicts
INSTALLED = frozenset({"site-packages", "dist-packages"})


def source_files() -> list[Path]:
    """Return the standard library's `*.py` files in sorted order, without installed packages."""
    folder = Path(sysconfig.get_path("stdlib"))
    found = (path.relative_to(folder) for path in folder.rglob("*.py"))
    return [folder / path for path in sorted(found) if INSTALLED.isdisjoint(path.parts)]


def write_corpus(path: Path, files: list[Path]) -> None:
    """Write the bytes of `files`, one after the other, to `path`."""
    with path.open("wb") as corpus:
        for file in files:
            corpus.write(file.read_bytes())


class ByteWindows(Dataset[tuple[torch.Tensor, torch.Tensor]]):
    """The bytes `[start, stop)` of a memory-mapped file: at every offset a context and the byte after it.

    A sample is the context, shape (CONTEXT,), int64, and the next byte, shape (), int64.
    Raises ValueError for a text that is too short for one sample.
    """

    def __init__(self, path: Path, start: int | None = None, stop: int | None = None) -> None:
        self.path, self.start, self.stop = path, start, stop
        first, end, _ = slice(start, stop).indices(path.stat().st_size)
        if end - first <= CONTEXT:
            raise ValueError(
                f"the text has {max(0, end - first)} bytes, expected more than {CONTEXT}; "
                "use a Python that ships its standard library's sources"
            )
        self.text = np.memmap(path, np.uint8, mode="r")[first:end]

    def __len__(self) -> int:
        """Return how many offsets have a whole context and a byte after it."""
        return len(self.text) - CONTEXT

    def __getitem__(self, offset: int) -> tuple[torch.Tensor, torch.Tensor]:
        """Return the context at `offset` and the byte after it; IndexError outside `[0, len(self))`."""
        if not 0 <= offset < len(self):
            raise IndexError(f"offset is {offset}, expected one in [0, {len(self)})")
        window = torch.from_numpy(self.text[offset : offset + CONTEXT + 1].astype(np.int64))
        return window[:-1], window[-1]

    def __reduce__(self) -> tuple[Any, ...]:
        """Let a worker process map the file again: a pickled memmap would carry the whole text."""
        return ByteWindows, (self.path, self.start, self.stop)
