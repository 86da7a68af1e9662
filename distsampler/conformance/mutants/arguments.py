"""Arguments used unchecked."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from distsampler.conformance.designs import Strided
from distsampler.conformance.mutants.mutant import Mutant

if TYPE_CHECKING:
    from distsampler.conformance.case import Case, LengthOnly


class TrustsArguments(Strided):
    """Slices with whatever rank and number of replicas it is given."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        self.dataset, self.case, self.rank = dataset, case, rank
        self.epoch = 0


class RoundsDown(Strided):
    """Makes an int of whatever number it is given."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        whole = dataclasses.replace(case, num_replicas=int(case.num_replicas), seed=int(case.seed))
        super().__init__(dataset, whole, int(rank))

    def set_epoch(self, epoch: int) -> None:
        self.epoch = int(epoch)


class TakesBools(Strided):
    """Takes True for 1, as an int is asked for and a bool is one."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        if not all(isinstance(number, int) for number in (case.num_replicas, rank, case.seed)):
            raise TypeError("num_replicas, rank and seed have to be integers")
        whole = dataclasses.replace(case, num_replicas=int(case.num_replicas), seed=int(case.seed))
        super().__init__(dataset, whole, int(rank))


MUTANTS = (
    Mutant("argument_validation", TrustsArguments, ("B017",)),
    Mutant("argument_types", RoundsDown),
    Mutant("argument_types", TakesBools),
)
