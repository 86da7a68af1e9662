"""Text that somebody else wrote, made fit for every file and terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return text with what cannot be seen or encoded, such as control characters, as Python escapes it."""
    return "".join(char if char.isprintable() or char == "\n" else repr(char)[1:-1] for char in text)
