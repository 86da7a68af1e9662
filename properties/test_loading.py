"""The sampler where it is used: batches, random access, DataLoader, StatefulDataLoader."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.data import BatchSampler, DataLoader

from distsampler import DistributedSampler
from distsampler.conformance.case import LengthOnly

EXPLORE = settings(derandomize=True, deadline=None, max_examples=100)
ARGUMENTS = st.fixed_dictionaries(
    {"shuffle": st.booleans(), "seed": st.integers(0, 9), "permutation": st.sampled_from(["keyed", "torch"])},
    optional={"drop_last": st.just(True)},
) | st.fixed_dictionaries({"make_even": st.just(False), "shuffle": st.booleans()})


LENGTHS = st.integers(0, 6_000)


def one_rank(data, lengths=LENGTHS):
    """Draw one rank's sampler, at the beginning of an epoch or in the middle of it."""
    length, count = data.draw(lengths), data.draw(st.integers(1, 9))
    sampler = DistributedSampler(
        LengthOnly(length), count, data.draw(st.integers(0, count - 1)), **data.draw(ARGUMENTS)
    )
    state = sampler.state_dict()
    sampler.load_state_dict({**state, "delivered": data.draw(st.integers(0, length))})
    return sampler


@EXPLORE
@given(data=st.data(), batch_size=st.integers(1, 3_000), drop_last=st.booleans())
def test_batches_are_those_of_torchs_batch_sampler(data, batch_size, drop_last):
    """`batches` hands out what torch's BatchSampler makes of the sampler, and its length is right."""
    sampler = one_rank(data)
    batches = sampler.batches(batch_size, drop_last)
    expected = list(BatchSampler(list(sampler.indices(0, len(sampler)).tolist()), batch_size, drop_last))
    assert len(batches) == len(expected)
    assert list(batches) == expected


@EXPLORE
@given(data=st.data())
def test_random_access_is_iteration(data):
    """`sampler[a:b]`, `sampler[k]` and `indices` give what iterating gives, as int64."""
    sampler = one_rank(data)
    at = st.integers(-len(sampler) - 2, len(sampler) + 2)
    part = slice(data.draw(at), data.draw(at), data.draw(st.sampled_from([None, 1, 2, -1])))
    drawn = list(DistributedSampler.__iter__(sampler))
    sampler.set_epoch(1)
    sampler.set_epoch(0)
    whole = list(sampler)
    assert sampler[part].tolist() == whole[part]
    assert sampler[part].dtype == np.int64
    assert drawn == whole[len(whole) - len(drawn) :] or sampler.num_replicas > 1
    for k in (0, -1, len(whole) // 2):
        assert not whole or sampler[k] == whole[k]
    begin, end = sorted((data.draw(st.integers(0, len(whole))), data.draw(st.integers(0, len(whole)))))
    assert sampler.indices(begin, end).tolist() == whole[begin:end]


@EXPLORE
@given(data=st.data())
def test_locate_is_where_a_sample_is_drawn(data):
    """`locate` names the rank and position at which a sample is drawn first, or None if nobody draws it."""
    sampler = one_rank(data, st.integers(1, 60))
    state, count = sampler.state_dict(), sampler.num_replicas
    places = {}
    for rank in range(count):
        other = DistributedSampler(
            sampler.dataset,
            count,
            rank,
            sampler.shuffle,
            sampler.seed,
            sampler.drop_last,
            make_even=sampler.make_even,
            permutation=sampler.permutation,
        )
        other.load_state_dict(state)
        for position, index in enumerate(other[: other.valid_length].tolist()):
            assert places.setdefault(index, (rank, position)) == (rank, position)
    everything = np.arange(len(sampler.dataset))
    assert [sampler.locate(index) for index in everything.tolist()] == [
        places.get(index) for index in everything.tolist()
    ]
    ranks, positions = sampler.locate(everything)
    expected = [places.get(index, (-1, -1)) for index in everything.tolist()]
    assert list(zip(ranks.tolist(), positions.tolist(), strict=True)) == expected


@pytest.mark.parametrize(
    ("ask", "error", "sentence"),
    [
        (
            lambda sampler: sampler.indices(3, 2),
            IndexError,
            r"indices\(3, 2\), expected 0 <= begin <= end <= 5",
        ),
        (lambda sampler: sampler.indices(0, 6), IndexError, "expected 0 <= begin <= end <= 5"),
        (lambda sampler: sampler[5], IndexError, r"sampler\[5\], expected a position in \[-5, 5\)"),
        (lambda sampler: sampler[-6], IndexError, r"sampler\[-6\], expected a position in \[-5, 5\)"),
        (lambda sampler: sampler.locate(10), IndexError, r"index is 10, expected a value in \[0, 10\)"),
        (lambda sampler: sampler.locate(-1), IndexError, "index is -1, expected a value in"),
        (lambda sampler: sampler.locate(0.5), TypeError, "index is 0.5, expected an integer"),
        (
            lambda sampler: sampler.locate(np.zeros(1)),
            TypeError,
            "index is an array of float64, expected integers",
        ),
        (lambda sampler: sampler.batches(0), ValueError, "batch_size is 0, expected 1 or more"),
        (lambda sampler: sampler.batches(2.0), TypeError, "batch_size is 2.0, expected an integer"),
        (lambda sampler: sampler.batches(2, 1), TypeError, "drop_last is 1, expected True or False"),
    ],
)
def test_bad_access_is_refused(ask, error, sentence):
    """What does not exist is refused with what does."""
    with pytest.raises(error, match=sentence):
        ask(DistributedSampler(range(10), 2, 0))


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_in_a_dataloader_cover_the_dataset(workers):
    """`batches` as a DataLoader's batch sampler loads each sample once over all ranks, in each epoch."""
    for epoch in (0, 1):
        loaded = []
        for rank in range(3):
            batches = DistributedSampler(LengthOnly(100), 3, rank, make_even=False).batches(8)
            batches.set_epoch(epoch)
            loader = DataLoader(LengthOnly(100), batch_sampler=batches, num_workers=workers)
            loaded += [index for batch in loader for index in batch.tolist()]
        assert sorted(loaded) == list(range(100))


def test_growing_dataset_is_followed():
    """Lengths and indices follow a dataset that grows between epochs."""
    dataset = LengthOnly(10)
    sampler = DistributedSampler(dataset, 4, 1, shuffle=False)
    assert list(sampler) == [1, 5, 9]
    dataset.length = 40
    assert (len(sampler), sampler.num_samples, sampler.total_size) == (10, 10, 40)
    assert list(sampler) == list(range(1, 40, 4))


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("through", ["sampler", "batches"])
def test_resume_in_a_stateful_dataloader(workers, through):
    """A StatefulDataLoader's state after any batch goes on exactly there, then with the next epoch."""
    stateful = pytest.importorskip("torchdata.stateful_dataloader", reason="torchdata is not installed")

    def make():
        sampler = DistributedSampler(LengthOnly(101), 4, 1)
        how = (
            {"sampler": sampler, "batch_size": 5}
            if through == "sampler"
            else {"batch_sampler": sampler.batches(5)}
        )
        return sampler, stateful.StatefulDataLoader(LengthOnly(101), num_workers=workers, **how)

    def load(loader, most=99):
        return [batch.tolist() for batch, _ in zip(loader, range(most), strict=False)]

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "'set_vital' is deprecated")
        sampler, loader = make()
        sampler.set_epoch(3)
        whole = load(loader)
        sampler.set_epoch(4)
        following = load(loader)
        for batches in (0, 1, 3, 5):
            sampler, loader = make()
            sampler.set_epoch(3)
            iterator = iter(loader)
            head = [next(iterator).tolist() for _ in range(batches)]
            state = loader.state_dict()
            sampler, loader = make()
            loader.load_state_dict(state)
            assert head + load(loader) == whole
            assert sampler.epoch == 3
            sampler.set_epoch(4)
            assert load(loader) == following
