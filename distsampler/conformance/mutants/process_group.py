"""Samplers that do not find out who they are."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING

from distsampler.conformance.designs import Strided
from distsampler.conformance.mutants.mutant import Mutant

if TYPE_CHECKING:
    from distsampler.conformance.case import Case, LengthOnly


class SupposesOneProcess(Strided):
    """Is the only process unless it is told otherwise."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        alone = dataclasses.replace(case, num_replicas=case.num_replicas or 1)
        super().__init__(dataset, alone, rank or 0)


class BelievesLocalRank(Strided):
    """Takes its number on its machine for its rank."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        super().__init__(dataset, case, int(os.environ["LOCAL_RANK"]) if rank is None else rank)


MUTANTS = (
    Mutant("process_group", SupposesOneProcess),
    Mutant("process_group", BelievesLocalRank),
)
