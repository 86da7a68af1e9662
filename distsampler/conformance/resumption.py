"""Every way to go on after an interruption, with what is drawn then and what may be drawn."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from distsampler.conformance.interruption import Interrupted, cuts_of
from distsampler.conformance.process_state import restored
from distsampler.conformance.trace import Draws, describe

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.interruption import Passes
    from distsampler.conformance.subject import Subject

ASKING = (
    "resume",
    "resume_epoch",
    "resume_between",
    "resume_round_trip",
    "resume_serialization",
    "resume_iterators",
)
FOLLOWED = 3  # the interrupted pass and the two after it
MOST_RANKS = 4
SHORTEST_SHARED = 3


@dataclass(frozen=True, slots=True)
class Resumed:
    """What a rank drew after an interruption.

    `asks` names the property that this is for, and `how` says where the pass was cut and what was done then.
    `draws` are those of the passes that followed, over epochs from `first` on, `expected` all they may be.
    """

    asks: str
    how: str
    rank: int
    first: int
    draws: tuple[Draws, ...]
    expected: tuple[Passes, ...]


class Way(NamedTuple):
    """A way to go on: what makes the sampler, the epoch that it is ready for, and what it may draw."""

    asks: str
    how: str
    sampler: Callable[[], Any]
    first: int
    expected: tuple[Passes, ...]


def resumptions(subject: Subject, case: Case) -> tuple[Resumed, ...]:
    """Cut the last epoch's pass of each rank everywhere, and go on in every way that a property asks for."""
    count = case.num_replicas
    ranks = range(count) if count <= MOST_RANKS else (0, count - 1)
    with restored():
        return tuple(resumed for rank in ranks for resumed in _resume_rank(Interrupted(subject, case, rank)))


def _resume_rank(rank: Interrupted) -> Iterator[Resumed]:
    passes = rank.uninterrupted(FOLLOWED + 1)
    if passes is None:
        return
    cuts = cuts_of(len(passes[0]))
    try:
        *states, ended = rank.save(cuts)
    except Exception as error:  # noqa: BLE001  (recorded)
        failed = (Draws((), error=describe(error)),)
        yield from (Resumed(asks, "state_dict", rank.rank, rank.epoch, failed, ()) for asks in ASKING)
        return
    numbered = rank.subject.contract.epochs
    for cut, state in zip(cuts, states, strict=True):
        ways = [*_ways(rank, state, cut, passes)]
        ways += _numbered_ways(rank, state, cut, passes) if numbered else ()
        for way in ways:
            yield _go(rank, way, f"cut after {cut} of {len(passes[0])} draws of epoch {rank.epoch}, then ")
    yield from (_go(rank, way) for way in _ways_after_end(rank, ended, passes))
    if numbered and len(passes[0]) >= SHORTEST_SHARED:
        yield from (_go(rank, way) for way in _ways_after_two(rank, passes))


def _go(rank: Interrupted, way: Way, cut: str = "") -> Resumed:
    try:
        draws = rank.follow(way.sampler(), way.first, FOLLOWED)
    except Exception as error:  # noqa: BLE001  (recorded)
        draws = (Draws((), error=describe(error)),)
    return Resumed(way.asks, cut + way.how, rank.rank, way.first, draws, way.expected)


def _ways(rank: Interrupted, state: Any, cut: int, passes: Passes) -> Iterator[Way]:
    """Yield the ways to go on with the state after `cut` draws, with the epoch set before it is loaded."""
    epoch, rest, more = rank.epoch, _rest(rank, passes, cut), (len(passes[0]) - cut + 1) // 2
    set_epoch = f"set_epoch({epoch}), " if rank.subject.contract.epochs else ""
    begins_later_epoch = cut == 0 and len(rank.case.epochs) > 1
    asks = "resume_between" if begins_later_epoch else "resume"
    yield Way(asks, f"{set_epoch}load_state_dict", partial(rank.load, state, before=epoch), epoch, rest)
    if begins_later_epoch:
        return
    if more:
        load, later = partial(rank.load_again, state, more), _rest(rank, passes, cut + more)
        yield Way("resume", f"{set_epoch}load_state_dict, cut again after {more} draws", load, epoch, later)
    load_again = partial(rank.load_again, state, 0)
    yield Way("resume_round_trip", "load_state_dict, state_dict, load_state_dict", load_again, epoch, rest)
    if cut == len(passes[0]) // 2:
        kept = "drawn to the end, loaded and drawn from by another sampler, load_state_dict of the same state"
        yield Way("resume_serialization", kept, partial(rank.load_kept, cut), epoch, rest)
    for form in (pickle, json):
        through = partial(_load_through, form, rank, state)
        yield Way("resume_serialization", f"{form.__name__}, load_state_dict", through, epoch, rest)


def _numbered_ways(rank: Interrupted, state: Any, cut: int, passes: Passes) -> Iterator[Way]:
    """Yield the ways to go on where `set_epoch` comes after the load, or not at all."""
    epoch, later, rest = rank.epoch, rank.epoch + 1, _rest(rank, passes, cut)
    if cut or len(rank.case.epochs) == 1:
        load = partial(rank.load, state, after=epoch)
        yield Way("resume", f"load_state_dict, set_epoch({epoch})", load, epoch, rest)
    yield Way("resume_epoch", "load_state_dict", partial(rank.load, state), epoch, rest)
    skip = partial(rank.load, state, after=later)
    yield Way("resume_epoch", f"load_state_dict, set_epoch({later})", skip, later, (passes[1:],))


def _ways_after_end(rank: Interrupted, state: Any, passes: Passes) -> Iterator[Way]:
    """Yield the way to go on with the next epoch."""
    later = rank.epoch + 1
    set_epoch = f", set_epoch({later})" if rank.subject.contract.epochs else ""
    how = f"cut after the end of epoch {rank.epoch}, then load_state_dict{set_epoch}"
    yield Way("resume_between", how, partial(rank.load, state, after=later), later, (passes[1:],))


def _ways_after_two(rank: Interrupted, passes: Passes) -> Iterator[Way]:
    """Yield the ways to go on after draws from two passes; the first is broken off, or drawn from again."""
    for more, drawn in ((0, [1]), (1, [1, 3])):
        rests = tuple(rest for cut in drawn for rest in _rest(rank, passes, cut))
        how = f"cut after 2 draws of a pass, 1 of a second and {more} more of the first, then load_state_dict"
        yield Way("resume_iterators", how, partial(rank.load_after_two, 2, 1, more), rank.epoch, rests)


def _load_through(form: Any, rank: Interrupted, state: Any) -> Any:
    """Return a sampler with `state` written and read by `form`, a module with `dumps` and `loads`."""
    return rank.load(form.loads(form.dumps(state)), before=rank.epoch)


def _rest(rank: Interrupted, passes: Passes, cut: int) -> tuple[Passes, ...]:
    """Return what may be drawn after a cut: the rest and the epochs that follow it."""
    rest = (passes[0][cut:], *passes[1:FOLLOWED])
    if rank.subject.contract.epochs or cut < len(passes[0]):
        return (rest,)
    return rest, passes[1:]  # after its last draw, a pass without a number may count as over
