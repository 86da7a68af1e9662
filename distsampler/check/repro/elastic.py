"""Endings of scripts in which a state is loaded where something is different.

They are about the number of draws before the cut, and the difference, that a violation names.
"""

from __future__ import annotations

import copy
import itertools
from typing import TYPE_CHECKING, Any

from distsampler.check.repro import resume

if TYPE_CHECKING:
    from distsampler.check.repro.setting import Drawn, Ending, Follow, Make, Ready


def elastic_resume(
    drawn: Drawn,
    make: Make,
    ready: Ready,
    follow: Follow,
    epochs: list[int],
    length: int,
    remainder: str,
    cut: int,
    others: dict[str, int],
) -> None:
    """Under another number of replicas, a state is refused by all ranks, or nothing is lost or repeated."""
    count = others["num_replicas"]
    ranks = drawn[epochs[-1]]
    left = set(range(length)) - {index for indices in ranks for index in indices[:cut]}
    interrupted = ready(0)
    running = iter(interrupted)
    list(itertools.islice(running, cut))
    passes, later, refusals = [], [], []
    for rank in range(count):
        sampler = make(rank, num_replicas=count)
        sampler.set_epoch(epochs[-1])
        try:
            sampler.load_state_dict(copy.deepcopy(interrupted.state_dict()))
        except (ValueError, TypeError, RuntimeError, NotImplementedError, AssertionError) as error:
            refusals.append(error)
        else:
            passes.append(follow(sampler, epochs[-1], 2))
            later.append(follow(ready(rank, num_replicas=count), epochs[-1], 2)[1])
    print(f"cut after {cut} draws, then {count} ranks: {passes}, refusals: {refusals}")
    assert len(refusals) in (0, count), "expected all ranks to go on, or all to refuse"
    if not refusals:
        got = list(itertools.chain(*(first for first, _ in passes)))
        tail = length % len(ranks) if cut == len(ranks[0]) else 0
        dropped = max(len(left) % count, length % count, tail) if remainder == "drop" else 0
        assert len(left - set(got)) <= dropped, f"lost: {left - set(got)}"
        padding = -len(left) % count if remainder == "pad" else 0
        assert len(got) - len(left & set(got)) <= padding, f"expected {left}, each of them once"
        lengths = [len(first) for first, _ in passes]
        assert max(lengths) - min(lengths) <= (remainder == "uneven"), f"{lengths} indices"
        assert [second for _, second in passes] == later, f"expected {later} in the next epoch"


def saving(ready: Ready, num_replicas: int, most: int, others: dict[str, Any]) -> None:
    """The state can be saved before a pass, after each draw and after the end, by every rank."""
    for rank in range(num_replicas):
        sampler = ready(rank, **others)
        running = iter(sampler)
        print(f"rank {rank}, before the pass: {copy.deepcopy(sampler.state_dict())}")
        for index in itertools.islice(running, most):
            print(f"rank {rank}, after index {index}: {copy.deepcopy(sampler.state_dict())}")
        print(f"rank {rank}, after the end: {copy.deepcopy(sampler.state_dict())}")


def resume_mismatch(
    make: Make,
    ready: Ready,
    follow: Follow,
    epochs: list[int],
    length: int,
    num_replicas: int,
    remainder: str,
    cut: int,
    others: dict[str, Any],
) -> None:
    """With another dataset length, seed or shuffle flag, a state is refused, or nothing is lost."""
    left, got, refusals = set(range(length)), [], []
    for rank in range(num_replicas):
        left -= set(follow(ready(rank, **others), epochs[-1], 1)[0][:cut])
        interrupted = ready(rank, **others)
        running = iter(interrupted)
        list(itertools.islice(running, cut))
        sampler = make(rank)
        sampler.set_epoch(epochs[-1])
        try:
            sampler.load_state_dict(copy.deepcopy(interrupted.state_dict()))
        except (ValueError, TypeError, RuntimeError, NotImplementedError, AssertionError) as error:
            refusals.append(error)
        else:
            got += follow(sampler, epochs[-1], 1)[0]
    print(f"saved with {others} after {cut} draws, then loaded: {got}, refusals: {refusals}")
    assert len(refusals) in (0, num_replicas), "expected all ranks to go on, or all to refuse"
    dropped = length % num_replicas if remainder == "drop" else 0
    assert refusals or len(left - set(got)) <= dropped, f"lost: {left - set(got)}"


ENDINGS: dict[str, Ending] = {
    "elastic_resume": elastic_resume,
    "elastic_resume with state_dict:": resume.saving,
    "resume_mismatch": resume_mismatch,
    "resume_mismatch with state_dict:": saving,
}
