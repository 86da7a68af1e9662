"""`distribute`: any torch sampler or batch sampler over ranks."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import torch
from torch.utils.data import Sampler

from distsampler.sampling.agreement import fingerprint
from distsampler.sampling.sampler import DistributedSampler
from distsampler.sampling.state import check_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from distsampler.sampling.state import State

T = TypeVar("T")


def distribute(
    sampler: Iterable[T],
    num_replicas: int | None = None,
    rank: int | None = None,
    seed: int = 0,
    drop_last: bool = False,
    *,
    make_even: bool = True,
) -> Distributed[T]:
    """Split what `sampler` draws, indices or batches, over ranks: see `Distributed`."""
    return Distributed(sampler, num_replicas, rank, seed, drop_last, make_even=make_even)


class Distributed(Sampler[T], Generic[T]):
    """One rank's share of what another sampler draws.

    `sampler` is run once for each (seed, epoch), with torch's, numpy's and Python's global generators and all
    of its own `torch.Generator`s seeded from these two, so that every rank sees the same draws, in their
    order and with their weights. The generators are put back afterwards. `set_epoch` is passed on to it and
    to the samplers inside it. `drop_last`, `make_even` and `valid_length` are as in `DistributedSampler`, and
    count what `sampler` yields: batches if it is a batch sampler.

    Raises TypeError if `sampler` cannot be iterated, ValueError if it is split over ranks already.
    """

    def __init__(
        self,
        sampler: Iterable[T],
        num_replicas: int | None = None,
        rank: int | None = None,
        seed: int = 0,
        drop_last: bool = False,
        *,
        make_even: bool = True,
    ) -> None:
        if not hasattr(sampler, "__iter__"):
            raise TypeError(f"sampler is a {type(sampler).__name__}, expected a sampler or batch sampler")
        self.sampler = sampler
        for inner in _samplers(sampler):
            if getattr(inner, "num_replicas", 1) > 1:
                raise ValueError(
                    f"sampler draws for one of {inner.num_replicas} replicas already, "
                    "expected one that draws for all; give distribute what a single process would use"
                )
        self._drawn = _Drawn(sampler, seed)
        self._ranks = DistributedSampler(
            self._drawn, num_replicas, rank, False, seed, drop_last, make_even=make_even
        )
        self.num_replicas, self.rank = self._ranks.num_replicas, self._ranks.rank

    def __iter__(self) -> Iterator[T]:
        """Yield this rank's share of the epoch's draws."""
        return map(self._drawn.items().__getitem__, self._ranks)

    def __len__(self) -> int:
        """Return how much the next pass yields on this rank."""
        return len(self._ranks)

    def set_epoch(self, epoch: int) -> None:
        """Make the next pass draw anew for `epoch`, and tell the samplers inside."""
        self._ranks.set_epoch(epoch)
        self._drawn.set_epoch(self._ranks.epoch)

    @property
    def epoch(self) -> int:
        """The epoch that the next pass draws."""
        return self._ranks.epoch

    @property
    def valid_length(self) -> int:
        """How much of what the next pass yields on this rank is no padding; it comes first."""
        return self._ranks.valid_length

    def state_dict(self, delivered: int | None = None) -> State:
        """Return where in the epoch the job is: see `DistributedSampler.state_dict`.

        `drawing` is a hash of all that the sampler drew, so that another sampler cannot go on from it.
        """
        return {**self._ranks.state_dict(delivered), "drawing": self._drawn.digest()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from a state, with any number of replicas: see `DistributedSampler.load_state_dict`."""
        if isinstance(state, Mapping) and type(state.get("epoch")) is int:
            self._drawn.set_epoch(state["epoch"])  # what is drawn depends on it
        try:
            check_state(state, {**self._ranks.settings(), "drawing": self._drawn.digest()})
            self._ranks.load_state_dict({name: state[name] for name in state if name != "drawing"})
        finally:
            self._drawn.set_epoch(self._ranks.epoch)

    def fingerprint(self) -> str:
        """Return 16 hex digits that are equal on two ranks if, and only if, they share the same draws."""
        return fingerprint(self)

    def decisive(self) -> State:
        """Return everything that decides what all ranks draw, the draws themselves as a hash."""
        return {**self._ranks.decisive(), "drawing": self._drawn.digest()}


class _Drawn:
    """What a sampler draws in an epoch, drawn when it is first needed, and a hash of it."""

    def __init__(self, sampler: Iterable[Any], seed: int) -> None:
        self.sampler, self.seed = sampler, seed
        self.epoch = 0
        self._items: list[Any] | None = None
        self._digest: str | None = None
        self.set_epoch(0)

    def __len__(self) -> int:
        return len(self.items())

    def set_epoch(self, epoch: int) -> None:
        """Draw anew for `epoch` when draws are next needed, and tell the samplers inside."""
        if epoch != self.epoch:
            self.epoch, self._items, self._digest = epoch, None, None
        for sampler in _samplers(self.sampler):
            if hasattr(sampler, "set_epoch"):
                sampler.set_epoch(epoch)

    def items(self) -> list[Any]:
        """Return all draws of the current epoch."""
        if self._items is None:
            self._items = self._draw()
        return self._items

    def digest(self) -> str:
        """Return a hash of all draws of the current epoch."""
        if self._digest is None:
            self._digest = hashlib.blake2b(_as_bytes(self.items()), digest_size=8).hexdigest()
        return self._digest

    def _draw(self) -> list[Any]:
        inside = _samplers(self.sampler)
        generators = [own for sampler in inside for own in _attributes(sampler, torch.Generator)]
        with _seeded(f"distsampler distribute 1: {self.seed} {self.epoch}", generators):
            return list(self.sampler)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_items": None}


def _samplers(outermost: Any) -> Iterator[Any]:
    """Yield a sampler and all samplers that it holds, outermost first, each once."""
    waiting, seen = [outermost], {id(outermost)}
    while waiting:
        sampler = waiting.pop(0)
        yield sampler
        inside = [value for value in _attributes(sampler, Sampler) if id(value) not in seen]
        seen.update(map(id, inside))
        waiting += inside


def _attributes(holder: Any, wanted: type) -> list[Any]:
    """Return the values of that type among the attributes of `holder`, in lists and tuples too."""
    found: list[Any] = []
    for value in getattr(holder, "__dict__", {}).values():
        found += [
            part
            for part in (value if isinstance(value, (list, tuple)) else [value])
            if isinstance(part, wanted)
        ]
    return found


@contextlib.contextmanager
def _seeded(text: str, generators: list[torch.Generator]) -> Iterator[None]:
    """Seed the global generators and `generators` from `text`, and put them back afterwards."""
    digest = hashlib.shake_256(text.encode()).digest(24)
    everyone = [torch.default_generator, *generators]
    states = [generator.get_state() for generator in everyone]
    ours, numpys = random.getstate(), np.random.get_state()  # noqa: NPY002
    try:
        for number, generator in enumerate(everyone):
            generator.manual_seed(int.from_bytes(digest[:7], "little") + number)
        random.seed(digest[8:16])
        np.random.seed(np.frombuffer(digest[16:], "<u4"))  # noqa: NPY002
        yield
    finally:
        for generator, state in zip(everyone, states, strict=True):
            generator.set_state(state)
        random.setstate(ours)
        np.random.set_state(numpys)  # noqa: NPY002


def _as_bytes(items: list[Any]) -> bytes:
    """Return draws as bytes for hashing, the same on every machine."""
    if all(type(item) is int for item in items):
        return np.array(items, "<i8").tobytes()
    return json.dumps(items, default=_plain).encode()


def _plain(value: Any) -> Any:
    """Return numpy's and torch's numbers and arrays as Python's."""
    return value.tolist() if hasattr(value, "tolist") else repr(value)
