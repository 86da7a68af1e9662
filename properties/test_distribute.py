"""`distribute`: other samplers over ranks, their draws, weights and order kept."""

import random

import numpy as np
import pytest
import torch
from torch.utils.data import (
    BatchSampler,
    DataLoader,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

import distsampler
from distsampler import distribute
from distsampler.conformance.case import LengthOnly
from distsampler.conformance.process_state import be_process, restored

DATASET = LengthOnly(103)
WEIGHTS = [100.0, 1.0] * 500


class EpochSampler(Sampler):
    """Yields what depends on its epoch only."""

    def __init__(self):
        self.epoch = 0

    def __iter__(self):
        return iter(range(self.epoch * 1000, self.epoch * 1000 + 10 + self.epoch))

    def set_epoch(self, epoch):
        """Remember the epoch."""
        self.epoch = epoch


def generator():
    """Make a generator whose state differs from process to process, as a user's might."""
    made = torch.Generator()
    made.manual_seed(torch.default_generator.initial_seed())
    return made


INNER = {
    "subset": lambda: SubsetRandomSampler(range(0, 103, 2)),
    "subset-generator": lambda: SubsetRandomSampler(range(0, 103, 2), generator()),
    "random": lambda: RandomSampler(DATASET),
    "replacement": lambda: RandomSampler(DATASET, replacement=True, num_samples=500, generator=generator()),
    "weighted": lambda: WeightedRandomSampler(WEIGHTS, 300),
    "sequential": lambda: SequentialSampler(DATASET),
    "batches": lambda: BatchSampler(RandomSampler(DATASET, generator=generator()), 8, drop_last=False),
    "epoch": EpochSampler,
}


def every_rank(make, num_replicas, epoch=0, **arguments):
    """Let each rank, a process of its own, draw its share."""
    shares = []
    with restored():
        for rank in range(num_replicas):
            be_process(rank)
            sampler = distribute(make(), num_replicas, rank, **arguments)
            sampler.set_epoch(epoch)
            shares.append(list(sampler))
            assert len(sampler) == len(shares[-1])
    return shares


def in_turns(shares):
    """Return what all ranks draw in global order."""
    return [share[at] for at in range(max(map(len, shares))) for share in shares if at < len(share)]


@pytest.mark.parametrize("name", INNER)
def test_ranks_share_one_drawing(name):
    """However their generators differ, all ranks together draw what one process draws, in its order."""
    alone = every_rank(INNER[name], 1, epoch=2, make_even=False)[0]
    together = in_turns(every_rank(INNER[name], 5, epoch=2, make_even=False))
    assert together == alone
    assert len(alone) > 5


@pytest.mark.parametrize("name", [name for name in INNER if name != "sequential"])
def test_every_epoch_is_drawn_anew(name):
    """Another epoch gives another drawing, the same one the same; so does a seed if there is chance."""
    first = every_rank(INNER[name], 2)
    assert every_rank(INNER[name], 2) == first
    assert every_rank(INNER[name], 2, epoch=1) != first
    assert (every_rank(INNER[name], 2, seed=1) != first) == (name != "epoch")


def test_weights_are_global():
    """Heavy samples are drawn as often as their weights ask, over all ranks together and on each."""
    for share in every_rank(lambda: WeightedRandomSampler(WEIGHTS, 2_000), 2):
        assert np.mean([index % 2 == 0 for index in share]) == pytest.approx(100 / 101, abs=0.015)


def test_batches_stay_whole():
    """A batch sampler's batches are dealt out as they are, the same number to each rank."""
    shares = every_rank(INNER["batches"], 4)
    assert [len(share) for share in shares] == [4, 4, 4, 4]
    real = in_turns(shares)[:13]
    assert sorted(index for batch in real for index in batch) == list(range(103))
    assert [len(batch) for batch in real] == [8] * 12 + [7]


def global_state(own):
    """Return the states of all global generators and of one more."""
    numpys = np.random.get_state()[1].tolist()  # noqa: NPY002  (the global generator is the point)
    return torch.get_rng_state().tolist(), numpys, random.getstate(), own.get_state().tolist()


def test_global_generators_are_left_alone():
    """Drawing neither reads nor moves torch's, numpy's and Python's generators, nor the sampler's own."""
    own = torch.Generator().manual_seed(3)
    inner = RandomSampler(DATASET, generator=own)
    with restored():
        be_process(1)
        before = global_state(own)
        list(distribute(inner, 2, 0))
        assert global_state(own) == before


def test_inner_epoch_is_set():
    """`set_epoch` reaches the sampler inside a batch sampler, and the length follows it."""
    inner = EpochSampler()
    sampler = distribute(BatchSampler(inner, 4, drop_last=False), 2, 0)
    assert len(sampler) == 2
    sampler.set_epoch(7)
    assert inner.epoch == 7
    assert (inner.epoch, sampler.epoch, len(sampler)) == (7, 7, 3)
    assert next(iter(sampler)) == [7000, 7001, 7002, 7003]


def test_works_in_a_dataloader_with_workers():
    """Over 2 ranks with DataLoader workers, each sample of the subset is loaded once."""
    loaded = []
    for rank in range(2):
        sampler = distribute(SubsetRandomSampler(range(50)), 2, rank)
        loader = DataLoader(LengthOnly(103), batch_size=8, sampler=sampler, num_workers=2)
        loaded += [index for batch in loader for index in batch.tolist()]
    assert sorted(loaded) == list(range(50))


@pytest.mark.parametrize("name", INNER)
def test_resume_goes_on_on_another_number_of_ranks(name):
    """The rest of the epoch, over other ranks, is what was left."""
    whole = every_rank(INNER[name], 1, epoch=1, make_even=False)[0]
    with restored():
        be_process(9)
        saved = distribute(INNER[name](), 4, 0, make_even=False)
        saved.set_epoch(1)
        state = saved.state_dict(delivered=1)
        shares = []
        for rank in range(3):
            be_process(rank)
            sampler = distribute(INNER[name](), 3, rank, make_even=False)
            sampler.load_state_dict(state)
            shares.append(list(sampler))
    assert in_turns(shares) == whole[4:]


def test_padding_comes_last_and_is_counted():
    """`valid_length` cuts the padding off a distributed sampler too."""
    samplers = [distribute(SequentialSampler(range(10)), 4, rank) for rank in range(4)]
    assert [list(sampler) for sampler in samplers] == [[0, 4, 8], [1, 5, 9], [2, 6, 0], [3, 7, 1]]
    assert [sampler.valid_length for sampler in samplers] == [3, 3, 2, 2]


def test_what_is_split_already_is_refused():
    """A sampler that draws for one rank is not split again, also inside a batch sampler."""
    split = distsampler.DistributedSampler(DATASET, 4, 0)
    with pytest.raises(ValueError, match="draws for one of 4 replicas already"):
        distribute(BatchSampler(split, 8, drop_last=False), 4, 0)


def test_what_cannot_be_iterated_is_refused():
    """What is no sampler is refused with its type."""
    with pytest.raises(TypeError, match="sampler is a int, expected a sampler or batch sampler"):
        distribute(3, 2, 0)


def test_fingerprint_sees_other_draws():
    """Two ranks whose weights differ have different fingerprints."""
    same = [distribute(WeightedRandomSampler(WEIGHTS, 300), 2, rank).fingerprint() for rank in range(2)]
    other = distribute(WeightedRandomSampler(WEIGHTS[::-1], 300), 2, 1).fingerprint()
    assert same[0] == same[1] != other


def test_state_of_another_sampler_is_refused():
    """A state goes on with the sampler that it was saved with, not with one that draws something else."""
    state = distribute(SequentialSampler(range(100)), 2, 0).state_dict(delivered=10)
    with pytest.raises(ValueError, match=r"state has drawing=.*, expected .* as in this sampler"):
        distribute(RandomSampler(range(100)), 2, 0).load_state_dict(state)
    resumed = distribute(SequentialSampler(range(100)), 2, 0)
    resumed.load_state_dict(state)
    assert next(iter(resumed)) == 20
