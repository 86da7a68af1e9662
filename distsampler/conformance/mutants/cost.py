"""Samplers that cost more the larger the dataset is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch.utils.data import DataLoader

from distsampler.conformance.designs import Keyed
from distsampler.conformance.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case, LengthOnly


class HoldsList(Keyed):
    """Makes a list of all its indices before it yields the first."""

    def __iter__(self) -> Iterator[int]:
        return iter(list(super().__iter__()))


class HoldsTensor(Keyed):
    """Keeps the numbers of all samples in a tensor."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        super().__init__(dataset, case, rank)
        self.numbers = torch.arange(len(dataset))


class WalksToItsTurn(Keyed):
    """Counts through the whole dataset before it begins, without keeping anything."""

    def __iter__(self) -> Iterator[int]:
        for _ in range(len(self.dataset)):
            pass
        return super().__iter__()


class ShufflesAll(Keyed):
    """Shuffles all samples before it yields the first."""

    def __iter__(self) -> Iterator[int]:
        np.random.default_rng(0).permutation(len(self.dataset))
        return super().__iter__()


class ReadsToMeasure(Keyed):
    """Counts the samples by reading them."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        super().__init__(dataset, case, rank)
        for index in range(len(dataset)):
            dataset[index]


class ReadsInWorkers(Keyed):
    """Has two processes read all samples, to know how long each is."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        super().__init__(dataset, case, rank)
        list(DataLoader(dataset, num_workers=2, multiprocessing_context="fork"))  # type: ignore[arg-type]


class ReadsAhead(Keyed):
    """Reads every sample before it yields the index."""

    def __iter__(self) -> Iterator[int]:
        for index in super().__iter__():
            self.dataset[index]
            yield index


MUTANTS = (
    Mutant("memory", HoldsList, ("B093", "B094")),
    Mutant("memory", HoldsTensor),
    Mutant("latency", WalksToItsTurn, ("B107",)),
    Mutant("latency", ShufflesAll),
    Mutant("laziness", ReadsToMeasure),
    Mutant("laziness", ReadsInWorkers),
    Mutant("laziness", ReadsAhead),
)
