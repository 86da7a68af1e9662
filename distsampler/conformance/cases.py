"""Which cases a property is tried on: small ones exhaustively, Hypothesis beyond."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, get_args

from hypothesis import strategies as st

from distsampler.conformance.case import Case
from distsampler.sampling.partition import Remainder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from distsampler.conformance.subject import Contract

LARGEST_SMALL_LENGTH = 48
LARGEST_SMALL_REPLICAS = 8


def small_cases(contract: Contract, lengths: Iterable[int], replicas: Iterable[int]) -> list[Case]:
    """Return every case that `contract` offers with these lengths and replicas, simplest first."""
    cases = (
        Case(length, count, shuffle=shuffle, remainder=remainder)
        for length, count, shuffle, remainder in itertools.product(
            lengths, replicas, (False, True), get_args(Remainder)
        )
    )
    return sorted((case for case in cases if contract.offers(case)), key=lambda case: case.size)


def exhaustive_cases(contract: Contract) -> list[Case]:
    """Return all small cases, every length to 48, replicas to 8, every flag; and some that are not small."""
    small = small_cases(contract, range(LARGEST_SMALL_LENGTH + 1), range(1, LARGEST_SMALL_REPLICAS + 1))
    return [*small, *huge_cases(contract), *long_cases(contract)]


def long_cases(contract: Contract) -> list[Case]:
    """Return cases of one epoch with more samples than a part, a chunk or a number of 16 bits may hold."""
    long = small_cases(contract, (5_003,), (4,))
    longest = [
        case for case in small_cases(contract, (66_001,), (3,)) if case.remainder == contract.remainders[0]
    ]
    return [dataclasses.replace(case, epochs=(0,)) for case in (*long, *longest)]


def huge_cases(contract: Contract) -> list[Case]:
    """Return a case with an epoch of 33 bits, and one with a seed of 64 bits, as torch's own seeds are."""
    found = shuffled_case(contract, LARGEST_SMALL_LENGTH, 4)
    epochs = [dataclasses.replace(case, epochs=(1, 2**32)) for case in found if contract.epochs]
    return epochs + [dataclasses.replace(case, seed=2**63) for case in found if contract.seed]


def shuffled_case(contract: Contract, length: int, num_replicas: int) -> list[Case]:
    """Return the first case of a size that is shuffled, if the contract offers any, else that is not."""
    found = small_cases(contract, (length,), (num_replicas,))
    return sorted(found, key=lambda case: not case.shuffle)[:1]


def sparse_cases(contract: Contract) -> list[Case]:
    """Return small cases around the borders, for observations that cost more."""
    return small_cases(contract, (0, 1, 2, 3, 5, 8, 13, 24, 31), (1, 2, 3, 4, 8))


def representative(contract: Contract) -> Case:
    """Return the largest small case, shuffled if that is offered, for what can be observed only once."""
    (case,) = shuffled_case(contract, LARGEST_SMALL_LENGTH, LARGEST_SMALL_REPLICAS)
    return case


def ten_samples(contract: Contract) -> list[Case]:
    """Return cases with ten samples, for observations that depend on flags only."""
    return small_cases(contract, (10,), (1, 4))


def one_case(contract: Contract) -> list[Case]:
    """Return a single case, for observations that do not depend on it."""
    return small_cases(contract, (10,), (4,))[:1]


def larger_cases(contract: Contract) -> st.SearchStrategy[Case]:
    """Draw cases beyond the small ones: other seeds and epochs, more replicas, more samples.

    Lengths and replicas are drawn from the borders, where the faults are: around multiples of the number
    of replicas, around powers of two, fewer samples than ranks. Shrinks to the simplest case.
    """
    replicas = st.one_of(st.integers(1, 16), st.sampled_from([17, 31, 32, 33, 64]))
    epochs = st.lists(
        st.integers(0, 8) | st.sampled_from([1_000, 2**31 - 1, 2**31]), min_size=1, max_size=3, unique=True
    )

    @st.composite
    def cases(draw: st.DrawFn) -> Case:
        count = draw(replicas)
        multiples = st.integers(0, 8).map(lambda rounds: rounds * count)
        around = st.builds(lambda multiple, more: max(0, multiple + more), multiples, st.integers(-1, 1))
        length = st.one_of(st.integers(0, 200), around, st.sampled_from([255, 256, 257, 1023, 1024, 1025]))
        seed = st.integers(0, 4) | st.sampled_from([42, 2**31 - 1, 2**31, 2**32])
        return Case(
            draw(length),
            count,
            shuffle=draw(st.sampled_from(contract.shuffles)),
            seed=draw(seed) if contract.seed else 0,
            remainder=draw(st.sampled_from(contract.remainders)),
            epochs=tuple(draw(epochs)) if contract.epochs else (0, 1),
        )

    return cases()
