"""The orders: bijections that invert, the same on every machine, for every length."""

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from distsampler.sampling.feistel import LARGEST_LENGTH, radices
from distsampler.sampling.permutation import LARGEST_HELD_LENGTH, Held, InOrder, keyed_order, torch_order

EXPLORE = settings(derandomize=True, deadline=None, max_examples=100)
SEEDS = st.integers(0, 2**70)


@EXPLORE
@given(length=st.integers(0, 20_000), seed=SEEDS, epoch=SEEDS)
@example(LARGEST_HELD_LENGTH, 0, 0)
@example(LARGEST_HELD_LENGTH + 1, 0, 0)
def test_every_index_is_drawn_once(length, seed, epoch):
    """A keyed order holds every index of the dataset exactly once, for any seed and epoch."""
    drawn = keyed_order(length, seed, epoch).indices(np.arange(length))
    assert drawn.dtype == np.int64
    assert np.array_equal(np.sort(drawn), np.arange(length))


@EXPLORE
@given(length=st.integers(1, LARGEST_LENGTH), seed=SEEDS, data=st.data())
@example(2**31, 1, None)
@example(2**31 + 1, 1, None)
@example(LARGEST_LENGTH, 1, None)
def test_positions_invert_indices_at_any_length(length, seed, data):
    """`positions` is the inverse of `indices`, up to 2^62 samples."""
    border = [0, length - 1, length // 2]
    drawn = data.draw(st.lists(st.integers(0, length - 1), max_size=5)) if data else []
    at = np.array(border + drawn)
    order = keyed_order(length, seed, 0)
    indices = order.indices(at)
    assert ((indices >= 0) & (indices < length)).all()
    assert np.array_equal(order.positions(indices), at)


@pytest.mark.parametrize(
    "order", [InOrder(7), torch_order(7, 3), Held(np.array([2, 0, 1]))], ids=["in order", "torch", "held"]
)
def test_every_kind_of_order_inverts(order):
    """Also the orders that are held, and the dataset's own, invert."""
    at = np.arange(order.length)
    assert np.array_equal(order.positions(order.indices(at)), at)


@EXPLORE
@given(st.integers(1, LARGEST_LENGTH))
def test_radices_exceed_the_length_by_little(length):
    """The network's domain holds the length, and no more than a root beyond it."""
    left, right = radices(length)
    assert 0 <= left * right - length <= 2 * left


GOLDEN = [
    # length, seed, epoch: the first eight indices of permutation version 1
    (1, 0, 0, [0]),
    (5, 0, 0, [1, 0, 4, 2, 3]),
    (10, 0, 1, [3, 6, 2, 0, 9, 7, 5, 1]),
    (10, 42, 7, [0, 8, 5, 6, 2, 4, 7, 9]),
    (4096, 1, 2, [75, 1160, 281, 1469, 138, 293, 915, 3277]),
    (4097, 1, 2, [2000, 2553, 1597, 1935, 3942, 3556, 592, 3314]),
    (1000000, 0, 0, [493563, 418219, 905363, 697391, 411495, 474098, 892227, 893751]),
    (1000003, 1099511627776, 3, [589980, 405905, 962200, 488975, 62992, 815301, 978558, 146764]),
    (
        1000000000,
        7,
        2147483648,
        [869386783, 556775052, 551314112, 652263147, 153784636, 572909518, 425950469, 223890992],
    ),
    (
        2147483648,
        0,
        0,
        [1464006967, 1385198935, 1656765200, 1036573127, 1398630214, 207674352, 108919819, 957942938],
    ),
    (
        2147483649,
        0,
        0,
        [70724697, 923975201, 235052416, 625908818, 1966352483, 1571045956, 395738480, 1755351157],
    ),
    (
        1000000000000,
        123,
        4,
        [
            625782012829,
            842779709905,
            112161822794,
            526096690430,
            542892639202,
            451701553949,
            369635249196,
            730597249727,
        ],
    ),
    (
        4611686018427387904,
        0,
        0,
        [
            2499213999874877799,
            2383377189936400362,
            1489004137672530817,
            1947125901869479075,
            931519044563550459,
            4473514351090300179,
            1914475463301487470,
            3485060521848529840,
        ],
    ),
]


@pytest.mark.parametrize(("length", "seed", "epoch", "first"), GOLDEN)
def test_order_is_the_same_on_every_machine(length, seed, epoch, first):
    """The keyed order of a (length, seed, epoch) is part of the interface and does not change."""
    at = np.arange(min(8, length))
    assert keyed_order(length, seed, epoch).indices(at).tolist() == first


def test_seed_and_epoch_are_mixed_not_added():
    """(seed 0, epoch 1) and (seed 1, epoch 0) are unrelated, where torch's order is the same."""
    at = np.arange(10_000)
    one, other = keyed_order(10_000, 0, 1).indices(at), keyed_order(10_000, 1, 0).indices(at)
    assert abs(np.corrcoef(one, other)[0, 1]) < 0.05
    assert (one == other).sum() < 20


def test_torch_order_is_torchs():
    """The held order of torch is `torch.randperm`'s, drawn as four bytes an index."""
    generator = torch.Generator().manual_seed(11)
    expected = torch.randperm(100_003, generator=generator).numpy()
    assert np.array_equal(torch_order(100_003, 11).indices(np.arange(100_003)), expected)


def test_length_beyond_the_network_is_refused():
    """A dataset of more than 2^62 samples is refused with a sentence."""
    with pytest.raises(ValueError, match=r"dataset length is .*, expected at most 2\*\*62"):
        keyed_order(2**62 + 1, 0, 0)
