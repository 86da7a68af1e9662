"""A keyed bijection of `[0, length)`, computed position by position: nothing of size `length` ever exists.

A Feistel network (Luby and Rackoff, 1988) over mixed radices (Black and Rogaway, Ciphers with Arbitrary
Finite Domains, CT-RSA 2002): a position is a pair (left, right) in `[0, a) x [0, b)`, and every round adds a
keyed hash of one half to the other, modulo its radix. `a * b` is `length` or little more; a pair that stands
for no index is sent through the network again (cycle walking, same paper), so that it stays a bijection.
Bandwidth-optimal shuffling with such networks: Mitchell et al., arXiv 2106.06161.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[Any]

ROUNDS = 8
WORDS_PER_ROUND = 3
# Up to here both halves and all products fit into 32 bits, which numpy computes twice as fast.
LARGEST_32_BIT_LENGTH = 2**31
LARGEST_LENGTH = 2**62
# How many left radices are tried for a product that exceeds the length by as little as possible.
RADIX_CANDIDATES = 4096


@dataclass(frozen=True, slots=True)
class Width:
    """The word that the network computes in: the type, a multiplier, and how far the hash is shifted."""

    word: type[np.uint32 | np.uint64]
    bits: int
    multiplier: int
    mix_shift: int

    @property
    def half(self) -> int:
        """Half the number of bits: the hash keeps its upper half, a radix is no longer than the lower."""
        return self.bits // 2


NARROW = Width(np.uint32, 32, 0x9E3779B1, 15)
WIDE = Width(np.uint64, 64, 0x9E3779B97F4A7C15, 32)


class Feistel:
    """The bijection of `[0, length)` that `key` selects: WORDS_PER_ROUND words of 64 random bits a round.

    With ROUNDS rounds the tests of the conformance suite cannot tell it from a fair shuffle; with four they
    can. Raises ValueError unless `1 <= length <= 2**62`.
    """

    def __init__(self, length: int, key: npt.NDArray[np.uint64]) -> None:
        if not 1 <= length <= LARGEST_LENGTH:
            raise ValueError(f"length is {length}, expected a value in [1, 2**62]")
        self.length = length
        self._width = NARROW if length <= LARGEST_32_BIT_LENGTH else WIDE
        self._radices = radices(length)
        self._key = _round_key(key, self._width)

    def indices(self, positions: Words) -> npt.NDArray[np.int64]:
        """Return where the bijection sends `positions`, integers in `[0, length)`, as int64, same shape."""
        return self._walk(self._forward, positions)

    def positions(self, indices: Words) -> npt.NDArray[np.int64]:
        """Return what the bijection sends to `indices`, integers in `[0, length)`, as int64, same shape."""
        return self._walk(self._backward, indices)

    def _walk(self, network: Any, start: Words) -> npt.NDArray[np.int64]:
        """Apply `network` until every value lies below `length` again."""
        values = network(np.asarray(start).astype(self._width.word))
        if math.prod(self._radices) > self.length:
            while len(outside := np.flatnonzero(values >= self.length)):
                values[outside] = network(values[outside])
        walked: npt.NDArray[np.int64] = values.astype(np.int64)
        return walked

    def _forward(self, values: Words) -> Words:
        word = self._width.word
        halves = self._split(values)
        scratch = np.empty_like(values), np.empty_like(values)
        for number, key in enumerate(self._key):
            radix = word(self._radices[number % 2])
            source, target = halves[1 - number % 2], halves[number % 2]
            hashed, spare = self._hash(source, key, radix, *scratch)
            np.add(target, hashed, out=target)
            np.subtract(target, radix, out=spare)  # wraps to a huge value where target was smaller
            np.minimum(target, spare, out=target)
        return self._join(halves)

    def _backward(self, values: Words) -> Words:
        word = self._width.word
        halves = self._split(values)
        scratch = np.empty_like(values), np.empty_like(values)
        for number, key in reversed(list(enumerate(self._key))):
            radix = word(self._radices[number % 2])
            source, target = halves[1 - number % 2], halves[number % 2]
            hashed, spare = self._hash(source, key, radix, *scratch)
            np.subtract(target, hashed, out=target)  # wraps to a huge value where hashed was larger
            np.add(target, radix, out=spare)
            np.minimum(target, spare, out=target)
        return self._join(halves)

    def _split(self, values: Words) -> tuple[Words, Words]:
        """Return the halves of `values`: left in `[0, a)`, right in `[0, b)`."""
        right_radix = self._width.word(self._radices[1])
        left = values // right_radix
        right = left * right_radix
        np.subtract(values, right, out=right)
        return left, right

    def _join(self, halves: tuple[Words, Words]) -> Words:
        left, right = halves
        np.multiply(left, self._width.word(self._radices[1]), out=left)
        np.add(left, right, out=left)
        return left

    def _hash(
        self, source: Words, key: Words, radix: Any, hashed: Words, spare: Words
    ) -> tuple[Words, Words]:
        """Return a keyed hash of `source` in `[0, radix]`, where `radix` counts as 0, and the spare array.

        The third word of the key dithers the scaling from half a word to `radix`, so that over all keys each
        value is as likely as any other.
        """
        word, half = self._width.word, self._width.half
        offset, odd, dither = key
        np.add(source, offset, out=hashed)
        np.multiply(hashed, word(self._width.multiplier), out=hashed)
        np.right_shift(hashed, word(self._width.mix_shift), out=spare)
        np.bitwise_xor(hashed, spare, out=hashed)
        np.multiply(hashed, odd, out=hashed)
        np.right_shift(hashed, word(half), out=hashed)
        np.multiply(hashed, radix, out=hashed)
        np.add(hashed, dither, out=hashed)
        np.right_shift(hashed, word(half), out=hashed)
        return hashed, spare


def radices(length: int) -> tuple[int, int]:
    """Return `(a, b)` near the square root of `length` with `a * b >= length` by as little as possible."""
    root = math.isqrt(length - 1) + 1
    left = np.arange(root, root + min(RADIX_CANDIDATES, root // 8 + 1), dtype=np.int64)
    right = -(-length // left)
    best = int(np.argmin(left * right - length))
    return int(left[best]), int(right[best])


def _round_key(key: npt.NDArray[np.uint64], width: Width) -> Words:
    """Return shape (rounds, WORDS_PER_ROUND): an offset, an odd multiplier and half a word of dither each."""
    words: Words = key.reshape(-1, WORDS_PER_ROUND).astype(width.word)
    np.bitwise_or(words[:, 1], width.word(1), out=words[:, 1])
    np.right_shift(words[:, 2], width.word(width.half), out=words[:, 2])
    return words
