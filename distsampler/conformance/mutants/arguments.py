"""Arguments used unchecked."""

from __future__ import annotations

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


MUTANTS = (Mutant("argument_validation", TrustsArguments),)
