"""distsampler's sampler: torch's indices, the seed's `make_even` and `valid_length`, and clear refusals."""

import re

import numpy as np
import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

import distsampler
from distsampler.conformance.case import LengthOnly
from distsampler.subjects.seed import SeedSampler

EXPLORE = settings(derandomize=True, deadline=None, max_examples=200)


def every_rank(num_replicas, **arguments):
    """Make each rank's sampler."""
    return [
        distsampler.DistributedSampler(num_replicas=num_replicas, rank=rank, **arguments)
        for rank in range(num_replicas)
    ]


@EXPLORE
@given(
    length=st.integers(0, 300),
    num_replicas=st.integers(1, 40),
    shuffle=st.booleans(),
    drop_last=st.booleans(),
    seed=st.integers(0, 2**62),
    epoch=st.integers(0, 2**62),
    data=st.data(),
)
def test_indices_are_torchs(length, num_replicas, shuffle, drop_last, seed, epoch, data):
    """Wherever torch has an answer, `permutation="torch"` gives torch's indices and lengths."""
    rank = data.draw(st.integers(0, num_replicas - 1))
    arguments = (LengthOnly(length), num_replicas, rank, shuffle, seed, drop_last)
    ours = distsampler.DistributedSampler(*arguments, permutation="torch")
    torchs = DistributedSampler(*arguments)
    ours.set_epoch(epoch)
    torchs.set_epoch(epoch)
    assert list(ours) == list(torchs)
    for name in ("num_samples", "total_size"):
        assert getattr(ours, name) == getattr(torchs, name)
    assert len(ours) == len(torchs)


@EXPLORE
@given(length=st.integers(0, 100), num_replicas=st.integers(1, 30), shuffle=st.booleans())
def test_valid_length_leaves_each_sample_once(length, num_replicas, shuffle):
    """Cutting every rank's indices to `valid_length` leaves every sample exactly once."""
    samplers = every_rank(num_replicas, dataset=LengthOnly(length), shuffle=shuffle)
    kept = [index for sampler in samplers for index in list(sampler)[: sampler.valid_length]]
    assert sorted(kept) == list(range(length))


def test_accuracy_over_ranks_equals_that_of_one_process():
    """An evaluation over 3 padded ranks counts each sample once if, and only if, it is cut."""
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(100, 10, generator=generator)
    model = torch.nn.Linear(10, 3)
    labels = torch.randint(0, 3, (100,), generator=generator)
    dataset = TensorDataset(inputs, labels)

    def hits(sampler):
        loader = DataLoader(dataset, batch_size=8, sampler=sampler)
        with torch.no_grad():
            return torch.cat([model(batch).argmax(1) == wanted for batch, wanted in loader])

    samplers = every_rank(3, dataset=dataset, shuffle=False)
    alone = hits(None)
    padded = torch.cat([hits(sampler) for sampler in samplers])
    cut = torch.cat([hits(sampler)[: sampler.valid_length] for sampler in samplers])
    assert (len(alone), len(padded), len(cut)) == (100, 102, 100)
    assert cut.sum() == alone.sum()
    assert padded.float().mean() != alone.float().mean()


def test_every_rank_pads_with_the_same_samples_whatever_numpys_state():
    """Padding does not come from a global generator, where the seed's sampler takes it."""

    def draws(make):
        drawn = []
        for state in (1, 2, 3):
            np.random.seed(state)  # noqa: NPY002  (the global generator is the point)
            drawn.append([list(make(LengthOnly(2), 9, rank, False)) for rank in range(9)])
        return drawn

    first, second, third = draws(distsampler.DistributedSampler)
    assert first == second == third == [[0], [1], [0], [1], [0], [1], [0], [1], [0]]
    seeds = draws(SeedSampler)
    assert seeds[0] != seeds[1] or seeds[1] != seeds[2]


def test_uneven_length_is_right_before_the_first_pass():
    """`len()` does not wait for an iteration to be right, as the seed's does."""
    ours = every_rank(4, dataset=LengthOnly(10), make_even=False)
    assert [len(sampler) for sampler in ours] == [3, 3, 2, 2]
    assert [len(list(sampler)) for sampler in ours] == [3, 3, 2, 2]
    seeds = SeedSampler(LengthOnly(10), 4, 3, make_even=False)
    assert (len(seeds), len(list(seeds)), len(seeds)) == (3, 2, 2)


def test_construction_builds_nothing_of_the_datasets_size():
    """A sampler of 10^15 samples is constructed, which no list of indices would survive."""
    sampler = distsampler.DistributedSampler(LengthOnly(10**15), 7, 6, shuffle=False)
    assert (len(sampler), sampler.valid_length) == (-(-(10**15) // 7), 10**15 // 7)
    assert next(iter(sampler)) == 6


REFUSED = [
    ({"rank": 4}, ValueError, "rank is 4, expected a value in [0, 4) because num_replicas is 4"),
    ({"rank": -1}, ValueError, "rank is -1, expected a value in [0, 4)"),
    ({"num_replicas": 0, "rank": 0}, ValueError, "num_replicas is 0, expected 1 or more"),
    ({"num_replicas": -2, "rank": 0}, ValueError, "num_replicas is -2, expected 1 or more"),
    ({"rank": 1.5}, TypeError, "rank is 1.5, expected an integer"),
    ({"rank": True}, TypeError, "rank is True, expected an integer"),
    ({"num_replicas": "4"}, TypeError, "num_replicas is '4', expected an integer"),
    ({"seed": -1}, ValueError, "seed is -1, expected 0 or more"),
    ({"seed": 0.5}, TypeError, "seed is 0.5, expected an integer"),
    ({"shuffle": 1}, TypeError, "shuffle is 1, expected True or False"),
    ({"make_even": None}, TypeError, "make_even is None, expected True or False"),
    (
        {"drop_last": True, "make_even": False},
        ValueError,
        "drop_last=True with make_even=False, expected at most",
    ),
    ({"permutation": "keyd"}, ValueError, "permutation is 'keyd', expected one of ['keyed', 'torch']"),
    ({"num_replicas": None}, ValueError, "num_replicas is None and there is no process group"),
    ({"rank": None}, ValueError, "rank is None and there is no process group"),
    ({"dataset": iter([1])}, TypeError, "dataset is a list_iterator without a length"),
]


@pytest.mark.parametrize(("arguments", "error", "sentence"), REFUSED, ids=lambda value: str(value)[:40])
def test_bad_argument_is_refused_with_a_sentence(arguments, error, sentence):
    """A bad argument is refused at construction; the error says what it is and what is expected."""
    with pytest.raises(error, match=re.escape(sentence)):
        distsampler.DistributedSampler(**{"dataset": range(10), "num_replicas": 4, "rank": 0, **arguments})


@pytest.mark.parametrize(("epoch", "error"), [(-1, ValueError), ("1", TypeError), (1.0, TypeError)])
def test_bad_epoch_is_refused(epoch, error):
    """`set_epoch` refuses what is no epoch, and keeps the one it had."""
    sampler = distsampler.DistributedSampler(range(10), 2, 0)
    with pytest.raises(error, match=r"epoch is .*, expected"):
        sampler.set_epoch(epoch)
    assert sampler.epoch == 0


def _draw_in_process_group(rank, address, folder):
    dist.init_process_group("gloo", init_method=address, rank=rank, world_size=3)
    sampler = distsampler.DistributedSampler(range(10))
    (folder / f"{rank}").write_text(str([sampler.num_replicas, sampler.rank, list(sampler)]))
    dist.destroy_process_group()


def test_rank_and_replicas_come_from_the_process_group(tmp_path):
    """In a real process group, None finds the rank and the number of replicas."""
    mp.spawn(_draw_in_process_group, (f"file://{tmp_path}/rendezvous", tmp_path), nprocs=3)
    expected = [[3, rank, list(distsampler.DistributedSampler(range(10), 3, rank))] for rank in range(3)]
    assert [(tmp_path / str(rank)).read_text() for rank in range(3)] == [str(one) for one in expected]


def test_initialized_is_asked_not_available():
    """torch.distributed being available is not enough: without a group, the error says what to do."""
    assert dist.is_available()
    assert not dist.is_initialized()
    with pytest.raises(ValueError, match="init_process_group first"):
        distsampler.DistributedSampler(range(10))
