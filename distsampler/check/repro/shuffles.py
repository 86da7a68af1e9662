"""Endings of scripts about what shuffling is for."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from distsampler.check.repro.setting import BeProcess, Drawn, Ending, Make, OnePass, Orders, Pass


def seed_effect(orders_by_seed: Orders) -> None:
    """Another seed gives another order of the same epoch."""
    orders = orders_by_seed()
    for (one, epoch), (other, later) in itertools.combinations(orders, 2):
        is_same = epoch == later and orders[one, epoch] == orders[other, later]
        assert not is_same, f"epoch {epoch}: seed {other} gives the order of seed {one}"


def seed_epoch_aliasing(orders_by_seed: Orders) -> None:
    """No epoch of a seed has the order of another epoch of another seed."""
    orders = orders_by_seed()
    for (one, epoch), (other, later) in itertools.combinations(orders, 2):
        is_same = one != other and epoch != later and orders[one, epoch] == orders[other, later]
        assert not is_same, f"epoch {later} of seed {other} has the order of epoch {epoch} of seed {one}"


def fairness(drawn: Drawn, length: int) -> None:
    """No sample is left out in every epoch, nor repeated in every epoch."""
    counts = [Counter(itertools.chain(*ranks)) for ranks in drawn.values()]
    for index in range(length):
        often = [count[index] for count in counts]
        assert max(often) > 0, f"index {index} is left out in each of {len(often)} epochs"
        assert min(often) < 2, f"index {index} is drawn twice in each of {len(often)} epochs"


def membership(drawn: Drawn) -> None:
    """Which samples share a rank is another matter in every epoch."""
    shares = [{frozenset(indices) for indices in ranks} for ranks in drawn.values()]
    for one, other in itertools.combinations(range(len(shares)), 2):
        assert shares[one] != shares[other], f"in epochs {one} and {other} the same samples share a rank"


def replica_invariance(be_process: BeProcess, make: Make, one_pass: OnePass, epochs: list[int]) -> None:
    """The global batch at a step holds the same samples on any number of replicas."""
    for epoch in epochs:
        expected: list[set[int]] = []
        for count in (1, 2, 3, 4, 6, 8):
            ranks: list[Pass] = []
            for rank in range(count):
                be_process(rank)
                sampler = make(rank, num_replicas=count)
                sampler.set_epoch(epoch)
                ranks.append(one_pass(sampler))
            share = 96 // count
            starts = range(0, len(ranks[0]), share)
            batches = [{index for indices in ranks for index in indices[at : at + share]} for at in starts]
            expected = expected or batches
            same = sum(map(set.__eq__, batches, expected))
            print(f"epoch {epoch}, {count} replicas: {same} of {len(expected)} global batches as on one")
            assert batches == expected, "expected the same samples as on one replica"


def uniformity(orders: list[Pass]) -> None:
    """Orders are of different samples, and differ with what they are asked for."""
    print(f"{len(orders)} orders can be compared with a fair shuffle's")


def repeats(orders: list[Pass]) -> None:
    """Orders do not occur again."""
    repeated = len(orders) - len(set(map(tuple, orders)))
    print(f"{repeated} of {len(orders)} orders occurred before")
    assert repeated == 0, "expected another order every time"


def permutations(orders: list[Pass], length: int) -> None:
    """All permutations are as likely."""
    cells = math.factorial(length)
    counts = [*Counter(map(tuple, orders)).values()]
    counts += [0] * (cells - len(counts))
    mean = len(orders) / cells
    deviation = (sum((count - mean) ** 2 / mean for count in counts) - cells) / math.sqrt(2 * cells)
    print(f"chi-square of {cells} permutations is {deviation:.1f} standard deviations above what is expected")
    assert deviation < 3.5, "expected all permutations to be as likely"


def places(orders: list[Pass], length: int) -> None:
    """All indices are as likely at all positions."""
    table = np.zeros((20, 20))
    bins = np.arange(len(orders[0])) * 20 // len(orders[0])
    for order in orders:
        np.add.at(table, (bins, np.array(order) * 20 // length), 1)
    mean = table.sum(axis=1, keepdims=True) / 20
    free = 19 * (20 if len(orders[0]) < length else 19)
    squares = ((table - mean) ** 2 / mean).sum() * (length - 1) / length
    deviation = (squares - free) / math.sqrt(2 * free)
    print(f"chi-square of indices by position is {deviation:.1f} standard deviations above what is expected")
    assert deviation < 3.5, "expected all indices to be as likely at all positions"


def correlation(orders: list[Pass]) -> None:
    """Indices that follow each other have nothing to do with each other."""
    for lag in (1, 2, 3, 4, 8, 64):
        squares = 0.0
        for order in orders:
            r = np.corrcoef(order[lag:], order[:-lag])[0, 1]
            deviation = r * math.sqrt(len(order) - lag)
            print(f"correlation of indices {lag} apart: {r:.4f}, {deviation:.1f} standard deviations")
            squares += deviation**2
        assert squares < 16, "expected no correlation"


def ascents(orders: list[Pass]) -> None:
    """Half of the indices are greater than the one before."""
    squares = 0.0
    for order in orders:
        count = len(order) - 1
        share = float((np.diff(order) > 0).mean())
        deviation = (share - 1 / 2) * count / math.sqrt((count + 2) / 12)
        print(f"{share:.2%} of the indices ascend, {deviation:.1f} standard deviations from a half")
        squares += deviation**2
    assert squares < 16, "expected a half of them"


def batch_means(orders: list[Pass], length: int) -> None:
    """The mean index of a batch varies as it does by chance."""
    whole = len(orders[0]) // 256
    means = np.array([order[: whole * 256] for order in orders]).reshape(-1, whole, 256).mean(axis=2)
    ratio = means.var(axis=1, ddof=1).mean() / (length * (length + 1) / 12 / 256)
    deviation = (ratio - 1) * math.sqrt(len(orders) * (whole - 1) / 2)
    print(f"variance of batch means, relative to chance: {ratio:.3f}, {deviation:.1f} standard deviations")
    assert abs(deviation) < 3.3, "expected about 1"


ENDINGS: dict[str, Ending] = {
    "seed_effect": seed_effect,
    "seed_epoch_aliasing": seed_epoch_aliasing,
    "fairness": fairness,
    "membership": membership,
    "replica_invariance": replica_invariance,
    "uniformity": uniformity,
    "uniformity orders that occurred before": repeats,
    "uniformity permutation": permutations,
    "uniformity against position": places,
    "uniformity correlation": correlation,
    "uniformity ascents": ascents,
    "uniformity batch means": batch_means,
}
