"""No index is beyond the dataset, not even where numbers of 32 bits end."""

from __future__ import annotations

import dataclasses
from itertools import islice
from typing import TYPE_CHECKING

from distsampler.conformance import cases
from distsampler.conformance.case import LengthOnly
from distsampler.conformance.first_index import starts_in_constant_time
from distsampler.conformance.process_state import be_process, restored
from distsampler.conformance.property import Property
from distsampler.conformance.trace import Draws, Trace, begin, describe, record
from distsampler.conformance.violation import Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Contract, Subject

HUGE = 2**33 + 5
HEAD = 64
PROBES = (10_000, 1_000_000, 10_000_000)


def within_reach(subject: Subject, case: Case) -> Trace:
    """Draw a whole case, or of a huge one the first indices, if the sampler starts in constant time.

    One that does not would build billions of indices first; its memory would end, and prove nothing.
    """
    if case.length < HUGE:
        return record(subject, case)
    with restored():
        heads = tuple(_head(subject, case, rank) for rank in range(case.num_replicas))
    return Trace(case, (heads,))


def _head(subject: Subject, case: Case, rank: int) -> Draws:
    be_process(rank)
    try:
        if not starts_in_constant_time(subject, case, *PROBES):
            return Draws(())
        sampler = subject.make(LengthOnly(case.length), case, rank)
        begin(subject, sampler, case.epochs[0])
        return Draws(tuple(islice(sampler, HEAD)))
    except Exception as error:  # noqa: BLE001  (recorded)
        return Draws((), error=describe(error))


def sparse_and_huge(contract: Contract) -> list[Case]:
    """Return small cases around the borders, and cases with more samples than 33 bits can count."""
    huge = [
        dataclasses.replace(case, epochs=(0,))
        for case in cases.small_cases(contract, (HUGE,), (4,))
        if case.remainder == contract.remainders[0]
    ]
    return cases.sparse_cases(contract) + huge


def bounds(trace: Trace) -> Iterator[Violation]:
    """Every index lies in `[0, length)`."""
    for epoch, rank, draws in trace.passes():
        for position, index in enumerate(draws.indices):
            if not 0 <= index < trace.case.length:
                yield Violation(
                    f"epoch {epoch}, rank {rank}, position {position}: index is {index}, "
                    f"expected a value in [0, {trace.case.length})",
                    epoch,
                    rank,
                    index,
                )
                break


PROPERTIES = (Property("bounds", bounds, observe=within_reach, grid=sparse_and_huge),)
