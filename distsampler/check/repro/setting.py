"""What the endings of scripts find defined, by the names of their parameters."""

from __future__ import annotations

import copy
import itertools
import random
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import torch
from torch.utils.data import DataLoader

Pass = list[Any]  # the indices of a pass
Drawn = dict[int, list[Pass]]  # those of each rank, by epoch
Ending = Callable[..., None]
BeProcess = Callable[[int], None]
Alone = Callable[[int], dict[int, Pass]]
Orders = Callable[[], dict[tuple[int, int], list[Pass]]]
Again = Callable[[int], Any]
Load = Callable[[int, int, bool], list[list[Pass]]]
Wrapped = Callable[[Callable[[], Any], list[Pass]], list[list[Pass]]]
Follow = Callable[[Any, int, int], list[Pass]]


class Make(Protocol):
    """Makes one rank's sampler for the case, or for one that differs from it."""

    def __call__(self, rank: int | None, **other: Any) -> Any:
        """Return the sampler."""


class Ready(Protocol):
    """Makes one rank's sampler, for the case or one that differs, and brings it to the last epoch."""

    def __call__(self, rank: int, **other: Any) -> Any:
        """Return the sampler."""


def be_process(rank: int) -> None:
    """Have the global random states of a process of its own."""
    random.seed(7_919 * rank + 1)
    np.random.seed(104_729 * rank + 2)  # noqa: NPY002  (the global generator is the point)
    torch.manual_seed(1_299_709 * rank + 3)


def disturb() -> None:
    """Draw from every global generator, as augmentations do between two indices."""
    random.random()  # noqa: S311
    np.random.random_sample()  # noqa: NPY002
    torch.rand(1)


def draw(be_process: BeProcess, make: Make, epochs: list[int], num_replicas: int, most: int) -> None:
    """Let every rank draw every epoch; the script goes on with `drawn`."""
    drawn: Drawn = {epoch: [] for epoch in epochs}
    for rank in range(num_replicas):
        be_process(rank)
        sampler = make(rank)
        for epoch in epochs:
            sampler.set_epoch(epoch)
            drawn[epoch].append(list(itertools.islice(sampler, most)))
            print(f"epoch {epoch}, rank {rank}: {drawn[epoch][rank]}")


def draw_orders(make: Make, moments: list[tuple[int, int]], positions: int) -> None:
    """Draw an order for each pair of seed and epoch; the script goes on with `orders`."""
    orders: list[Pass] = []
    for seed, epoch in moments:
        sampler = make(0, seed=seed)
        sampler.set_epoch(epoch)
        orders.append([int(index) for index in itertools.islice(sampler, positions)])


def alone(
    rank: int, *, be_process: BeProcess, make: Make, epochs: list[int], numbered: bool, most: int
) -> dict[int, Pass]:
    """Return the epochs as a sampler draws them that is asked for nothing else."""
    passes: dict[int, Pass] = {}
    for epoch in epochs:
        if numbered or not passes:
            be_process(rank)
            sampler = make(rank)
        sampler.set_epoch(epoch)
        be_process(rank)
        passes[epoch] = list(itertools.islice(sampler, most))
    return passes


def orders_by_seed(
    *, be_process: BeProcess, make: Make, epochs: list[int], num_replicas: int, most: int
) -> dict[tuple[int, int], list[Pass]]:
    """Return what the ranks draw, by seed and epoch."""
    orders: dict[tuple[int, int], list[Pass]] = {}
    for seed in (0, 1, 2, 3, 2**16):
        for rank in range(num_replicas):
            be_process(rank)
            sampler = make(rank, seed=seed)
            for epoch in epochs:
                sampler.set_epoch(epoch)
                drawn = list(itertools.islice(sampler, most))
                orders.setdefault((seed, epoch), []).append(drawn)
                print(f"seed {seed}, epoch {epoch}, rank {rank}: {drawn[:12]}")
    return orders


def ready(rank: int, *, make: Make, epochs: list[int], most: int, **other: Any) -> Any:
    """Return a sampler that is about to draw the last epoch."""
    sampler = make(rank, **other)
    for epoch in epochs[:-1]:
        sampler.set_epoch(epoch)
        list(itertools.islice(sampler, most))
    sampler.set_epoch(epochs[-1])
    return sampler


def follow(sampler: Any, epoch: int, count: int, *, most: int) -> list[Pass]:
    """Return the pass that a sampler is ready for, and those after it."""
    passes = [list(itertools.islice(sampler, most))]
    for later in range(epoch + 1, epoch + count):
        sampler.set_epoch(later)
        passes.append(list(itertools.islice(sampler, most)))
    return passes


def again(more: int, *, make: Make, ready: Ready, epochs: list[int], rank: int, cut: int) -> Any:
    """Return a sampler that goes on after a pass was interrupted twice."""
    sampler = ready(rank)
    running = iter(sampler)
    list(itertools.islice(running, cut))
    for draws in (more, 0):
        state = copy.deepcopy(sampler.state_dict())
        sampler = make(rank)
        sampler.set_epoch(epochs[-1])
        sampler.load_state_dict(state)
        if draws:
            running = iter(sampler)
            list(itertools.islice(running, draws))
    return sampler


def load(
    rank: int,
    workers: int,
    drop_last: bool,
    *,
    be_process: BeProcess,
    make: Make,
    epochs: list[int],
    length: int,
    most: int,
) -> list[list[Pass]]:
    """Return the batches of every epoch that a `DataLoader` delivers to a rank."""
    be_process(rank)
    sampler = make(rank)
    loader: Any = DataLoader(
        list(range(length)),  # type: ignore[arg-type]  # a list is a map-style dataset, too
        batch_size=2,
        sampler=sampler,
        collate_fn=list,
        drop_last=drop_last,
        num_workers=workers,
        persistent_workers=workers > 1,
        multiprocessing_context="fork" if workers else None,
    )
    epochs_of_batches = []
    for epoch in epochs:
        sampler.set_epoch(epoch)
        epochs_of_batches.append(list(itertools.islice(loader, most)))
    return epochs_of_batches


def wrapped(
    inner: Callable[[], Any],
    wanted: list[Pass],
    *,
    be_process: BeProcess,
    wrap: Callable[[Any, int], Any],
    epochs: list[int],
    num_replicas: int,
    remainder: str,
    most: int,
) -> list[list[Pass]]:
    """Return what ranks draw that wrap a sampler each, by epoch; `wanted` is what it draws alone."""
    drawn: list[list[Pass]] = [[] for _ in epochs]
    for rank in range(num_replicas):
        be_process(rank)
        sampler = wrap(inner(), rank)
        for at, epoch in enumerate(epochs):
            sampler.set_epoch(epoch)
            getattr(sampler, "__len__", int)()  # as a progress bar asks
            drawn[at].append(list(itertools.islice(sampler, most)))
    for ranks, expected in zip(drawn, wanted, strict=True):
        print(f"all ranks {[indices[:20] for indices in ranks]}, expected of all together {expected[:40]}")
        indices = list(itertools.chain(*ranks))
        dropped = len(expected) % num_replicas if remainder == "drop" else 0
        padding = -len(expected) % num_replicas if remainder == "pad" else 0
        if expected:
            assert not set(indices) - set(expected), f"draw {set(indices) - set(expected)}"
            assert len(set(expected) - set(indices)) <= dropped, f"leave out {set(expected) - set(indices)}"
            assert len(indices) - len(set(indices)) <= padding, "repeat samples"
    return drawn


PROVIDED: tuple[Callable[..., Any], ...] = (
    be_process,
    disturb,
    alone,
    orders_by_seed,
    ready,
    follow,
    again,
    load,
    wrapped,
)
# What scripts define by statements, not as a function.
INLINE: dict[str, Ending] = {"drawn": draw, "orders": draw_orders}
OVERRIDABLE = ("length", "num_replicas", "shuffle", "seed")
