"""What the endings of scripts find defined, by the names of their parameters."""

from __future__ import annotations

import contextlib
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
AskLength = Callable[[Any], None]
OnePass = Callable[[Any], Pass]
Order = Callable[[Any, int, int, int], Pass]
Orders = Callable[[], dict[tuple[int, int], list[Pass]]]
Again = Callable[[int], Any]
Load = Callable[[int, int, bool], list[list[Pass]]]
Wrapped = Callable[[Callable[[], Any], list[Pass]], list[list[Pass]]]
Follow = Callable[[Any, int, int], list[Pass]]
GoesOn = Callable[[Any, list[Pass], int], None]


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


def ask_length(sampler: Any) -> None:
    """Ask for the length, as a progress bar does; Python says with a TypeError that there is none."""
    with contextlib.suppress(TypeError):
        len(sampler)


def one_pass(sampler: Any, *, ask_length: AskLength, most: int) -> Pass:
    """Return the indices of a pass during which somebody asks for the length."""
    ask_length(sampler)
    running = iter(sampler)
    indices = list(itertools.islice(running, 1))
    ask_length(sampler)
    indices += itertools.islice(running, most - 1)
    ask_length(sampler)
    return indices


def plain_pass(sampler: Any, *, most: int) -> Pass:
    """Return the indices of a pass during which nobody asks for anything."""
    return list(itertools.islice(sampler, most))


def order(sampler: Any, epoch: int, samples: int, positions: int) -> Pass:
    """Return the beginning of an order, which has to be of different samples."""
    sampler.set_epoch(epoch)
    indices = [int(index) for index in itertools.islice(sampler, positions)]
    different = len(set(indices) & set(range(samples)))
    told = f"{len(indices)} indices are {different} of {samples} samples, expected {positions}"
    assert len(indices) == different == positions, told
    return indices


def draw(be_process: BeProcess, make: Make, one_pass: OnePass, epochs: list[int], num_replicas: int) -> None:
    """Let every rank draw every epoch; the script goes on with `drawn`."""
    drawn: Drawn = {epoch: [] for epoch in epochs}
    for rank in range(num_replicas):
        be_process(rank)
        sampler = make(rank)
        for epoch in epochs:
            sampler.set_epoch(epoch)
            drawn[epoch].append(one_pass(sampler))
            print(f"epoch {epoch}, rank {rank}: {drawn[epoch][rank]}")


def draw_orders(
    be_process: BeProcess,
    make: Make,
    order: Order,
    seeded: bool,
    numbered: bool,
    length: int,
    positions: int,
    numbers: list[int],
    step: int,
) -> None:
    """Draw an order for each number, with as much of it as matters; the script goes on with `orders`.

    The sums of seed and epoch differ, because some samplers just add the two.
    """
    first: list[Pass] = []
    for seed, epoch in ((0, 0), (1, 0), (0, 1)):
        be_process(0)
        first.append(order(make(0, length=64, seed=seed), epoch, 64, 64))
    by_seed, by_epoch = seeded and first[1] != first[0], numbered and first[2] != first[0]
    assert by_seed or by_epoch, "every seed and every epoch gives the same order"
    be_process(0)
    orders: list[Pass] = []
    for number in numbers:
        epoch = number % step if by_seed and by_epoch else 0 if by_seed else number
        if epoch == 0 or not orders:
            sampler = make(0, seed=number - epoch if by_seed else 0)
        orders.append(order(sampler, epoch, length, positions))


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
    *, be_process: BeProcess, make: Make, one_pass: OnePass, epochs: list[int], num_replicas: int
) -> dict[tuple[int, int], list[Pass]]:
    """Return what the ranks draw, by seed and epoch."""
    orders: dict[tuple[int, int], list[Pass]] = {}
    for seed in (0, 1, 2, 3, 2**16):
        for rank in range(num_replicas):
            be_process(rank)
            sampler = make(rank, seed=seed)
            for epoch in epochs:
                sampler.set_epoch(epoch)
                drawn = one_pass(sampler)
                orders.setdefault((seed, epoch), []).append(drawn)
                print(f"seed {seed}, epoch {epoch}, rank {rank}: {drawn[:12]}")
    return orders


def ready(rank: int, *, make: Make, one_pass: OnePass, epochs: list[int], **other: Any) -> Any:
    """Return a sampler that is about to draw the last epoch."""
    sampler = make(rank, **other)
    for epoch in epochs[:-1]:
        sampler.set_epoch(epoch)
        one_pass(sampler)
    sampler.set_epoch(epochs[-1])
    return sampler


def follow(sampler: Any, epoch: int, count: int, *, one_pass: OnePass) -> list[Pass]:
    """Return the pass that a sampler is ready for, and those after it."""
    passes = [one_pass(sampler)]
    for later in range(epoch + 1, epoch + count):
        sampler.set_epoch(later)
        passes.append(one_pass(sampler))
    return passes


def goes_on(
    sampler: Any, whole: list[Pass], cut: int, *, follow: Follow, epochs: list[int], numbered: bool
) -> None:
    """See that a sampler draws what is left of a pass after so many draws; one at its end may be over."""
    got, expected = follow(sampler, epochs[-1], 3), [whole[0][cut:], *whole[1:3]]
    print(f"drawn after the interruption {got}, and without it {expected}")
    is_over = not numbered and cut == len(whole[0]) and got == whole[1:]
    assert got == expected or is_over, "expected the same"


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
    one_pass: OnePass,
    epochs: list[int],
    num_replicas: int,
    remainder: str,
) -> list[list[Pass]]:
    """Return what ranks draw that wrap a sampler each, by epoch; `wanted` is what it draws alone."""
    drawn: list[list[Pass]] = [[] for _ in epochs]
    for rank in range(num_replicas):
        be_process(rank)
        sampler = wrap(inner(), rank)
        for at, epoch in enumerate(epochs):
            sampler.set_epoch(epoch)
            drawn[at].append(one_pass(sampler))
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
    ask_length,
    one_pass,
    order,
    alone,
    orders_by_seed,
    ready,
    follow,
    goes_on,
    again,
    load,
    wrapped,
)
# What scripts define by statements, not as a function.
INLINE: dict[str, Ending] = {"drawn": draw, "orders": draw_orders}
OVERRIDABLE = ("length", "num_replicas", "shuffle", "seed")
