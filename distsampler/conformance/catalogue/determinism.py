"""The same arguments give the same indices, whatever else the process does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from distsampler.conformance.case import LengthOnly
from distsampler.conformance.process_state import be_process, restored
from distsampler.conformance.property import Property
from distsampler.conformance.trace import Draws, Trace, describe, draw, limit, record
from distsampler.conformance.violation import Violation, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Subject


@dataclass(frozen=True, slots=True)
class Repeated:
    """The same draws three times: by one sampler, by the same sampler again, by a fresh one."""

    first: Trace
    again: Trace
    fresh: Trace


def repeated(subject: Subject, case: Case) -> Repeated:
    """Draw every epoch twice from one sampler, and once more from fresh ones in other random states."""
    ranks = range(case.num_replicas)
    with restored():
        twice = [_draw_twice(subject, case, rank) for rank in ranks]
    first = Trace(case, tuple(zip(*(once for once, _ in twice), strict=True)))
    again = Trace(case, tuple(zip(*(second for _, second in twice), strict=True)))
    return Repeated(first, again, record(subject, case))


def _draw_twice(subject: Subject, case: Case, rank: int) -> tuple[list[Draws], list[Draws]]:
    be_process(1_000 + rank)
    try:
        sampler = subject.make(LengthOnly(case.length), case, rank)
    except Exception as error:  # noqa: BLE001  (recorded)
        failed = [Draws((), error=describe(error))] * len(case.epochs)
        return failed, failed
    once: list[Draws] = []
    second: list[Draws] = []
    for epoch in case.epochs:
        for draws in (once, second):
            if subject.contract.epochs:
                sampler.set_epoch(epoch)
            draws.append(draw(sampler, limit(case)))
    return once, second


def determinism(runs: Repeated) -> Iterator[Violation]:
    """The same arguments and epoch give the same indices: again, and from a fresh sampler elsewhere."""
    others = (("drawn again", runs.again), ("drawn by a fresh sampler in another process", runs.fresh))
    for what, other in others:
        for (epoch, rank, expected), (_, _, got) in zip(runs.first.passes(), other.passes(), strict=True):
            if expected.indices != got.indices:
                yield Violation(
                    f"epoch {epoch}, rank {rank}: {what} it is {listed(got.indices)}, "
                    f"expected {listed(expected.indices)} as the first time",
                    epoch,
                    rank,
                    got.indices,
                    expected.indices,
                )
                return


PROPERTIES = (Property("determinism", determinism, observe=repeated),)
