"""Shuffles after which some orders are more likely than others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from distsampler.conformance.designs import Keyed, Strided
from distsampler.conformance.designs.keyed import SHUFFLED_WHOLE
from distsampler.conformance.mutants.mutant import Mutant

if TYPE_CHECKING:
    from distsampler.conformance.designs.keyed import Numbers


class OnlyRotates(Strided):
    """Starts at a random sample and goes on in the dataset's order."""

    def order(self) -> list[int]:
        order = list(range(len(self.dataset)))
        start = int(self.generator().integers(len(order))) if self.case.shuffle and order else 0
        return order[start:] + order[:start]


class OnlySteps(Strided):
    """Goes through the dataset in steps of a random width, as a linear congruential generator does."""

    def order(self) -> list[int]:
        length = len(self.dataset)
        if not self.case.shuffle or not length:
            return super().order()
        generator = self.generator()
        start = int(generator.integers(length))
        widths = [width for width in generator.integers(1, length + 1, 100) if np.gcd(width, length) == 1]
        return [(start + at * int((*widths, 1)[0])) % length for at in range(length)]


class ShufflesInBlocks(Strided):
    """Shuffles no further than to the end of a block of 4,096 samples, as a shuffle buffer nearly does."""

    def order(self) -> list[int]:
        order = np.arange(len(self.dataset))
        generator = self.generator()
        for start in range(0, len(order) if self.case.shuffle else 0, 4_096):
            generator.shuffle(order[start : start + 4_096])
        shuffled: list[int] = order.tolist()
        return shuffled


class SortsShortKeys(Strided):
    """Sorts the samples by random keys of 16 bits; those with equal keys stay in the dataset's order."""

    def order(self) -> list[int]:
        if not self.case.shuffle:
            return super().order()
        keys = self.generator().integers(2**16, size=len(self.dataset))
        order: list[int] = np.argsort(keys, kind="stable").tolist()
        return order


class SeedsOf16Bits(Strided):
    """Seeds its generator with 16 bits, so that there are 65,536 orders and no more."""

    def generator(self) -> np.random.Generator:
        return np.random.default_rng(super().generator().integers(2**16))


class BiasedByModulo(Strided):
    """Exchanges each sample with a later one, found by the remainder of a random number of 16 bits."""

    def order(self) -> list[int]:
        length = len(self.dataset)
        order = list(range(length))
        numbers = self.generator().integers(2**16, size=length) if self.case.shuffle else ()
        for at, number in enumerate(numbers):
            other = at + int(number) % (length - at)
            order[at], order[other] = order[other], order[at]
        return order


class ShufflesPairs(Strided):
    """Leaves each sample beside its neighbour, in datasets that are not small."""

    def order(self) -> list[int]:
        length = len(self.dataset)
        if not self.case.shuffle or length <= SHUFFLED_WHOLE:
            return super().order()
        firsts = self.generator().permutation(np.arange(0, length, 2))
        return [index for first in firsts.tolist() for index in (first, first + 1) if index < length]


class SpreadsEvenly(Strided):
    """Takes one sample from each of 256 parts in turn, in datasets that are not small."""

    def order(self) -> list[int]:
        length = len(self.dataset)
        if not self.case.shuffle or length <= SHUFFLED_WHOLE:
            return super().order()
        generator = self.generator()
        parts = np.arange(length // 256 * 256).reshape(256, -1)
        rounds = generator.permuted(generator.permuted(parts, axis=1).T, axis=1)
        return [*rounds.ravel().tolist(), *range(rounds.size, length)]


class FewRounds(Keyed):
    """Enciphers positions in four rounds that leave neighbours together in datasets that are not small."""

    def indices(self, places: Numbers, length: int, key: tuple[int, ...]) -> Numbers:
        if not self.case.shuffle or length <= SHUFFLED_WHOLE:
            return super().indices(places, length, key)
        half = np.uint64(-(-(length - 1).bit_length() // 2))
        keys = np.random.default_rng(key).integers(2**32, size=4, dtype=np.uint64)
        found = _feistel(places, half, keys)
        while (found >= length).any():
            found = np.where(found >= length, _feistel(found, half, keys), found)
        return found


def _feistel(numbers: Numbers, half: np.uint64, keys: Numbers) -> Numbers:
    """Return the numbers of `2 * half` bits after a round with each key, shape (numbers,), uint64."""
    mask = (np.uint64(1) << half) - np.uint64(1)
    left, right = numbers >> half, numbers & mask
    for key in keys:
        turned = ((right << np.uint64(1)) & (right << np.uint64(2))) ^ key
        left, right = right, left ^ (turned & mask)
    return (left << half) | right


MUTANTS = (
    Mutant("uniformity", OnlyRotates),
    Mutant("uniformity", OnlySteps, ("B199",)),
    Mutant("uniformity", ShufflesInBlocks, ("B266",)),
    Mutant("uniformity", SortsShortKeys),
    Mutant("uniformity", SeedsOf16Bits, ("B064",)),
    Mutant("uniformity", BiasedByModulo, ("B197",)),
    Mutant("uniformity", ShufflesPairs),
    Mutant("uniformity", SpreadsEvenly),
    Mutant("uniformity", FewRounds),
)
