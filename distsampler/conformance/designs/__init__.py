"""Correct samplers of different designs. No property may flag one, and the mutants start from them.

What a design does not set out to do, such as to hold no list of indices, is pinned as known.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from distsampler.conformance.case import Case
from distsampler.conformance.designs.derived import Unrepeated
from distsampler.conformance.designs.keyed import Keyed
from distsampler.conformance.designs.resumable import (
    Elastic,
    Resumable,
    ResumableBlocked,
    ResumableUnnumbered,
)
from distsampler.conformance.designs.strided import (
    AutoAdvancing,
    Blocked,
    FixedLength,
    NumpyScalars,
    ShuffledBlocks,
    Strided,
)
from distsampler.conformance.designs.wrapping import Wrapping
from distsampler.conformance.subject import Contract, Known, Subject

if TYPE_CHECKING:
    from distsampler.sampling.partition import Remainder

EVERY_REMAINDER = Contract(remainders=("pad", "drop", "uneven"))
RESUMES = dataclasses.replace(EVERY_REMAINDER, resume=True)
WRAPS = dataclasses.replace(EVERY_REMAINDER, wraps=True)

_SMALLEST = {
    "memory": Case(1_000_000, 1),
    "latency": Case(1_000_000, 1),
    "replica_invariance": Case(384, 8, shuffle=False),
    "membership": Case(64, 2, epochs=(0, 1, 2, 3)),
    "seed_epoch_aliasing": Case(64, 1, epochs=(0, 1, 2, 3)),
    "dataset_growth": Case(10, 1, shuffle=False),
    "argument_types": Case(10, 4),
}


def _given_up(*qualities: str, why: str, remainder: Remainder = "pad") -> tuple[Known, ...]:
    """Return pins for qualities that a design does without."""
    return tuple(
        Known(name, dataclasses.replace(_SMALLEST[name], remainder=remainder), lambda _: True, why)
        for name in qualities
    )


LISTS = _given_up("memory", "latency", why="makes a list of the whole epoch before the first index")
BLOCKS = _given_up("replica_invariance", why="gives every rank a contiguous block of the epoch")
BLOCKS_OF_THE_DATASET = (
    *_given_up("memory", "latency", why="makes a list of a block before its first index", remainder="uneven"),
    *_given_up(
        "membership",
        "replica_invariance",
        why="gives every rank the same block of the dataset in all epochs",
        remainder="uneven",
    ),
)
TORCHS = _given_up(
    "memory",
    "latency",
    "seed_epoch_aliasing",
    "dataset_growth",
    "argument_types",
    why="torch's sampler, from which it is derived, does without",
    remainder="uneven",
)

DESIGNS: tuple[Subject, ...] = (
    Subject("strided", Strided, EVERY_REMAINDER, LISTS),
    Subject("blocked", Blocked, EVERY_REMAINDER, LISTS + BLOCKS),
    Subject("shuffled-blocks", ShuffledBlocks, Contract(("uneven",)), BLOCKS_OF_THE_DATASET),
    Subject("numpy-scalars", NumpyScalars, EVERY_REMAINDER, LISTS),
    Subject("auto-advancing", AutoAdvancing, EVERY_REMAINDER, LISTS),
    Subject("unnumbered-passes", AutoAdvancing, dataclasses.replace(EVERY_REMAINDER, epochs=False), LISTS),
    Subject("fixed-length", FixedLength, EVERY_REMAINDER, LISTS),
    Subject("keyed", Keyed, EVERY_REMAINDER),
    Subject("derived-from-torch", Unrepeated, Contract(("uneven",)), TORCHS),
    Subject("resumable", Resumable, RESUMES, LISTS),
    Subject("resumable-blocked", ResumableBlocked, RESUMES, LISTS + BLOCKS),
    Subject("resumable-unnumbered", ResumableUnnumbered, dataclasses.replace(RESUMES, epochs=False), LISTS),
    Subject("elastic", Elastic, RESUMES, LISTS),
    Subject("wrapping", Wrapping.over_torchs, WRAPS, LISTS, wrap=Wrapping),
)

__all__ = [
    "DESIGNS",
    "EVERY_REMAINDER",
    "RESUMES",
    "WRAPS",
    "AutoAdvancing",
    "Blocked",
    "Elastic",
    "FixedLength",
    "Keyed",
    "NumpyScalars",
    "Resumable",
    "ResumableBlocked",
    "ResumableUnnumbered",
    "ShuffledBlocks",
    "Strided",
    "Unrepeated",
    "Wrapping",
]
