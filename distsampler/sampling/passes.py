"""One rank's pass over one epoch: handing out indices, and knowing how many were taken."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import numpy as np

from distsampler.sampling.permutation import InOrder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from distsampler.sampling.partition import Partition
    from distsampler.sampling.permutation import Indices, Order

# The first index is there at once; later chunks are long enough for numpy and short enough for its caches.
FIRST_CHUNK = 1024
CHUNK = 16_384


def indices_at(order: Order, positions: range) -> Indices:
    """Return the indices at `positions`, those from `order.length` on being padding, as int64."""
    found = np.empty(len(positions), np.int64)
    for begin in range(0, len(positions), CHUNK):
        part = positions[begin : begin + CHUNK]
        wanted = np.arange(part.start, part.stop, part.step, dtype=np.int64)
        if len(part) and max(part[0], part[-1]) >= order.length:
            wanted %= order.length
        found[begin : begin + len(part)] = order.indices(wanted)
    return found


class Pass:
    """One pass of one rank: `draws` and `batches` yield its indices, `drawn` says how many were taken.

    The indices are made chunk by chunk, and each chunk is handed out by an iterator of C. What that iterator
    has left tells how far the pass has come, so nothing is counted per index.
    """

    def __init__(self, partition: Partition, order: Order) -> None:
        self.partition = partition
        self.finished = False
        self._order: Order | None = order
        self._chunk: Any = iter(())  # hands out the current chunk
        self._items = 0  # how many items it had, each an index or a batch
        self._per_item = 1
        self._begin = self._end = 0  # which of this rank's indices it holds

    @property
    def drawn(self) -> int:
        """How many indices were taken."""
        taken: int = self._items - self._chunk.__length_hint__()
        return min(self._begin + taken * self._per_item, self._end)

    def draws(self) -> Iterator[int]:
        """Yield this rank's indices as Python ints."""
        return itertools.chain.from_iterable(self._chunks(1, self._ints))

    def batches(self, batch_size: int, *, drop_last: bool) -> Iterator[list[int]]:
        """Yield this rank's indices as lists of `batch_size`, the last one shorter unless it is dropped."""

        def lists(positions: range) -> list[list[int]]:
            indices = self._indices(positions)
            whole = len(indices) // batch_size * batch_size
            batched: list[list[int]] = indices[:whole].reshape(-1, batch_size).tolist()
            rest: list[int] = indices[whole:].tolist()
            return [*batched, rest] if rest and not drop_last else batched

        return itertools.chain.from_iterable(self._chunks(batch_size, lists))

    def _chunks(self, per_item: int, items: Callable[[range], Sequence[Any]]) -> Iterator[Iterator[Any]]:
        """Yield an iterator over the items of each chunk in turn."""
        positions = self.partition.positions()
        for begin, end in spans(len(positions), per_item):
            chunk = items(positions[begin:end])
            self._chunk, self._items, self._per_item = iter(chunk), len(chunk), per_item
            self._begin, self._end = begin, end
            yield self._chunk
        self.finished = True

    def _ints(self, positions: range) -> Sequence[int]:
        """Return the indices at `positions`; in order and without padding they are the positions."""
        if isinstance(self._order, InOrder) and positions[-1] < self.partition.length:
            return positions
        ints: list[int] = self._indices(positions).tolist()
        return ints

    def _indices(self, positions: range) -> Indices:
        if self._order is None:
            raise TypeError("this pass came from another process, expected to ask only how far it has come")
        return indices_at(self._order, positions)

    def __getstate__(self) -> dict[str, Any]:
        """Return how far the pass has come; what it would draw next does not travel."""
        count = self.drawn
        progress = {"_chunk": iter(()), "_items": 0, "_per_item": 1, "_begin": count, "_end": count}
        return {**self.__dict__, **progress, "_order": None}


def spans(count: int, multiple: int) -> Iterator[tuple[int, int]]:
    """Yield `[begin, end)` from 0 to `count`, each but the last a multiple of `multiple` long."""
    begin, size = 0, FIRST_CHUNK
    while begin < count:
        end = min(count, begin + max(1, size // multiple) * multiple)
        yield begin, end
        begin, size = end, CHUNK
