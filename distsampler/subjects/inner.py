"""The samplers that wrappers are tried with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch.utils.data import RandomSampler, Sampler, SequentialSampler

if TYPE_CHECKING:
    from distsampler.conformance.case import Case, LengthOnly


def inner_sampler(dataset: LengthOnly, case: Case) -> Sampler[int]:
    """Return torch's sampler of one process for `case`; a random one draws from the global generator."""
    return RandomSampler(dataset) if case.shuffle else SequentialSampler(dataset)
