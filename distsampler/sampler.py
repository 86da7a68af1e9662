"""`DistributedSampler`: one rank's view of one epoch, a drop-in for torch's."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import torch.distributed as dist
from torch.utils.data import Sampler

from distsampler.partition import Partition, Remainder
from distsampler.permutation import torch_order

if TYPE_CHECKING:
    from collections.abc import Iterator, Sized


class DistributedSampler(Sampler[int]):
    """Indices of `dataset` for one rank, split over `num_replicas` ranks without overlap.

    `num_replicas` and `rank` come from the default process group when they are None. `shuffle` draws a new
    order for every epoch given to `set_epoch`, from `seed`, which must be the same on all ranks.

    When the dataset length is no multiple of `num_replicas`, `make_even=True` repeats samples until all
    ranks have as many, `drop_last=True` leaves out the tail, and `make_even=False` does neither, so that
    lengths differ by at most one. `valid_length` says how many of this rank's indices are not repeats.

    Raises ValueError for a rank outside `[0, num_replicas)`, `num_replicas` below 1, a negative seed or
    epoch, `drop_last=True` with `make_even=False`, or None without a process group; TypeError for
    arguments that are no integers or a dataset without a length.
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
        *,
        make_even: bool = True,
    ) -> None:
        if not hasattr(dataset, "__len__"):
            raise TypeError(
                f"dataset is a {type(dataset).__name__} without a length, expected a map-style dataset "
                "with __len__; an iterable dataset has to be split where it is read"
            )
        flags = {"shuffle": shuffle, "drop_last": drop_last, "make_even": make_even}
        for name, flag in flags.items():
            if not isinstance(flag, bool):
                raise TypeError(f"{name} is {flag!r}, expected True or False")
        if drop_last and not make_even:
            raise ValueError(
                "drop_last=True with make_even=False: expected at most one of the two; drop_last=True "
                "already gives equal lengths, make_even=False alone keeps every sample exactly once"
            )
        self.dataset = dataset
        self.num_replicas = _world("num_replicas", num_replicas)
        self.rank = _world("rank", rank)
        self.shuffle = shuffle
        self.seed = _natural("seed", seed)
        self.drop_last = drop_last
        self.make_even = make_even
        self.epoch = 0
        self._partition()  # refuses a rank that does not exist, now and not in the middle of an epoch

    def __iter__(self) -> Iterator[int]:
        """Draw this rank's indices of the current epoch, as Python ints."""
        partition = self._partition()
        positions = partition.positions()
        if not self.shuffle:
            return (position % partition.length for position in positions)
        order = torch_order(partition.length, self.seed + self.epoch)
        head = order[positions.start :: self.num_replicas][: partition.valid_length]
        padding = [order[position % partition.length] for position in positions[partition.valid_length :]]
        return iter(head.tolist() + [int(index) for index in padding])

    def __len__(self) -> int:
        """Return how many indices this rank draws in an epoch."""
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Make the next pass draw the order of `epoch`; call it on every rank before each epoch."""
        self.epoch = _natural("epoch", epoch)

    @property
    def num_samples(self) -> int:
        """How many indices this rank draws in an epoch, repeats included."""
        return self._partition().num_samples

    @property
    def total_size(self) -> int:
        """How many indices all ranks draw in an epoch, repeats included."""
        return self._partition().total_size

    @property
    def valid_length(self) -> int:
        """How many of this rank's indices are not repeats; they come first.

        Cutting every rank's results to it makes an evaluation count each sample once.
        """
        return self._partition().valid_length

    @property
    def remainder(self) -> Remainder:
        """What happens when the dataset length is no multiple of `num_replicas`."""
        if self.drop_last:
            return "drop"
        return "pad" if self.make_even else "uneven"

    def _partition(self) -> Partition:
        return Partition(len(self.dataset), self.num_replicas, self.rank, self.remainder)


def _natural(name: str, value: int) -> int:
    """Return `value` as an int of at least 0, or raise TypeError or ValueError."""
    number = _integer(name, value)
    if number < 0:
        raise ValueError(f"{name} is {number}, expected 0 or more")
    return number


def _integer(name: str, value: int) -> int:
    """Return `value` as an int, or raise TypeError for floats, bools and the rest."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}, expected an integer")
    return operator.index(value)


def _world(name: str, given: int | None) -> int:
    """Return the given `num_replicas` or `rank`, or that of the default process group."""
    if given is not None:
        return _integer(name, given)
    if not (dist.is_available() and dist.is_initialized()):
        raise ValueError(
            f"{name} is None and there is no process group, expected an integer; pass {name}= "
            "or call torch.distributed.init_process_group first"
        )
    return dist.get_world_size() if name == "num_replicas" else dist.get_rank()
