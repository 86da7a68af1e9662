"""Orders that depend on more than their arguments."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np

from distsampler.conformance.designs import Strided
from distsampler.conformance.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case, LengthOnly


class GlobalGenerator(Strided):
    """Shuffles with numpy's global generator."""

    def order(self) -> list[int]:
        indices = super().order()
        if self.case.shuffle:
            np.random.shuffle(indices)  # noqa: NPY002  (the fault)
        return indices


class CountsPasses(Strided):
    """Reseeds from the number of passes instead of the epoch."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        super().__init__(dataset, case, rank)
        self.passes = itertools.count()

    def __iter__(self) -> Iterator[int]:
        self.epoch = next(self.passes)
        return super().__iter__()


MUTANTS = (
    Mutant("determinism", GlobalGenerator),
    Mutant("determinism", CountsPasses),
)
