"""Every index of a large dataset, and jobs far larger than any machine: `nox -s scale` runs these."""

import numpy as np
import pytest

from distsampler import DistributedSampler
from distsampler.conformance.case import LengthOnly

pytestmark = pytest.mark.scale

CHUNK = 1_000_000


def every_rank(length, num_replicas, **arguments):
    """Make each rank's sampler, one at a time."""
    return (
        DistributedSampler(LengthOnly(length), num_replicas, rank, **arguments)
        for rank in range(num_replicas)
    )


@pytest.mark.parametrize("length", [10**8, 10**8 - 37, 2**27 + 1])
def test_every_index_of_a_hundred_million_is_drawn_once(length):
    """Over 64 ranks, every index is drawn exactly once, by a count of each."""
    drawn = np.zeros(length, np.uint8)
    for sampler in every_rank(length, 64, make_even=False):
        for begin in range(0, len(sampler), CHUNK):
            drawn[sampler.indices(begin, min(begin + CHUNK, len(sampler)))] += 1
    assert drawn.min() == drawn.max() == 1


def test_a_trillion_samples_on_sixteen_thousand_ranks_resume_on_twelve_thousand():
    """At N = 10^12, a rank that goes on draws what follows, nothing twice, at a million random points."""
    length, delivered = 10**12, 30_000_000
    generator = np.random.default_rng(0)
    before = DistributedSampler(LengthOnly(length), 16_384, 0)
    state = before.state_dict(delivered=delivered)
    assert state["delivered"] == 16_384 * delivered
    ranks = generator.integers(0, 12_000, 100)
    drawn = []
    for rank in ranks.tolist():
        sampler = DistributedSampler(LengthOnly(length), 12_000, rank)
        sampler.load_state_dict(state)
        positions = generator.integers(0, sampler.valid_length, 10_000)
        indices = np.concatenate([sampler.indices(at, at + 1) for at in positions[:100].tolist()])
        found, at = sampler.locate(indices)
        assert (found == rank).all()
        assert np.array_equal(at, positions[:100])
        drawn.append(sampler[:10_000])
        found, at = sampler.locate(drawn[-1])
        assert (found == rank).all()
        assert np.array_equal(at, np.arange(10_000))
    everything = np.concatenate(drawn)
    assert len(everything) == 1_000_000
    assert len(np.unique(everything)) == len(np.unique(ranks)) * 10_000
    assert (before.locate(everything)[1] >= delivered).all()


def test_last_of_a_trillion_are_split_over_more_ranks_than_samples():
    """Close to the end, more ranks than samples share what is left, and pad from the beginning."""
    length = 10**12
    state = {**DistributedSampler(LengthOnly(length), 16_384, 0).state_dict(), "delivered": length - 5}
    shares = []
    for rank in range(12):
        sampler = DistributedSampler(LengthOnly(length), 12, rank)
        sampler.load_state_dict(state)
        shares.append((list(sampler), sampler.valid_length))
    assert [len(share) for share, _ in shares] == [1] * 12
    assert [valid for _, valid in shares] == [1] * 5 + [0] * 7
    padding = [share[0] for share, _ in shares[5:]]
    assert padding == DistributedSampler(LengthOnly(length), 1, 0)[:7].tolist()
