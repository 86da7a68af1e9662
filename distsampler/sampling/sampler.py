"""`DistributedSampler`: one rank's view of one epoch, a drop-in for torch's."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
from torch.utils.data import Sampler

from distsampler.sampling import arguments
from distsampler.sampling.agreement import fingerprint
from distsampler.sampling.batches import BatchSampler
from distsampler.sampling.partition import Partition, Remainder
from distsampler.sampling.passes import Pass, indices_at
from distsampler.sampling.permutation import VERSION, InOrder, Order, Permutation, keyed_order, torch_order
from distsampler.sampling.state import State, check_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sized

    from distsampler.sampling.permutation import Indices


class Place(NamedTuple):
    """Where a sample is drawn: by which rank, and how many indices that rank draws before."""

    rank: int
    position: int


class DistributedSampler(Sampler[int]):
    """Indices of `dataset` for one rank, split over `num_replicas` ranks without overlap.

    `num_replicas` and `rank` come from the default process group when they are None. `shuffle` draws a new
    order for every epoch given to `set_epoch`, from `seed`, which must be the same on all ranks.

    When the dataset length is no multiple of `num_replicas`, `make_even=True` repeats samples until all
    ranks have as many, `drop_last=True` leaves out the tail, and `make_even=False` does neither, so that
    lengths differ by at most one. `valid_length` says how many of this rank's indices are not repeats.

    `permutation="keyed"` computes each index from its position, in constant memory whatever the dataset's
    length; `"torch"` draws torch's own order bit for bit, and needs four bytes per sample for it.

    Raises ValueError for a rank outside `[0, num_replicas)`, `num_replicas` below 1, a negative seed or
    epoch, `drop_last=True` with `make_even=False`, another permutation, or None without a process group;
    TypeError for arguments that are no integers or a dataset without a length.
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
        permutation: Permutation = "keyed",
    ) -> None:
        arguments.length_of(dataset)
        self.dataset = dataset
        self.num_replicas, self.rank = arguments.replicas(num_replicas, rank)
        self.shuffle = arguments.flag("shuffle", shuffle)
        self.seed = arguments.natural("seed", seed)
        self.drop_last = arguments.flag("drop_last", drop_last)
        self.make_even = arguments.flag("make_even", make_even)
        self.permutation = arguments.choice("permutation", permutation, Permutation)
        if drop_last and not make_even:
            raise ValueError(
                "drop_last=True with make_even=False, expected at most one of the two; drop_last=True "
                "already gives equal lengths, make_even=False alone keeps every sample exactly once"
            )
        self.epoch = self._checked_epoch(0)
        self._resumed_length, self._resumed_at = 0, 0
        self._pass: Pass | None = None
        self._held: tuple[tuple[int, int], Order] | None = None
        self._warned = False
        self._partition()  # refuses a rank that does not exist, now and not in the middle of an epoch

    def __iter__(self) -> Iterator[int]:
        """Draw this rank's indices of the current epoch, as Python ints, lazily.

        Every iterator is on its own: a later `set_epoch` or another iterator does not disturb it.
        """
        return self._begin().draws()

    def __len__(self) -> int:
        """Return how many indices the current pass yields: this rank's share, or what a resume left of it.

        The current pass is the one that runs or has just ended, until another begins or another epoch is set.
        """
        return self._partition().num_samples

    def batches(self, batch_size: int, drop_last: bool = False) -> BatchSampler:
        """Return a batch sampler for `DataLoader(batch_sampler=…)` with this sampler's epoch and state."""
        return BatchSampler(self, batch_size, drop_last)

    def set_epoch(self, epoch: int) -> None:
        """Make the next pass draw the order of `epoch`; call it on every rank before each epoch.

        The epoch of a state that was loaded goes on where the state was; any other starts at its beginning.
        """
        number = self._checked_epoch(epoch)
        if number != self.epoch:
            self.epoch, self._pass, self._resumed_at = number, None, 0

    @property
    def num_samples(self) -> int:
        """How many indices this rank draws in a whole epoch, repeats included."""
        return self._partition(whole=True).num_samples

    @property
    def total_size(self) -> int:
        """How many indices all ranks draw in a whole epoch, repeats included."""
        return self._partition(whole=True).total_size

    @property
    def valid_length(self) -> int:
        """How many of the current pass's indices are not repeats; they come first.

        Cutting every rank's results to it makes an evaluation count each sample once.
        """
        return self._partition().valid_length

    @property
    def remainder(self) -> Remainder:
        """What happens when the dataset length is no multiple of `num_replicas`."""
        if self.drop_last:
            return "drop"
        return "pad" if self.make_even else "uneven"

    def indices(self, begin: int, end: int) -> Indices:
        """Return the current pass's indices `[begin, end)`, int64, in time proportional to `end - begin`.

        `permutation="torch"` has to draw the whole order first. Raises IndexError outside `[0, len(self)]`.
        """
        partition = self._partition()
        if not 0 <= begin <= end <= partition.num_samples:
            raise IndexError(
                f"indices({begin}, {end}), expected 0 <= begin <= end <= {partition.num_samples}, "
                "the number of indices that this rank draws"
            )
        return indices_at(self._order(partition.length), partition.positions()[begin:end])

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> Indices: ...
    def __getitem__(self, at: int | slice) -> int | Indices:
        """Return one index of the current pass, or those of a slice as an int64 array."""
        partition = self._partition()
        positions = partition.positions()
        if isinstance(at, slice):
            return indices_at(self._order(partition.length), positions[at])
        count = len(positions)
        if not -count <= arguments.integer("position", at) < count:
            raise IndexError(f"sampler[{at}], expected a position in [-{count}, {count})")
        only = positions[at]
        return int(indices_at(self._order(partition.length), range(only, only + 1))[0])

    @overload
    def locate(self, index: int) -> Place | None: ...
    @overload
    def locate(self, index: Indices) -> tuple[Indices, Indices]: ...
    def locate(self, index: int | Indices) -> Place | tuple[Indices, Indices] | None:
        """Return which rank draws a sample in the current pass, and at which position.

        Takes constant time, except that `permutation="torch"` has to draw the whole order first. An array
        of indices gives two int64 arrays of its shape, ranks and positions. None, or -1 in the arrays, if no
        rank draws the sample: it is dropped, or was delivered before a resume. A sample that is repeated as
        padding is located where it is drawn first. Raises IndexError for an index outside the dataset.
        """
        partition = self._partition()
        if not isinstance(index, np.ndarray):
            ranks, positions = self.locate(np.array([arguments.integer("index", index)]))
            return None if ranks[0] < 0 else Place(int(ranks[0]), int(positions[0]))
        if index.dtype.kind not in "iu":
            raise TypeError(f"index is an array of {index.dtype}, expected integers")
        outside = index[(index < 0) | (index >= partition.length)]
        if len(outside):
            raise IndexError(f"index is {outside[0]}, expected a value in [0, {partition.length})")
        return partition.places(self._order(partition.length).positions(index))

    def state_dict(self, delivered: int | None = None) -> State:
        """Return where in the epoch the job is, as plain JSON values, to go on from with any `num_replicas`.

        `delivered` is how many samples of the running pass this rank really trained on, because a DataLoader
        with workers draws ahead of the training loop; None means all that were drawn. Raises ValueError if
        it is more than the pass has.
        """
        newest = self._pass
        partition = newest.partition if newest else self._partition()
        if delivered is not None:
            done = partition.delivered(arguments.within("delivered", delivered, partition.num_samples))
        elif newest is not None and newest.finished:
            done = partition.length
        else:
            done = partition.delivered(newest.drawn if newest else 0)
        return {**self.settings(), "epoch": self.epoch, "delivered": done}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from `state`: the next pass draws what is left of its epoch, split over the ranks of now.

        Raises ValueError, naming both values, for a state of another dataset length, seed, shuffle,
        permutation, remainder or version, and for one that no sampler has written.
        """
        length = arguments.length_of(self.dataset)
        check_state(state, self.settings())
        self.epoch = self._checked_epoch(state["epoch"])
        self._resumed_length, self._resumed_at = length, state["delivered"]
        self._pass = None

    def settings(self) -> State:
        """Return what a state says beside epoch and position, which must be the same where it is loaded."""
        return {
            "version": VERSION,
            "dataset_length": len(self.dataset),
            "seed": self.seed,
            "shuffle": self.shuffle,
            "permutation": self.permutation,
            "remainder": self.remainder,
        }

    def fingerprint(self) -> str:
        """Return 16 hex digits that are equal on two ranks if, and only if, they share one global order."""
        return fingerprint(self)

    def decisive(self) -> State:
        """Return everything that decides the global order of the current pass, as plain JSON values."""
        start = self._partition().start
        return {**self.settings(), "num_replicas": self.num_replicas, "epoch": self.epoch, "delivered": start}

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy needs, which is no order: a pickle is small."""
        return {**self.__dict__, "_held": None}

    def _begin(self) -> Pass:
        """Start the next pass."""
        previous = self._pass
        if previous is not None and previous.finished:
            self._resumed_at = 0
            self._warn_of_repetition()
        partition = self._partition()
        self._pass = Pass(partition, self._order(partition.length))
        return self._pass

    def _warn_of_repetition(self) -> None:
        if self.shuffle and not self._warned:
            self._warned = True
            warnings.warn(
                f"epoch {self.epoch} is drawn again in the same order, expected set_epoch(epoch) before "
                "each pass; call sampler.set_epoch(epoch) on every rank at the start of every epoch",
                stacklevel=4,
            )

    def _partition(self, *, whole: bool = False) -> Partition:
        """Return this rank's share of the current pass, or of a whole epoch."""
        length = len(self.dataset)
        start = 0 if whole else self._resumed_at
        if start and length != self._resumed_length:
            raise ValueError(
                f"dataset length is {length}, expected {self._resumed_length} as when the state was loaded; "
                "finish the epoch before the dataset changes, or set another epoch"
            )
        return Partition(length, self.num_replicas, self.rank, self.remainder, start)

    def _order(self, length: int) -> Order:
        """Return the current epoch's order of `length` samples, made once."""
        if self._held is None or self._held[0] != (length, self.epoch):
            self._held = (length, self.epoch), self._make_order(length)
        return self._held[1]

    def _make_order(self, length: int) -> Order:
        if not self.shuffle:
            return InOrder(length)
        if self.permutation == "torch":
            return torch_order(length, self.seed + self.epoch)
        return keyed_order(length, self.seed, self.epoch)

    def _checked_epoch(self, epoch: int) -> int:
        number = arguments.natural("epoch", epoch)
        if self.permutation == "torch" and self.seed + number >= 2**64:
            raise ValueError(
                f"seed + epoch is {self.seed + number}, expected less than 2**64, which is all that torch "
                "takes; permutation='keyed' takes any"
            )
        return number
