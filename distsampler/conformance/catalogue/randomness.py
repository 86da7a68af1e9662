"""What shuffling is there for: other orders for other seeds, the same fate for all samples in the end."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import TYPE_CHECKING, Any

from distsampler.conformance import cases
from distsampler.conformance.catalogue.partition import counts
from distsampler.conformance.property import Property
from distsampler.conformance.trace import Trace, record
from distsampler.conformance.violation import Violation, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Contract, Subject

SEEDS = (0, 1, 2, 3, 2**16)
EPOCHS = (0, 1, 2, 3)

Order = tuple[tuple[Any, ...], ...]


def over_seeds(subject: Subject, case: Case) -> tuple[Trace, ...]:
    """Draw the epochs of a case with several seeds."""
    return tuple(record(subject, dataclasses.replace(case, seed=seed)) for seed in SEEDS)


def _orders(traces: tuple[Trace, ...]) -> dict[tuple[int, int], Order]:
    """Return what all ranks draw by seed and epoch, but for passes that fail, which `no_crash` tells."""
    return {
        (trace.case.seed, epoch): tuple(draws.indices for draws in ranks)
        for trace in traces
        for epoch, ranks in trace.whole_epochs()
    }


def shuffled_cases(contract: Contract) -> list[Case]:
    """Return cases with four epochs whose orders agree by chance less often than once in 10^80."""
    return [
        dataclasses.replace(case, epochs=EPOCHS)
        for case in cases.small_cases(contract, (64,), (1, 2, 4))
        if case.shuffle
    ]


def long_cases(contract: Contract) -> list[Case]:
    """Return cases with a remainder, with so many epochs that chance spares no sample in any of them."""
    return [
        dataclasses.replace(case, epochs=tuple(range(_enough_epochs(case))))
        for case in cases.small_cases(contract, (5, 10, 13, 33), (2, 3, 4))
        if case.shuffle and case.remainder != "uneven" and case.length % case.num_replicas
    ]


def _enough_epochs(case: Case) -> int:
    """Return after how many epochs chance has left out, or repeated, a sample in each once in 10^12."""
    left = case.length % case.num_replicas
    chosen = left if case.remainder == "drop" else case.num_replicas - left
    return math.ceil(math.log(1e12 * case.length) / math.log(case.length / chosen))


def seed_effect(traces: tuple[Trace, ...]) -> Iterator[Violation]:
    """With shuffling, another seed gives another order of the same epoch."""
    orders = _orders(traces)
    for (one, epoch), (other, same_epoch) in itertools.combinations(orders, 2):
        if epoch == same_epoch and orders[one, epoch] == orders[other, epoch]:
            yield Violation(
                f"epoch {epoch}: seed {other} gives the order of seed {one}, rank 0 draws "
                f"{listed(orders[one, epoch][0])}, expected another order",
                epoch,
                got=other,
            )
            return


def seed_epoch_aliasing(traces: tuple[Trace, ...]) -> Iterator[Violation]:
    """With shuffling, no epoch of a seed has the order of another epoch of another seed."""
    orders = _orders(traces)
    for (one, epoch), (other, later) in itertools.combinations(orders, 2):
        if one != other and epoch != later and orders[one, epoch] == orders[other, later]:
            yield Violation(
                f"epoch {later} of seed {other} has the order of epoch {epoch} of seed {one}, rank 0 draws "
                f"{listed(orders[one, epoch][0])}, expected orders that have nothing in common",
                later,
                got=(other, later),
                expected=(one, epoch),
            )
            return


def fairness(trace: Trace) -> Iterator[Violation]:
    """With shuffling, no sample is left out in every epoch, nor repeated in every epoch."""
    drawn = [counts(ranks) for _, ranks in trace.whole_epochs()]
    if not drawn:
        return
    samples = range(trace.case.length)
    fates = {
        "is left out": [{sample for sample in samples if not count[sample]} for count in drawn],
        "is drawn twice": [{sample for sample in samples if count[sample] > 1} for count in drawn],
    }
    for fate, by_epoch in fates.items():
        always = sorted(set.intersection(*by_epoch))
        if always:
            yield Violation(
                f"index {always[0]} {fate} in each of {len(drawn)} epochs, expected the remainder to be "
                "other samples in other epochs",
                got=always,
            )


def membership(trace: Trace) -> Iterator[Violation]:
    """With shuffling, which samples share a rank is another matter in every epoch."""
    seen: dict[frozenset[frozenset[Any]], int] = {}
    for epoch, ranks in trace.whole_epochs():
        shares = frozenset(frozenset(draws.indices) for draws in ranks)
        if len(shares) > 1 and shares in seen:
            yield Violation(
                f"epoch {epoch}: the same samples share a rank as in epoch {seen[shares]}, rank 0 draws "
                f"from {listed(sorted(set(ranks[0].indices)))}, expected other companions",
                epoch,
            )
            return
        seen.setdefault(shares, epoch)


def _shuffles_epochs(contract: Contract) -> bool:
    return contract.epochs and True in contract.shuffles


PROPERTIES = (
    Property(
        "seed_effect",
        seed_effect,
        observe=over_seeds,
        promised=lambda contract: contract.seed and True in contract.shuffles,
        grid=shuffled_cases,
        beyond=None,
    ),
    Property(
        "seed_epoch_aliasing",
        seed_epoch_aliasing,
        observe=over_seeds,
        promised=lambda contract: contract.seed and _shuffles_epochs(contract),
        grid=shuffled_cases,
        beyond=None,
        tier="quality",
    ),
    Property(
        "fairness",
        fairness,
        promised=lambda contract: (
            _shuffles_epochs(contract) and contract.covers and set(contract.remainders) != {"uneven"}
        ),
        grid=long_cases,
        beyond=None,
    ),
    Property(
        "membership",
        membership,
        promised=_shuffles_epochs,
        exercises=lambda case: case.num_replicas > 1,
        grid=shuffled_cases,
        beyond=None,
        tier="quality",
    ),
)
