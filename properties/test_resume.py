"""Resume: from any point, on any number of ranks, nothing lost and nothing twice beyond padding."""

import itertools
import json
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.data import DataLoader

from distsampler import DistributedSampler
from distsampler.conformance.case import LengthOnly
from distsampler.sampling.permutation import keyed_order

EXPLORE = settings(derandomize=True, deadline=None, max_examples=200)
REMAINDERS = {"pad": {}, "drop": {"drop_last": True}, "uneven": {"make_even": False}}


def ranks(num_replicas, length=100, **arguments):
    """Make the samplers of all ranks."""
    return [
        DistributedSampler(LengthOnly(length), num_replicas, rank, **arguments)
        for rank in range(num_replicas)
    ]


def drawn_in_turns(samplers, steps):
    """Let all ranks draw up to `steps` indices in lockstep; return them in global order."""
    shares = [list(itertools.islice(sampler, steps)) for sampler in samplers]
    longest = max(map(len, shares))
    return [share[at] for at in range(longest) for share in shares if at < len(share)]


@EXPLORE
@given(
    length=st.integers(0, 60),
    remainder=st.sampled_from(sorted(REMAINDERS)),
    hops=st.lists(st.tuples(st.integers(1, 9), st.integers(0, 12)), min_size=1, max_size=4),
    last=st.integers(1, 9),
    seed=st.integers(0, 3),
    epoch=st.integers(0, 3),
)
def test_epoch_goes_on_over_any_chain_of_replica_numbers(length, remainder, hops, last, seed, epoch):
    """However often a job is stopped and restarted on other numbers of ranks, the epoch is the permutation.

    What all ranks draw, in turns, is the epoch's order from its beginning; then padding from its beginning
    again, or a tail left out that is shorter than the number of ranks.
    """
    arguments = {"length": length, "seed": seed, **REMAINDERS[remainder]}
    order = keyed_order(length, seed, epoch).indices(np.arange(length)).tolist()
    drawn, state = [], None
    for num_replicas, steps in [*hops, (last, length + 1)]:
        samplers = ranks(num_replicas, **arguments)
        for sampler in samplers:
            sampler.set_epoch(epoch)
            if state is not None:
                sampler.load_state_dict(json.loads(json.dumps(state)))
        assert [len(sampler) for sampler in samplers] == [len(list(sampler)) for sampler in samplers]
        for sampler in samplers:
            sampler.set_epoch(epoch + 1)
            sampler.set_epoch(epoch)
            if state is not None:
                sampler.load_state_dict(state)
        drawn += drawn_in_turns(samplers, steps)
        states = [sampler.state_dict() for sampler in samplers]
        state = states[0]
        if remainder != "uneven":
            assert all(other == state for other in states)
    again = order * (len(drawn) // max(1, length) + 1)
    assert drawn == again[: len(drawn)]
    if remainder == "pad":
        assert length <= len(drawn)
        assert len(drawn) - length < max([last, *(count for count, _ in hops)])
    elif remainder == "drop":
        assert length - len(drawn) < max([last, *(count for count, _ in hops)])
    else:
        assert len(drawn) == length


@pytest.mark.parametrize("remainder", sorted(REMAINDERS))
def test_state_saved_at_the_end_has_nothing_left(remainder):
    """After a finished epoch, whatever its padding, a resume on fewer or more ranks draws nothing of it."""
    (first, *_) = saved = ranks(4, 10, **REMAINDERS[remainder])
    for sampler in saved:
        list(sampler)
    for num_replicas in (1, 2, 3, 4, 9):
        for sampler in ranks(num_replicas, 10, **REMAINDERS[remainder]):
            sampler.load_state_dict(first.state_dict())
            assert (len(sampler), list(sampler)) == (0, [])


def test_usual_loop_goes_on_where_it_was():
    """`set_epoch` of the state's epoch goes on, another starts anew, a finished one is whole again."""
    sampler = ranks(4)[1]
    whole = {}
    for epoch in (3, 4):
        sampler.set_epoch(epoch)
        whole[epoch] = list(sampler)
    sampler.set_epoch(3)
    iterator = iter(sampler)
    head = [next(iterator) for _ in range(7)]
    state = sampler.state_dict()

    resumed = ranks(4)[1]
    resumed.load_state_dict(state)
    resumed.set_epoch(3)
    assert (resumed.epoch, len(resumed)) == (3, 18)
    assert resumed.state_dict() == state
    assert head + list(resumed) == whole[3]
    assert len(resumed) == 18
    with pytest.warns(UserWarning, match="epoch 3 is drawn again in the same order"):
        assert list(resumed) == whole[3]
    assert len(resumed) == 25
    resumed.set_epoch(4)
    assert list(resumed) == whole[4]

    other = ranks(4)[1]
    other.load_state_dict(state)
    other.set_epoch(4)
    assert list(other) == whole[4]


def test_delivered_is_what_was_trained_on_not_what_workers_drew():
    """A DataLoader with workers draws ahead; `delivered` says how far the training loop really came."""
    sampler = ranks(2)[0]
    whole = list(sampler.indices(0, 50))
    loader = DataLoader(LengthOnly(100), batch_size=5, sampler=sampler, num_workers=2, prefetch_factor=4)
    trained = []
    for batch in loader:
        trained += batch.tolist()
        if len(trained) == 15:
            break
    assert sampler.state_dict()["delivered"] > 30
    state = sampler.state_dict(delivered=len(trained))
    assert state["delivered"] == 30
    resumed = ranks(2)[0]
    resumed.load_state_dict(state)
    assert trained + list(resumed) == whole


def test_delivered_counts_from_where_the_pass_began():
    """After a resume, `delivered` counts what this pass delivered, on its own number of ranks."""
    sampler = ranks(4)[0]
    sampler.load_state_dict(ranks(2)[0].state_dict(delivered=10))
    iter(sampler)
    assert sampler.state_dict(delivered=5)["delivered"] == 2 * 10 + 4 * 5


@pytest.mark.parametrize(
    ("delivered", "error"), [(-1, ValueError), (26, ValueError), (1.0, TypeError), (True, TypeError)]
)
def test_impossible_delivered_is_refused(delivered, error):
    """More than the pass has, or no integer, is refused."""
    with pytest.raises(error, match=r"delivered is .*, expected"):
        ranks(4)[0].state_dict(delivered=delivered)


SAVED = {"length": 100, "seed": 1}
MISMATCHES = [
    ({"length": 99}, "dataset_length=100, expected 99"),
    ({"seed": 2}, "seed=1, expected 2"),
    ({"shuffle": False}, "shuffle=True, expected False"),
    ({"permutation": "torch"}, "permutation='keyed', expected 'torch'"),
    ({"drop_last": True}, "remainder='pad', expected 'drop'"),
]


@pytest.mark.parametrize(("changed", "sentence"), MISMATCHES, ids=str)
def test_state_of_other_settings_is_refused(changed, sentence):
    """A state of another order is refused in one sentence that names both values, and changes nothing."""
    (sampler,) = ranks(1, **{**SAVED, **changed})
    sampler.set_epoch(2)
    with pytest.raises(ValueError, match=sentence):
        sampler.load_state_dict(ranks(1, **SAVED)[0].state_dict())
    assert (sampler.epoch, len(sampler)) == (2, len(sampler.dataset))


BROKEN = [
    (lambda state: {**state, "version": 2}, ValueError, "version=2, expected 1"),
    (lambda state: {**state, "epoch": -1}, ValueError, "epoch=-1, expected 0 or more"),
    (lambda state: {**state, "epoch": "1"}, ValueError, "epoch='1', expected 0 or more"),
    (lambda state: {**state, "delivered": 101}, ValueError, r"delivered=101, expected a value in \[0, 100\]"),
    (lambda state: {**state, "delivered": 1.5}, ValueError, r"delivered=1.5, expected a value in \[0, 100\]"),
    (lambda state: {**state, "yielded": 3}, ValueError, "state has the keys .*'yielded'"),
    (lambda _: {"yielded": 3}, ValueError, r"state has the keys \['yielded'\], expected"),
    (lambda _: None, TypeError, "state is a NoneType, expected the dict"),
    (lambda _: [1], TypeError, "state is a list, expected the dict"),
]


@pytest.mark.parametrize(("breaks", "error", "sentence"), BROKEN, ids=[sentence for *_, sentence in BROKEN])
def test_broken_state_is_refused(breaks, error, sentence):
    """What no sampler has written is refused with what is wrong with it."""
    (sampler,) = ranks(1)
    with pytest.raises(error, match=sentence):
        sampler.load_state_dict(breaks(sampler.state_dict()))


def test_dataset_that_changed_since_the_resume_is_refused():
    """An epoch is not continued over another number of samples in silence."""
    sampler = ranks(2)[0]
    sampler.load_state_dict(ranks(2)[0].state_dict(delivered=10))
    sampler.dataset.length = 90
    with pytest.raises(ValueError, match="dataset length is 90, expected 100 as when the state was loaded"):
        list(sampler)
    sampler.set_epoch(1)
    assert len(list(sampler)) == 45


@pytest.mark.parametrize("permutation", ["keyed", "torch"])
def test_pickle_is_small_and_goes_on_as_the_original(permutation):
    """A copy taken in the middle of a pass is below 1 KiB, the dataset aside, and knows where it is."""
    sampler = ranks(8, 10**6, permutation=permutation)[3]
    iterator = iter(sampler)
    for _ in range(1_000):
        next(iterator)
    copy = pickle.loads(pickle.dumps(sampler))  # noqa: S301  (our own)
    assert len(pickle.dumps(sampler)) - len(pickle.dumps(sampler.dataset)) < 1024
    assert copy.state_dict() == sampler.state_dict()
    assert list(copy) == list(sampler)
    assert next(iterator) == sampler[1_000]


def test_iterators_are_independent():
    """Two live iterators, and `set_epoch` while they run, do not disturb each other."""
    sampler = ranks(3)[2]
    whole = list(sampler)
    sampler.set_epoch(1)
    sampler.set_epoch(0)
    first, second = iter(sampler), iter(sampler)
    heads = [next(first), next(first), next(second)]
    assert sampler.state_dict()["delivered"] == 3
    sampler.set_epoch(5)
    assert heads == [whole[0], whole[1], whole[0]]
    assert (list(first), list(second)) == (whole[2:], whole[1:])
    assert sampler.state_dict()["delivered"] == 0


def test_forgotten_set_epoch_is_noticed_once():
    """The second full pass over the same epoch warns and says what to call; a third stays quiet."""
    sampler = ranks(2)[0]
    list(sampler)
    with pytest.warns(UserWarning, match=r"call sampler\.set_epoch\(epoch\) on every rank") as caught:
        assert list(sampler) == list(sampler)
    assert len(caught) == 1
    assert caught[0].filename == __file__


def test_no_warning_where_nothing_is_forgotten():
    """Passes that were broken off, other epochs and unshuffled samplers do not warn."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sampler = ranks(2)[0]
        next(iter(sampler))
        list(sampler)
        sampler.set_epoch(1)
        list(sampler)
        unshuffled = ranks(2, shuffle=False)[0]
        assert list(unshuffled) == list(unshuffled)
