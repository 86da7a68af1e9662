"""Why a target cannot be checked."""

from __future__ import annotations

from distsampler.check.printable import printable


class TargetError(ValueError):
    """TARGET cannot be used: one sentence, and the traceback of its own code if that raised something."""

    def __init__(self, sentence: str, traceback: str = "") -> None:
        super().__init__(printable(sentence))
        self.traceback = printable(traceback)
