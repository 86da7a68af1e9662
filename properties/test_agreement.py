"""`check_agreement`: ranks that would draw from different orders are told before training."""

import pytest
import torch.distributed as dist
import torch.multiprocessing as mp
from torch.utils.data import WeightedRandomSampler

from distsampler import DistributedSampler, check_agreement, distribute
from distsampler.sampling.agreement import fingerprint

WORLD = 3


def _agree(_rank):
    return DistributedSampler(range(100)), {"identity": ["a", "b"]}


def _file_order(rank):
    return DistributedSampler(range(100)), {"identity": ["b", "a"] if rank == 2 else ["a", "b"]}


def _length(rank):
    return DistributedSampler(range(99 if rank == 1 else 100)), {}


def _seed(rank):
    return DistributedSampler(range(100), seed=rank // 2), {}


def _huge_seed(rank):
    return DistributedSampler(range(100), seed=2**70 + rank // 2), {}


def _epoch(rank):
    sampler = DistributedSampler(range(100))
    sampler.set_epoch(4 if rank == 0 else 5)
    return sampler, {}


def _remainder(rank):
    return DistributedSampler(range(100), drop_last=rank == 1), {}


def _state(rank):
    sampler = DistributedSampler(range(100))
    if rank == 2:
        sampler.load_state_dict(sampler.state_dict(delivered=3))
    return sampler, {}


def _same_rank(rank):
    return DistributedSampler(range(100), WORLD, min(rank, 1)), {}


def _other_world(rank):
    return DistributedSampler(range(100), 8, rank), {}


def _weights(rank):
    weights = [1.0, 2.0] * 50 if rank else [2.0, 1.0] * 50
    return distribute(WeightedRandomSampler(weights, 100)), {}


SITUATIONS = {
    _agree: None,
    _file_order: "rank 2 has another identity than rank 0; expected the same on every rank: bring the data",
    _length: "rank 1 has dataset_length=99, rank 0 has dataset_length=100; expected the same",
    _seed: "rank 2 has seed=1, rank 0 has seed=0; expected the same on every rank: give every rank the same",
    _huge_seed: "rank 2 has another seed than rank 0; expected the same",
    _epoch: "rank 0 has epoch=4, rank 1 has epoch=5; expected the same on every rank: call set_epoch",
    _remainder: "rank 1 has another remainder than rank 0; expected the same",
    _state: "rank 2 has delivered=9, rank 0 has delivered=0; expected the same on every rank: load the same",
    _same_rank: "processes [1, 2] all draw as rank 1, expected each rank once",
    _other_world: "num_replicas is 8, expected 3, the size of the process group",
    _weights: "rank 0 has another drawing than rank 1",
}


def _check_all(rank, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=WORLD)
    for situation in SITUATIONS:
        sampler, arguments = situation(rank)
        try:
            outcome = "agreed " + check_agreement(sampler, **arguments)
        except (RuntimeError, ValueError) as error:
            outcome = str(error)
        (folder / f"{situation.__name__}-{rank}").write_text(outcome)
    dist.destroy_process_group()


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """Let 3 gloo ranks check every situation; return what each rank was told."""
    folder = tmp_path_factory.mktemp("agreement")
    mp.spawn(_check_all, (folder,), nprocs=WORLD)
    return {
        situation: [(folder / f"{situation.__name__}-{rank}").read_text() for rank in range(WORLD)]
        for situation in SITUATIONS
    }


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_every_rank_is_told_alike_which_differs_and_in_what(outcomes, situation):
    """All ranks get the same answer: the fingerprint, or who differs, in what, and what to do."""
    told = outcomes[situation]
    assert told == [told[0]] * WORLD
    assert told[0].startswith(SITUATIONS[situation] or "agreed ")


def test_agreed_fingerprint_is_the_samplers():
    """A single process agrees with itself, without a process group."""
    sampler = DistributedSampler(range(10), 1, 0)
    assert check_agreement(sampler) == sampler.fingerprint()


def test_fingerprint_is_of_what_decides_the_order():
    """The rank does not change the fingerprint; everything that changes the global order does."""
    base = DistributedSampler(range(10), 2, 0)
    assert DistributedSampler(range(10), 2, 1).fingerprint() == base.fingerprint()
    epoch = DistributedSampler(range(10), 2, 0)
    epoch.set_epoch(1)
    others = [
        epoch,
        DistributedSampler(range(11), 2, 0),
        DistributedSampler(range(10), 3, 0),
        DistributedSampler(range(10), 2, 0, shuffle=False),
        DistributedSampler(range(10), 2, 0, seed=1),
        DistributedSampler(range(10), 2, 0, drop_last=True),
        DistributedSampler(range(10), 2, 0, make_even=False),
        DistributedSampler(range(10), 2, 0, permutation="torch"),
    ]
    prints = {sampler.fingerprint() for sampler in [base, *others]}
    assert len(prints) == len(others) + 1
    assert fingerprint(base, identity="files") != base.fingerprint()


def test_no_process_group_is_said():
    """Several replicas without a process group cannot be compared, and that is an error."""
    with pytest.raises(ValueError, match="num_replicas is 2 and there is no process group"):
        check_agreement(DistributedSampler(range(10), 2, 0))


def test_identity_that_differs_by_nature_is_refused():
    """A value that two processes could see differently, such as a set, is refused."""
    with pytest.raises(TypeError, match="identity is a set, expected text, bytes, numbers or lists"):
        check_agreement(DistributedSampler(range(10), 1, 0), identity={"a"})
