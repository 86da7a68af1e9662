"""Samplers that draw from global generators, or seed them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import torch

from distsampler.conformance.designs import Strided
from distsampler.conformance.mutants.determinism import GlobalGenerator
from distsampler.conformance.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case, LengthOnly


class ChoosesOwnSeed(Strided):
    """Chooses its seed from the process's random state when it is constructed."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        super().__init__(dataset, case, rank)
        self.own_seed = random.randrange(2**32)  # noqa: S311

    def generator(self) -> np.random.Generator:
        return np.random.default_rng([self.own_seed, self.epoch])


class ReseedsTorch(Strided):
    """Seeds torch's global generator with the epoch to shuffle with it."""

    def order(self) -> list[int]:
        if not self.case.shuffle:
            return super().order()
        torch.manual_seed(self.case.seed + self.epoch)
        order: list[int] = torch.randperm(len(self.dataset)).tolist()
        return order


class DrawsSalt(Strided):
    """Draws a number from numpy's global generator in every pass and makes no use of it."""

    def __iter__(self) -> Iterator[int]:
        np.random.random_sample()  # noqa: NPY002  (the fault)
        return super().__iter__()


class ReseedsPython(Strided):
    """Seeds Python's global generator when it is constructed."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        super().__init__(dataset, case, rank)
        random.seed(case.seed)


MUTANTS = (
    Mutant("rank_agreement", GlobalGenerator, ("B101", "B177", "B212", "B214")),
    Mutant("rank_agreement", ChoosesOwnSeed, ("B046", "B047")),
    Mutant("rng_isolation", ReseedsTorch),
    Mutant("rng_isolation", DrawsSalt),
    Mutant("rng_isolation", ReseedsPython),
)
