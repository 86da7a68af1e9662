"""The samplers that the harness knows: one module per project that ships some, and their table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from distsampler.subjects import ours, pytorch, seed

if TYPE_CHECKING:
    from distsampler.conformance import Subject

SUBJECTS: tuple[Subject, ...] = (
    ours.DISTRIBUTED_SAMPLER,
    pytorch.DISTRIBUTED_SAMPLER,
    seed.SEED_SAMPLER,
)
