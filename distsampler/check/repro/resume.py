"""Endings of scripts in which one rank's pass is interrupted, and goes on from a state that was saved.

They are about the rank and the number of draws before the cut that a violation names.
"""

from __future__ import annotations

import copy
import itertools
import json
import pickle
from typing import TYPE_CHECKING

from distsampler.conformance.resumption import ASKING

if TYPE_CHECKING:
    from distsampler.check.repro.setting import Again, BeProcess, Ending, Follow, GoesOn, Make, Ready


def resume(
    be_process: BeProcess,
    make: Make,
    ready: Ready,
    follow: Follow,
    goes_on: GoesOn,
    epochs: list[int],
    rank: int,
    cut: int,
) -> None:
    """Cut after any draw, a pass goes on with what was left."""
    whole = follow(ready(rank), epochs[-1], 4)
    interrupted = ready(rank)
    running = iter(interrupted)
    list(itertools.islice(running, cut))
    for set_first in (True, False):
        be_process(3_000 + rank)
        sampler = make(rank)
        if set_first:
            sampler.set_epoch(epochs[-1])
        sampler.load_state_dict(copy.deepcopy(interrupted.state_dict()))
        if not set_first:
            sampler.set_epoch(epochs[-1])
        goes_on(sampler, whole, cut)


def saving(ready: Ready, rank: int, most: int) -> None:
    """The state can be saved before a pass, after each draw and after the end."""
    sampler = ready(rank)
    running = iter(sampler)
    print(f"before the pass: {copy.deepcopy(sampler.state_dict())}")
    for index in itertools.islice(running, most):
        print(f"after index {index}: {copy.deepcopy(sampler.state_dict())}")
    print(f"after the end: {copy.deepcopy(sampler.state_dict())}")


def resume_again(
    again: Again, ready: Ready, follow: Follow, goes_on: GoesOn, epochs: list[int], rank: int, cut: int
) -> None:
    """A pass that goes on can be interrupted again."""
    whole = follow(ready(rank), epochs[-1], 4)
    more = (len(whole[0]) - cut + 1) // 2
    goes_on(again(more), whole, cut + more)


def resume_epoch(make: Make, ready: Ready, follow: Follow, epochs: list[int], rank: int, cut: int) -> None:
    """The state restores the epoch; only another one starts at its beginning."""
    whole = follow(ready(rank), epochs[-1], 4)
    interrupted = ready(rank)
    running = iter(interrupted)
    list(itertools.islice(running, cut))
    state = interrupted.state_dict()
    sampler, skipping = make(rank), make(rank)
    sampler.load_state_dict(copy.deepcopy(state))
    got, expected = follow(sampler, epochs[-1], 3), [whole[0][cut:], *whole[1:3]]
    print(f"drawn after the interruption {got}, and without it {expected}")
    assert got == expected, "expected the same"
    skipping.load_state_dict(copy.deepcopy(state))
    skipping.set_epoch(epochs[-1] + 1)
    got = follow(skipping, epochs[-1] + 1, 3)
    print(f"drawn after the next epoch was set {got}, and without interruption {whole[1:]}")
    assert got == whole[1:], "expected the same"


def resume_between(make: Make, ready: Ready, follow: Follow, epochs: list[int], rank: int, most: int) -> None:
    """A state from the end of an epoch leaves the next one whole."""
    whole = follow(ready(rank), epochs[-1], 4)
    ended, sampler = ready(rank), make(rank)
    list(itertools.islice(ended, most))
    sampler.load_state_dict(copy.deepcopy(ended.state_dict()))
    sampler.set_epoch(epochs[-1] + 1)
    got = follow(sampler, epochs[-1] + 1, 3)
    print(f"drawn after the interruption {got}, and without it {whole[1:]}")
    assert got == whole[1:], "expected the same"


def resume_before(make: Make, ready: Ready, follow: Follow, epochs: list[int], rank: int) -> None:
    """A state from the start of an epoch leaves it whole."""
    whole = follow(ready(rank), epochs[-1], 3)
    begun, sampler = ready(rank), make(rank)
    running = iter(begun)
    sampler.set_epoch(epochs[-1])
    sampler.load_state_dict(copy.deepcopy(begun.state_dict()))
    got = follow(sampler, epochs[-1], 3)
    print(f"drawn after the interruption of {running} {got}, and without it {whole}")
    assert got == whole, "expected the same"


def resume_round_trip(
    make: Make, ready: Ready, follow: Follow, goes_on: GoesOn, epochs: list[int], rank: int, cut: int
) -> None:
    """A state that is loaded and saved at once is still the same place in the same pass."""
    whole = follow(ready(rank), epochs[-1], 4)
    sampler = ready(rank)
    running = iter(sampler)
    list(itertools.islice(running, cut))
    for _ in range(2):
        state = copy.deepcopy(sampler.state_dict())
        sampler = make(rank)
        sampler.set_epoch(epochs[-1])
        sampler.load_state_dict(state)
    goes_on(sampler, whole, cut)


def resume_serialization(
    make: Make, ready: Ready, follow: Follow, goes_on: GoesOn, epochs: list[int], rank: int, cut: int
) -> None:
    """A state means the same after it was pickled and after it was written as JSON."""
    whole = follow(ready(rank), epochs[-1], 4)
    interrupted = ready(rank)
    running = iter(interrupted)
    list(itertools.islice(running, cut))
    state = interrupted.state_dict()
    for read in (pickle.loads(pickle.dumps(state)), json.loads(json.dumps(state))):  # noqa: S301  (our own)
        sampler = make(rank)
        sampler.set_epoch(epochs[-1])
        sampler.load_state_dict(read)
        goes_on(sampler, whole, cut)


def resume_kept(
    make: Make,
    ready: Ready,
    follow: Follow,
    goes_on: GoesOn,
    epochs: list[int],
    rank: int,
    cut: int,
    most: int,
) -> None:
    """A state stays what it was while the sampler that it is of, and one that loaded it, draw on."""
    whole = follow(ready(rank), epochs[-1], 4)
    interrupted = ready(rank)
    running = iter(interrupted)
    list(itertools.islice(running, cut))
    state = interrupted.state_dict()
    list(itertools.islice(running, most))
    for _ in range(2):
        sampler = make(rank)
        sampler.set_epoch(epochs[-1])
        sampler.load_state_dict(state)
        goes_on(sampler, whole, cut)


def resume_length(make: Make, ready: Ready, epochs: list[int], rank: int, cut: int, most: int) -> None:
    """After a load, len() is how many indices are left, and in later epochs how many a whole one has."""
    interrupted = ready(rank)
    running = iter(interrupted)
    list(itertools.islice(running, cut))
    for order in ("set, load", "load, set"):
        sampler = make(rank)
        for step in order.split(", "):
            if step == "set":
                sampler.set_epoch(epochs[-1])
            else:
                sampler.load_state_dict(copy.deepcopy(interrupted.state_dict()))
        for epoch in range(epochs[-1], epochs[-1] + 3):
            if epoch > epochs[-1]:
                sampler.set_epoch(epoch)
            declared, drawn = len(sampler), list(itertools.islice(sampler, most))
            print(f"{order}, epoch {epoch}: len() is {declared}, and drawn are {drawn}")
            assert declared == len(drawn), "expected the length of what it yields"


def resume_length_again(
    again: Again, ready: Ready, epochs: list[int], rank: int, cut: int, most: int
) -> None:
    """After a second load, len() is how many indices are left, and later how many a whole epoch has."""
    sampler = again((len(list(itertools.islice(ready(rank), most))) - cut + 1) // 2)
    for epoch in range(epochs[-1], epochs[-1] + 3):
        if epoch > epochs[-1]:
            sampler.set_epoch(epoch)
        declared, drawn = len(sampler), list(itertools.islice(sampler, most))
        print(f"epoch {epoch}: len() is {declared}, and drawn are {drawn}")
        assert declared == len(drawn), "expected the length of what it yields"


def resume_iterators(make: Make, ready: Ready, follow: Follow, epochs: list[int], rank: int) -> None:
    """With two passes at a time, the state is that of one of them; a pass broken off is forgotten."""
    whole = follow(ready(rank), epochs[-1], 3)
    for more, cuts in ((0, [1]), (1, [1, 3])):
        interrupted, sampler = ready(rank), make(rank)
        first = iter(interrupted)
        list(itertools.islice(first, 2))
        second = iter(interrupted)
        list(itertools.islice(second, 1))
        list(itertools.islice(first, more))
        sampler.set_epoch(epochs[-1])
        sampler.load_state_dict(copy.deepcopy(interrupted.state_dict()))
        got, allowed = follow(sampler, epochs[-1], 3), [[whole[0][cut:], *whole[1:]] for cut in cuts]
        print(f"after 2 draws of a pass, 1 of a second and {more} more of the first: {got}")
        assert got in allowed, f"expected one of {allowed}"


ENDINGS: dict[str, Ending] = {
    "resume": resume,
    "resume cut again": resume_again,
    "resume_epoch": resume_epoch,
    "resume_between": resume_before,
    "resume_between cut after the end": resume_between,
    "resume_round_trip": resume_round_trip,
    "resume_serialization": resume_serialization,
    "resume_serialization drawn to the end": resume_kept,
    "resume_length": resume_length,
    "resume_length cut again": resume_length_again,
    "resume_iterators": resume_iterators,
    **{f"{name} : state_dict:": saving for name in ASKING},
}
