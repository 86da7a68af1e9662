"""Position -> index and back: the order in which an epoch goes through the dataset.

The order of a (length, seed, epoch) is part of the interface. `VERSION` is written into every state; it
changes when the keyed order does.
"""

from __future__ import annotations

import hashlib
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import torch

from distsampler.sampling.feistel import LARGEST_LENGTH, ROUNDS, WORDS_PER_ROUND, Feistel

Indices: TypeAlias = npt.NDArray[np.int64]
Permutation = Literal["keyed", "torch"]

VERSION = 1
# Up to here the order is shuffled exactly and held: 32 KiB. A network of few values would be biased.
LARGEST_HELD_LENGTH = 4096


class Order(Protocol):
    """An order of `[0, length)`."""

    @property
    def length(self) -> int:
        """How many samples are put into an order."""

    def indices(self, positions: npt.NDArray[Any]) -> Indices:
        """Return the indices at `positions`, integers in `[0, length)`, as int64, same shape."""

    def positions(self, indices: npt.NDArray[Any]) -> Indices:
        """Return the positions of `indices`, integers in `[0, length)`, as int64, same shape."""


class InOrder:
    """The dataset's own order."""

    def __init__(self, length: int) -> None:
        self.length = length

    def indices(self, positions: npt.NDArray[Any]) -> Indices:
        """Return the positions."""
        return positions.astype(np.int64)

    def positions(self, indices: npt.NDArray[Any]) -> Indices:
        """Return the indices."""
        return indices.astype(np.int64)


class Held:
    """An order that is held in memory, shape (length,), any integer type."""

    def __init__(self, order: npt.NDArray[Any]) -> None:
        self.length = len(order)
        self._order = order

    def indices(self, positions: npt.NDArray[Any]) -> Indices:
        """Look the positions up."""
        found: Indices = self._order[positions].astype(np.int64)
        return found

    def positions(self, indices: npt.NDArray[Any]) -> Indices:
        """Invert the order, in time and memory proportional to `length`, and look the indices up."""
        inverse = np.empty(self.length, np.int64)
        inverse[self._order] = np.arange(self.length)
        found: Indices = inverse[indices]
        return found


def keyed_order(length: int, seed: int, epoch: int) -> Order:
    """Return the order that a hash of `length`, `seed` and `epoch` selects, in constant time and memory.

    Raises ValueError if `length` is above 2**62.
    """
    if length > LARGEST_LENGTH:
        raise ValueError(f"dataset length is {length}, expected at most 2**62 for permutation='keyed'")
    stream = hashlib.shake_256(f"distsampler keyed {VERSION}: {length} {seed} {epoch}".encode())
    if length <= LARGEST_HELD_LENGTH:
        words = np.random.Philox(key=int.from_bytes(stream.digest(16), "little")).random_raw(length)
        return Held(np.argsort(words, kind="stable"))
    key = np.frombuffer(stream.digest(8 * ROUNDS * WORDS_PER_ROUND), "<u8")
    return Feistel(length, key)


def torch_order(length: int, seed: int) -> Order:
    """Return torch's own order, as `torch.utils.data.DistributedSampler` draws it with `seed + epoch`."""
    generator = torch.Generator()
    generator.manual_seed(seed)
    # The draws do not depend on the type of the result, and half the bytes are touched in random order.
    dtype = torch.int32 if length <= torch.iinfo(torch.int32).max else torch.int64
    return Held(torch.randperm(length, generator=generator, dtype=dtype).numpy())
