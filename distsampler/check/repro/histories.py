"""Endings of scripts in which a pass is not what it is when a sampler is asked for nothing else."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distsampler.check.repro.setting import Alone, BeProcess, Ending, Make, OnePass, Pass


def epoch_history(
    be_process: BeProcess,
    make: Make,
    one_pass: OnePass,
    alone: Alone,
    epochs: list[int],
    num_replicas: int,
) -> None:
    """An epoch's order is a function of the epoch, whatever was visited before."""
    for rank in range(num_replicas):
        expected = alone(rank)
        be_process(rank)
        sampler = make(rank)
        for epoch in (*reversed(epochs), *epochs, epochs[-1]):
            sampler.set_epoch(7)
            be_process(rank)
            sampler.set_epoch(epoch)
            drawn = one_pass(sampler)
            print(f"epoch {epoch}, rank {rank}: after other epochs {drawn}, alone {expected[epoch]}")
            assert drawn == expected[epoch], "expected what is drawn without the other epochs"


def other_epoch_chosen(
    be_process: BeProcess, make: Make, alone: Alone, epochs: list[int], num_replicas: int, most: int
) -> None:
    """Choosing another epoch does not disturb a pass that runs."""
    for rank in range(num_replicas):
        expected = alone(rank)
        be_process(rank)
        sampler = make(rank)
        sampler.set_epoch(epochs[0])
        be_process(rank)
        running = iter(sampler)
        drawn = list(itertools.islice(running, 1))
        sampler.set_epoch(epochs[-1])
        drawn += itertools.islice(running, most)
        print(f"rank {rank}: epoch {epochs[-1]} chosen while {epochs[0]} runs {drawn}, alone {expected}")
        assert drawn == expected[epochs[0]], f"expected epoch {epochs[0]} to go on"


def broken_off(
    be_process: BeProcess,
    make: Make,
    alone: Alone,
    epochs: list[int],
    num_replicas: int,
    numbered: bool,
    most: int,
) -> None:
    """A pass that was broken off does not disturb the next one."""
    for rank in range(num_replicas):
        expected = alone(rank)
        for chosen in (False, True):
            be_process(rank)
            sampler = make(rank)
            sampler.set_epoch(epochs[0])
            be_process(rank)
            running = iter(sampler)
            list(itertools.islice(running, 1))
            sampler.set_epoch(epochs[-chosen])
            be_process(rank)
            drawn = list(itertools.islice(sampler, most))
            print(f"rank {rank}: after a pass that was broken off {drawn}, alone {expected}")
            allowed = [expected[epochs[-1]]] if numbered and chosen else list(expected.values())
            assert drawn in allowed, "expected a pass as without the one before"


def in_turns(
    be_process: BeProcess,
    make: Make,
    alone: Alone,
    epochs: list[int],
    num_replicas: int,
    numbered: bool,
    most: int,
) -> None:
    """Two passes that run in turns do not disturb each other."""
    for rank in range(num_replicas):
        expected = alone(rank)
        be_process(rank)
        sampler = make(rank)
        passes: list[Pass] = [[], []]
        running = []
        for at, epoch in enumerate((epochs[0], epochs[-1])):
            sampler.set_epoch(epoch)
            be_process(rank)
            running.append(iter(sampler))
            passes[at] += itertools.islice(running[at], 1)
        for _ in range(most):
            for at in (0, 1):
                passes[at] += itertools.islice(running[at], 1)
        print(f"rank {rank}: in turns {passes}, alone {expected}")
        for at, epoch in enumerate((epochs[0], epochs[-1])):
            allowed = [expected[epoch]] if numbered else list(expected.values())
            assert passes[at] in allowed, f"expected pass {at} as if it ran alone"


ENDINGS: dict[str, Ending] = {
    "epoch_history": epoch_history,
    "iterator_independence": broken_off,
    "iterator_independence with another epoch chosen": other_epoch_chosen,
    "iterator_independence in turns": in_turns,
}
