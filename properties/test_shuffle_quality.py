"""The keyed order against a fair shuffle: it passes what torch.randperm passes and a naive order fails.

Seeds and epochs are fixed, so the outcome is the same every time. A fair shuffle would fail one of these
tests for one in some ten thousand choices of them.
"""

import functools
import math

import numpy as np
import pytest
import torch
from scipy import stats

from distsampler.conformance import shuffle_statistics as shuffle
from distsampler.sampling.feistel import WORDS_PER_ROUND, Feistel, radices
from distsampler.sampling.permutation import keyed_order

UNLIKELY = 1e-6
EPOCHS_OF_A_SEED = 10


def keyed(length, number):
    """Return order `number`, of some seeds with some epochs each, as the sampler draws it."""
    seed, epoch = divmod(number, EPOCHS_OF_A_SEED)
    return keyed_order(length, seed, epoch).indices(np.arange(length))


def torchs(length, number):
    """Return a fair shuffle."""
    return torch.randperm(length, generator=torch.Generator().manual_seed(number)).numpy()


def four_rounds(length, number):
    """Return what our own network gives after four rounds."""
    key = np.random.Philox(key=number).random_raw(4 * WORDS_PER_ROUND)
    return Feistel(length, key).indices(np.arange(length))


def affine(length, number):
    """Return the dataset in steps of a random width from a random start."""
    generator = np.random.default_rng(number)
    widths = (int(width) for width in generator.integers(1, length, 1_000))
    width = next(width for width in widths if math.gcd(width, length) == 1)
    return (int(generator.integers(length)) + np.arange(length) * width) % length


def orders(make, length, many):
    """Return shape (many, length)."""
    return np.array([make(length, number) for number in range(many)])


def between(drawn, length):
    """Return the probability of how orders that follow each other correlate, position by position."""
    deviations = (drawn - (length - 1) / 2) / math.sqrt((length**2 - 1) / 12)
    products = (deviations[1:] * deviations[:-1]).mean(axis=1)
    return stats.chi2.sf(float((products**2).sum() * (length - 1)), len(products))


def membership(drawn, length, num_replicas=8):
    """Return the probability of how ranks hand their samples on to ranks of the next order."""
    ranks = np.empty_like(drawn)
    for order, rank_of in zip(drawn, ranks, strict=True):
        rank_of[order] = np.arange(length) % num_replicas
    table = np.zeros((num_replicas, num_replicas))
    np.add.at(table, (ranks[:-1].ravel(), ranks[1:].ravel()), 1)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    statistic = ((table - expected) ** 2 / expected).sum() * (length - 1) / length
    return stats.chi2.sf(statistic, (num_replicas - 1) ** 2)


def by_seed(drawn, length):
    """Return the probability of how orders of one epoch and neighbouring seeds correlate."""
    return between(drawn[::EPOCHS_OF_A_SEED], length)


# Also as far apart as the right half of our network is wide: there the left half begins anew.
LAGS = (1, 2, 3, 4, 5, 6, 7, 8)
TESTS = {
    "places": lambda drawn, length: shuffle.places(drawn, length).probability,
    **{
        f"lag {lag}": lambda drawn, length, lag=lag: shuffle.correlation(drawn, length, lag).probability
        for lag in LAGS
    },
    "lag radix": lambda drawn, length: shuffle.correlation(drawn, length, radices(length)[1]).probability,
    "ascents": lambda drawn, length: shuffle.ascents(drawn, length).probability,
    "epochs": between,
    "seeds": by_seed,
    "membership": membership,
}
MANY = {100: 2_000, 1_009: 2_000, 4_096: 500, 4_097: 500, 10_000: 500, 65_537: 100, 10**6: 11}
LENGTHS = sorted(MANY)


@functools.cache
def probabilities(make, length, many=None):
    """Return how likely a fair shuffle is to be as far off, by test."""
    drawn = orders(make, length, many or MANY[length])
    found = {name: test(drawn, length) for name, test in TESTS.items()}
    if length >= 2 * shuffle.BATCH:
        found["batches"] = shuffle.batch_means(drawn, length).probability
    return found


@pytest.mark.parametrize("length", LENGTHS[1:])
@pytest.mark.parametrize("make", [keyed, torchs], ids=lambda make: make.__name__)
def test_order_cannot_be_told_from_a_fair_shuffle(make, length):
    """Position, neighbours, batches, epochs, seeds and ranks are those of a fair shuffle, as torch's are."""
    unlikely = {name: found for name, found in probabilities(make, length).items() if found < UNLIKELY}
    assert not unlikely


def test_short_orders_stay_inside_what_torch_gives():
    """At 100 samples, where serial correlations of a fair shuffle are biased, ours are as far off."""
    ours, fair = (probabilities(make, LENGTHS[0]) for make in (keyed, torchs))
    for name in ("places", "epochs", "seeds", "membership"):
        assert min(ours[name], fair[name]) > UNLIKELY, name
    for name, lag in [(f"lag {lag}", lag) for lag in LAGS] + [("lag radix", 10)]:
        values = [
            shuffle.correlation(orders(make, LENGTHS[0], MANY[LENGTHS[0]]), LENGTHS[0], lag).value
            for make in (keyed, torchs)
        ]
        assert values[0] == pytest.approx(values[1], rel=0.1), name


@pytest.mark.scale
@pytest.mark.parametrize("make", [keyed, torchs], ids=lambda make: make.__name__)
def test_ten_million_samples_cannot_be_told_from_a_fair_shuffle(make):
    """The same holds for 10^7 samples."""
    assert min(probabilities(make, 10**7, many=11).values()) > UNLIKELY


@pytest.mark.parametrize("length", [1_009, 10_000])
@pytest.mark.parametrize("make", [four_rounds, affine], ids=lambda make: make.__name__)
def test_naive_version_is_told_from_a_fair_shuffle(make, length):
    """Four rounds, or an affine map, fail these tests, so they can fail."""
    assert min(probabilities(make, length).values()) < UNLIKELY


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_every_permutation_of_few_samples_is_as_likely(length):
    """Counted exactly, all permutations of up to 5 samples occur equally often over seeds and epochs."""
    found = shuffle.permutations(orders(keyed, length, 12_000), length)
    assert length == 1 or found.probability > UNLIKELY


@pytest.mark.parametrize("length", range(2, 13))
def test_every_index_is_as_likely_at_every_position(length):
    """Counted exactly, each of up to 12 samples is at each position equally often."""
    assert shuffle.places(orders(keyed, length, 6_000), length).probability > UNLIKELY


@pytest.mark.parametrize("length", [3, 5])
def test_unfair_shuffle_of_few_samples_is_found(length):
    """Exchanging each sample with any other, the classic mistake, is told from a fair shuffle."""

    def naive(size, number):
        generator = np.random.default_rng(number)
        order = np.arange(size)
        for at in range(size):
            other = generator.integers(size)
            order[[at, other]] = order[[other, at]]
        return order

    assert shuffle.permutations(orders(naive, length, 12_000), length).probability < UNLIKELY
