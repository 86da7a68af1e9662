"""A batch sampler that hands out lists straight from the sampler's arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from torch.utils.data import Sampler

from distsampler.sampling import arguments

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from distsampler.sampling.sampler import DistributedSampler
    from distsampler.sampling.state import State


class BatchSampler(Sampler[list[int]]):
    """Lists of `batch_size` indices of `sampler`, for `DataLoader(batch_sampler=…)`.

    The last list is shorter unless `drop_last`. Epoch and state are those of `sampler`.
    Raises ValueError if `batch_size` is below 1, TypeError if it is no integer.
    """

    def __init__(self, sampler: DistributedSampler, batch_size: int, drop_last: bool = False) -> None:
        self.sampler = sampler
        self.batch_size = arguments.natural("batch_size", batch_size, least=1)
        self.drop_last = arguments.flag("drop_last", drop_last)

    def __iter__(self) -> Iterator[list[int]]:
        """Draw this rank's batches of the current epoch."""
        return self.sampler._begin().batches(self.batch_size, drop_last=self.drop_last)  # noqa: SLF001

    def __len__(self) -> int:
        """Return how many batches the next pass yields."""
        whole, rest = divmod(len(self.sampler), self.batch_size)
        return whole + (rest > 0 and not self.drop_last)

    def set_epoch(self, epoch: int) -> None:
        """Make the next pass draw the order of `epoch`."""
        self.sampler.set_epoch(epoch)

    def state_dict(self, delivered: int | None = None) -> State:
        """Return the sampler's state; `delivered` counts samples, not batches."""
        return self.sampler.state_dict(delivered)

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a state of the sampler or of its batches."""
        self.sampler.load_state_dict(state)
