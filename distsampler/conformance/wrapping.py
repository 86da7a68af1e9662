"""Samplers inside wrappers: what they draw alone, and what ranks draw that wrap one each."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from torch.utils.data import RandomSampler, Sampler, WeightedRandomSampler

from distsampler.conformance.trace import Trace, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Subject

HEAVY, LIGHT = 100.0, 1.0


class Inner(Sampler[int]):
    """Draws `length` of twice as many samples in an order of its own, others in every epoch if `moves`."""

    def __init__(self, length: int, *, moves: bool = False) -> None:
        self.length, self.moves, self.epoch = length, moves, 0

    def __iter__(self) -> Iterator[int]:
        """Yield the indices."""
        first = 2 * self.length * self.epoch if self.moves else 0
        yield from (first + np.random.default_rng(5).permutation(2 * self.length)[: self.length]).tolist()

    def __len__(self) -> int:
        """Return the number of indices."""
        return self.length

    def set_epoch(self, epoch: int) -> None:
        """Choose the samples of the next pass."""
        self.epoch = epoch


@dataclass(frozen=True, slots=True)
class Wrapped:
    """What the inner sampler draws alone, an entry per epoch, and what ranks draw that wrap one each."""

    alone: tuple[tuple[int, ...], ...]
    trace: Trace


def over_ordered(subject: Subject, case: Case) -> Wrapped:
    """Wrap a sampler that draws a subset in an order of its own, the same in every epoch."""
    alone = tuple(Inner(case.length))
    return Wrapped((alone,) * len(case.epochs), _wrapping(subject, case, lambda: Inner(case.length)))


def over_moving(subject: Subject, case: Case) -> Wrapped:
    """Wrap a sampler that draws other samples in every epoch."""
    inner = Inner(case.length, moves=True)
    alone = []
    for epoch in case.epochs:
        inner.set_epoch(epoch)
        alone.append(tuple(inner))
    return Wrapped(tuple(alone), _wrapping(subject, case, lambda: Inner(case.length, moves=True)))


def over_random(subject: Subject, case: Case) -> Wrapped:
    """Wrap torch's `RandomSampler`, which draws from the global generator that every process seeds itself."""
    everything = tuple(range(case.length))
    trace = _wrapping(subject, case, lambda: RandomSampler(everything))
    return Wrapped((everything,) * len(case.epochs), trace)


def over_weighted(subject: Subject, case: Case) -> Trace:
    """Wrap torch's `WeightedRandomSampler`, with every other sample of the first half heavy."""
    weights = [HEAVY if is_heavy(index, case.length) else LIGHT for index in range(case.length)]
    return _wrapping(subject, case, lambda: WeightedRandomSampler(weights, case.length))


def is_heavy(index: int, length: int) -> bool:
    """Say whether a sample is one of the heavy ones, which neither blocks nor strides share out fairly."""
    return index % 2 == 0 and index < length // 2


def _wrapping(subject: Subject, case: Case, inner: Callable[[], Any]) -> Trace:
    """Return what ranks draw, each of which wraps an inner sampler of its own."""
    wrap: Any = subject.wrap
    return record(dataclasses.replace(subject, make=lambda _, case, rank: wrap(inner(), case, rank)), case)
