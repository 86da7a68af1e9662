"""In which order an epoch goes through the dataset."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from distsampler.conformance.catalogue.partition import expected_total
from distsampler.conformance.property import Property
from distsampler.conformance.violation import Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.trace import Trace


def order(trace: Trace) -> Iterator[Violation]:
    """Without shuffling, every rank's indices ascend; repeats that pad come last."""
    case = trace.case
    padding = expected_total(case) - case.length if case.remainder == "pad" else 0
    for epoch, rank, draws in trace.passes():
        drawn = draws.indices
        descents = [at for at in range(1, len(drawn)) if drawn[at] <= drawn[at - 1]]
        if descents and len(drawn) - descents[0] > padding:
            at = descents[0]
            yield Violation(
                f"epoch {epoch}, rank {rank}, position {at}: index {drawn[at]} follows {drawn[at - 1]}, "
                "expected ascending order because shuffle=False",
                epoch,
                rank,
                drawn[at],
            )


def reshuffle(trace: Trace) -> Iterator[Violation]:
    """With shuffling, every epoch has an order of its own, and it is not the dataset's."""
    seen: dict[tuple[tuple[Any, ...], ...], int] = {}
    for epoch, ranks in trace.whole_epochs():
        orders = tuple(draws.indices for draws in ranks)
        if orders in seen:
            yield Violation(
                f"epoch {epoch}: every rank draws what it drew in epoch {seen[orders]}, "
                "expected another order",
                epoch,
            )
        elif all(list(indices) == sorted(indices) for indices in orders):
            yield Violation(f"epoch {epoch}: every rank's indices ascend, expected a shuffled order", epoch)
        seen.setdefault(orders, epoch)


def chance_is_out(case: Case) -> bool:
    """Say whether a fair shuffle leaves all ranks' indices ascending less often than once in 10^12.

    Ranks that shuffle blocks of their own may all do it in the same way, so the chance is that of one.
    """
    return math.lgamma(case.length // case.num_replicas + 1) > math.log(1e12)


PROPERTIES = (
    Property(
        "order",
        order,
        promised=lambda contract: False in contract.shuffles,
        exercises=lambda case: not case.shuffle,
    ),
    Property(
        "reshuffle",
        reshuffle,
        promised=lambda contract: contract.epochs and True in contract.shuffles,
        exercises=lambda case: case.shuffle and len(case.epochs) > 1 and chance_is_out(case),
    ),
)
