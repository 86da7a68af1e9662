"""Samplers of other packages: what they register as entry points of the group `distsampler.subjects`."""

from __future__ import annotations

import dataclasses
from functools import partial
from importlib import metadata
from typing import TYPE_CHECKING, Any, NoReturn

from distsampler.conformance import Subject
from distsampler.conformance.trace import describe

if TYPE_CHECKING:
    from collections.abc import Iterable

GROUP = "distsampler.subjects"


def discovered(entries: Iterable[metadata.EntryPoint] | None = None) -> tuple[Subject, ...]:
    """Return the subjects that installed packages register, by the names of their entries.

    An entry is a `Subject` or a tuple of them. One that cannot be loaded or is something else gives a subject
    that cannot be made, so that it is told as an error like any other and stops nothing.
    """
    found = metadata.entry_points(group=GROUP) if entries is None else entries
    return tuple(
        subject for entry in sorted(found, key=lambda entry: entry.name) for subject in _loaded(entry)
    )


def _loaded(entry: metadata.EntryPoint) -> tuple[Subject, ...]:
    try:
        loaded = entry.load()
    except Exception as error:  # noqa: BLE001  (told by who makes the subject)
        return (_broken(entry, f"cannot be loaded: {describe(error)}"),)
    subjects = (loaded,) if isinstance(loaded, Subject) else loaded
    if isinstance(subjects, tuple) and all(isinstance(subject, Subject) for subject in subjects):
        return tuple(dataclasses.replace(each, package=each.package or _package(entry)) for each in subjects)
    return (_broken(entry, f"is a {type(loaded).__name__}, expected a Subject or a tuple of them"),)


def _broken(entry: metadata.EntryPoint, reason: str) -> Subject:
    sentence = f"the entry point {entry.name} = {entry.value} {reason}"
    return Subject(entry.name, partial(_refuse, sentence), package=_package(entry))


def _package(entry: metadata.EntryPoint) -> str:
    return entry.dist.name if entry.dist else ""


def _refuse(sentence: str, *_: Any) -> NoReturn:
    raise ImportError(sentence)
