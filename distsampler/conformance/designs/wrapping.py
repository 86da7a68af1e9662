"""A sampler that splits another one over ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch.utils.data import RandomSampler, SequentialSampler

from distsampler.conformance.designs.strided import Strided

if TYPE_CHECKING:
    from distsampler.conformance.case import Case, LengthOnly


class Wrapping(Strided):
    """Lets a sampler of torch's draw on every rank as if all were one process, and deals its draws out."""

    def __init__(self, inner: Any, case: Case, rank: int) -> None:
        super().__init__(inner, case, rank)
        self.inner = inner

    def order(self) -> list[int]:
        """Return what the inner sampler draws in this epoch."""
        with torch.random.fork_rng(devices=()):
            torch.default_generator.manual_seed(int(self.generator().integers(2**31)))
            return list(self.inner)

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch of the next pass, of the inner sampler too."""
        super().set_epoch(epoch)
        if hasattr(self.inner, "set_epoch"):
            self.inner.set_epoch(epoch)

    @classmethod
    def over_torchs(cls, dataset: LengthOnly, case: Case, rank: int) -> Wrapping:
        """Wrap the sampler that torch has for one process."""
        shuffles = case.shuffle and len(dataset) > 0
        inner: Any = RandomSampler if shuffles else SequentialSampler
        return cls(inner(dataset), case, rank)
