"""The sampler that torch ships."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch.utils.data import DistributedSampler

from distsampler.conformance.subject import Subject

if TYPE_CHECKING:
    from distsampler.conformance.case import Case, LengthOnly


def _make(dataset: LengthOnly, case: Case, rank: int) -> DistributedSampler[int]:
    return DistributedSampler(
        dataset,  # type: ignore[arg-type]  # torch asks for a Dataset but needs a length only
        case.num_replicas,
        rank,
        case.shuffle,
        case.seed,
        case.remainder == "drop",
    )


DISTRIBUTED_SAMPLER = Subject("torch.DistributedSampler", _make)
