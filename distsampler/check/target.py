"""TARGET, the sampler that somebody wants checked."""

from __future__ import annotations

import keyword
import unicodedata
from dataclasses import dataclass
from typing import Any

from distsampler.check.refusal import TargetError

_FORM = "package.module:NAME or path/to/file.py:NAME"


@dataclass(frozen=True, slots=True)
class Target:
    """A name in a module, which is `place` if that is dotted, or the file of that path."""

    place: str
    name: str

    @property
    def is_file(self) -> bool:
        """Say whether `place` is the path of a file."""
        return self.place.endswith(".py") or "/" in self.place or "\\" in self.place

    def __str__(self) -> str:
        return f"{self.place}:{self.name}"


@dataclass(frozen=True, slots=True)
class Given:
    """A target that somebody has at hand."""

    value: Any

    @property
    def name(self) -> str:
        """What it is called, as far as it says."""
        names = (getattr(self.value, name, None) for name in ("name", "__qualname__"))
        return next((name for name in names if isinstance(name, str)), repr(self.value))

    def __str__(self) -> str:
        return self.name


def is_importable(name: str) -> bool:
    """Say whether a dotted name can be written in a program as it is."""
    parts = name.split(".")
    is_plain = unicodedata.is_normalized("NFKC", name)  # as Python makes the names that it reads
    return is_plain and all(part.isidentifier() and not keyword.iskeyword(part) for part in parts)


def parse(text: str) -> Target:
    """Return what `text` names; raises TargetError unless it has the form of a target.

    The colon that counts is the last one, because that of a Windows drive comes before it.
    """
    place, _, name = text.rpartition(":")
    if not place or not is_importable(name):
        raise TargetError(f"TARGET is {text!r}, expected {_FORM}; NAME is a class, a factory or a Subject")
    target = Target(place, name)
    if not target.is_file and not all(part.isidentifier() for part in place.split(".")):
        raise TargetError(f"TARGET is {text!r}, where {place!r} is no module, expected {_FORM}")
    return target
