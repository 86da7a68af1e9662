"""A sampler that is derived from torch's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch.utils.data import DistributedSampler

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case, LengthOnly


class Unrepeated(DistributedSampler[int]):
    """torch's sampler without the repeats at its end."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        super().__init__(dataset, case.num_replicas, rank, case.shuffle, case.seed)  # type: ignore[arg-type]
        self.own = len(range(self.rank, len(dataset), self.num_replicas))

    def __iter__(self) -> Iterator[int]:
        """Yield this rank's indices but for the repeats."""
        yield from list(super().__iter__())[: self.own]

    def __len__(self) -> int:
        """Return the number of this rank's indices without the repeats."""
        return self.own
