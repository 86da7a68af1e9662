"""Batch samplers, index by index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


@dataclass(slots=True)
class Flattened:
    """The indices in a row that `batches` yields in lists; its length is that of `batches`.

    So the length is a number of indices only where each batch holds one. What is no list of indices is
    passed on as it is. `set_epoch` goes to `sampler`, from which the batches are taken, if it has one.
    """

    batches: Any
    sampler: Any = None

    def __iter__(self) -> Iterator[Any]:
        """Yield the indices of every batch."""
        for batch in self.batches:
            yield from _members(batch)

    def __len__(self) -> int:
        """Return the number of batches."""
        return len(self.batches)

    def set_epoch(self, epoch: int) -> None:
        """Pass the epoch on."""
        if hasattr(self.sampler, "set_epoch"):
            self.sampler.set_epoch(epoch)


def _members(batch: Any) -> Iterable[Any]:
    return batch if isinstance(batch, (list, tuple)) else (batch,)
