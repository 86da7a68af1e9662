"""Whether shuffling makes every order as likely as any other, as far as a statistical test can tell.

A test blames a shuffle when it finds orders too unlikely twice, the second time with seeds or epochs that
were not used before. So a fair one is blamed with a probability of 10^-6, the same way every time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import groupby, islice
from typing import TYPE_CHECKING

import numpy as np

from distsampler.conformance import cases
from distsampler.conformance.case import LengthOnly
from distsampler.conformance.process_state import be_process, restored
from distsampler.conformance.property import Property
from distsampler.conformance.shuffle_statistics import LARGE, MIDDLING, SMALL, Orders, Statistic
from distsampler.conformance.trace import begin, describe
from distsampler.conformance.violation import Violation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Contract, Subject

FALSE_ALARMS = 1e-6
EPOCHS_OF_A_SEED = 16
FRESH = 2**20


@dataclass(frozen=True, slots=True)
class Experiment:
    """So many orders of a dataset, cut after so many positions, and the statistics to take from them."""

    length: int
    orders: int
    positions: int
    statistics: Mapping[str, Callable[[Orders, int], Statistic]]


EXPERIMENTS = (
    Experiment(5, 1_200, 5, SMALL),
    Experiment(20, 800, 20, MIDDLING),
    Experiment(66_001, 2, 66_001, LARGE),  # just above 2^16, where a 16-bit key shows
    Experiment(1_000_000, 2, 40_000, LARGE),
)

TWICE_UNLIKELY = math.sqrt(FALSE_ALARMS / sum(len(experiment.statistics) for experiment in EXPERIMENTS))


@dataclass(frozen=True, slots=True)
class Evidence:
    """A statistic of the orders of `length` samples, and if it alarmed, the same of fresh orders."""

    length: int
    name: str
    first: Statistic
    second: Statistic | None = None


@dataclass(frozen=True, slots=True)
class Shuffled:
    """What was found in the orders, or why they could not be examined."""

    evidence: tuple[Evidence, ...] = ()
    error: str = ""


def shuffled(subject: Subject, case: Case) -> Shuffled:
    """Take the statistics of the experiment with the length of `case`, and again where they alarm."""
    (experiment,) = (experiment for experiment in EXPERIMENTS if experiment.length == case.length)
    with restored():
        try:
            varies = _varies(subject, case)
            first = _statistics(subject, case, experiment, varies, 0)
            alarms = any(statistic.probability < TWICE_UNLIKELY for statistic in first.values())
            second = _statistics(subject, case, experiment, varies, FRESH) if alarms else {}
        except Exception as error:  # noqa: BLE001  (recorded)
            return Shuffled(error=describe(error))
    names = experiment.statistics
    return Shuffled(tuple(Evidence(case.length, name, first[name], second.get(name)) for name in names))


def _varies(subject: Subject, case: Case) -> tuple[bool, bool]:
    """Return whether another seed and another epoch give another order; raises ValueError if neither does."""
    short = replace(case, length=64)
    contract = subject.contract
    here, other_seed, other_epoch = (
        _orders(subject, short, [moment], 64).tolist() for moment in [(0, 0), (1, 0), (0, 1)]
    )
    by_seed, by_epoch = contract.seed and here != other_seed, contract.epochs and here != other_epoch
    if not by_seed and not by_epoch:
        raise ValueError("every seed and every epoch gives the same order")
    return by_seed, by_epoch


def _moments(varies: tuple[bool, bool], orders: int, start: int) -> list[tuple[int, int]]:
    """Return (seed, epoch) of so many orders; their sums differ, because some samplers just add the two."""
    match varies:
        case True, True:
            step = EPOCHS_OF_A_SEED
            return [(start + at - at % step, at % step) for at in range(orders)]
        case True, False:
            return [(start + at, 0) for at in range(orders)]
        case _:
            return [(0, start + at) for at in range(orders)]


def _statistics(
    subject: Subject, case: Case, experiment: Experiment, varies: tuple[bool, bool], start: int
) -> dict[str, Statistic]:
    moments = _moments(varies, experiment.orders, start)
    orders = _orders(subject, case, moments, experiment.positions)
    return {name: statistic(orders, case.length) for name, statistic in experiment.statistics.items()}


def _orders(subject: Subject, case: Case, moments: list[tuple[int, int]], positions: int) -> Orders:
    """Return the beginnings of the orders at these (seed, epoch), shape (moments, positions), int64."""
    be_process(0)
    drawn = []
    for seed, same in groupby(moments, key=lambda moment: moment[0]):
        sampler = subject.make(LengthOnly(case.length), replace(case, seed=seed), 0)
        for _, epoch in same:
            begin(subject, sampler, epoch)
            drawn.append([int(index) for index in islice(sampler, positions)])
            if len(drawn[-1]) < positions:
                raise ValueError(
                    f"epoch {epoch} of seed {seed} has {len(drawn[-1])} of {case.length} samples"
                )
    orders = np.array(drawn, dtype=np.int64)
    ascending = np.sort(orders, axis=1)
    if ascending[:, 0].min() < 0 or ascending[:, -1].max() >= case.length or (np.diff(ascending) == 0).any():
        raise ValueError(f"the indices drawn are not {positions} different samples of {case.length}")
    return orders


def one_replica(contract: Contract) -> list[Case]:
    """Return a case for each experiment, on one replica, whose order is the whole epoch."""
    found = [case for each in EXPERIMENTS for case in cases.shuffled_case(contract, each.length, 1)]
    return [replace(case, epochs=(0,)) for case in found]


def uniformity(found: Shuffled) -> Iterator[Violation]:
    """With shuffling, every order is as likely as any other, as far as tests that rarely err can tell."""
    if found.error:
        yield Violation(
            f"{found.error}, expected orders that can be compared with a fair shuffle's", got=found.error
        )
    for evidence in found.evidence:
        first, second = evidence.first, evidence.second
        if second and max(first.probability, second.probability) < TWICE_UNLIKELY:
            yield Violation(
                f"{evidence.name}, {evidence.length} samples: {first.value:.3g}, with fresh seeds or epochs "
                f"{second.value:.3g}, expected about {first.expected:.3g}; a fair shuffle is as far from "
                f"that with probability {first.probability:.1g} and {second.probability:.1g}",
                got=first.value,
                expected=first.expected,
            )


PROPERTIES = (
    Property(
        "uniformity",
        uniformity,
        observe=shuffled,
        promised=lambda contract: (
            True in contract.shuffles and contract.covers and (contract.seed or contract.epochs)
        ),
        grid=one_replica,
        beyond=None,
    ),
)
