"""What a pass yields: integers, as many as declared, without an exception."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from distsampler.conformance.property import Property
from distsampler.conformance.violation import Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.trace import Trace


INTEGER_TYPE = re.compile(r"u?int(8|16|32|64)?")


def no_crash(trace: Trace) -> Iterator[Violation]:
    """Every rank is constructed and iterated to its end without an exception."""
    for epoch, rank, draws in trace.passes():
        if draws.error:
            yield Violation(
                f"epoch {epoch}, rank {rank}: {draws.error}; expected a pass without an error",
                epoch,
                rank,
                got=draws.error,
            )


def length(trace: Trace) -> Iterator[Violation]:
    """`len()` is the number of indices that a pass yields, before it, during it and after it."""
    for epoch, rank, draws in trace.passes():
        drawn = len(draws.indices)
        for when, declared in zip(("before", "during", "after"), draws.lengths, strict=False):
            if declared != drawn and not draws.error:
                yield Violation(
                    f"epoch {epoch}, rank {rank}: len() is {declared} {when} the pass, "
                    f"expected {drawn}, which is what it yields",
                    epoch,
                    rank,
                    declared,
                    drawn,
                )
                break


def index_type(trace: Trace) -> Iterator[Violation]:
    """Every index is an integer, Python's or numpy's."""
    for epoch, rank, draws in trace.passes():
        wrong = sorted(name for name in draws.types if not INTEGER_TYPE.fullmatch(name))
        if wrong:
            yield Violation(
                f"epoch {epoch}, rank {rank}: indices of type {wrong[0]}, expected int or a numpy integer",
                epoch,
                rank,
                wrong[0],
            )


PROPERTIES = (
    Property("no_crash", no_crash),
    Property("length", length, promised=lambda contract: contract.length),
    Property("index_type", index_type),
)
