"""What a wrapper keeps of the sampler inside it: its order, its epochs, its one drawing, its weights."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from distsampler.conformance import cases
from distsampler.conformance.catalogue.partition import counts, expected_total
from distsampler.conformance.property import Property
from distsampler.conformance.violation import Violation, listed
from distsampler.conformance.wrapping import (
    HEAVY,
    LIGHT,
    is_heavy,
    over_moving,
    over_ordered,
    over_random,
    over_weighted,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Contract
    from distsampler.conformance.trace import Trace
    from distsampler.conformance.wrapping import Wrapped

WIDEST_DEVIATION = 6.0  # standard deviations of a share; draws are seeded, so this is no matter of luck


def wrapper_fidelity(wrapped: Wrapped) -> Iterator[Violation]:
    """All ranks together draw what the wrapped sampler draws alone, and each in its order."""
    yield from _other_samples(wrapped)
    padding = _padding(wrapped.trace.case)
    for (epoch, ranks), alone in zip(wrapped.trace.by_epoch(), wrapped.alone, strict=True):
        place = {index: position for position, index in enumerate(alone)}
        for rank, draws in enumerate(ranks):
            places = [place.get(index, -1) for index in draws.indices]
            at = next((at for at in range(1, len(places)) if places[at] <= places[at - 1]), len(places))
            if len(places) - at > padding:
                yield Violation(
                    f"epoch {epoch}, rank {rank}, position {at}: index {draws.indices[at]} follows "
                    f"{draws.indices[at - 1]}, expected the wrapped sampler's order {listed(alone)}",
                    epoch,
                    rank,
                    draws.indices,
                    alone,
                )


def wrapper_epoch(wrapped: Wrapped) -> Iterator[Violation]:
    """`set_epoch` reaches the wrapped sampler: all ranks together draw what it draws in that epoch."""
    return _other_samples(wrapped)


def wrapper_agreement(wrapped: Wrapped) -> Iterator[Violation]:
    """All ranks share one drawing of the wrapped sampler, though it draws from generators that differ."""
    return _other_samples(wrapped)


def wrapper_weights(trace: Trace) -> Iterator[Violation]:
    """Samples are drawn in proportion to the weights in the whole dataset, as many as asked for."""
    length, total = trace.case.length, expected_total(trace.case)
    heavy = sum(HEAVY for index in range(length) if is_heavy(index, length))
    light = sum(LIGHT for index in range(length) if not is_heavy(index, length))
    expected = heavy / (heavy + light)
    margin = WIDEST_DEVIATION * math.sqrt(expected * (1 - expected) / total)
    for epoch, ranks in trace.by_epoch():
        drawn = [index for draws in ranks for index in draws.indices]
        share = sum(is_heavy(index, length) for index in drawn) / max(1, len(drawn))
        if len(drawn) != total or abs(share - expected) > margin:
            yield Violation(
                f"epoch {epoch}: {len(drawn)} draws of all ranks, {share:.1%} of them of heavy samples, "
                f"expected {total} draws and {expected:.1%} by the weights",
                epoch,
                got=(len(drawn), share),
                expected=(total, expected),
            )


def _other_samples(wrapped: Wrapped) -> Iterator[Violation]:
    """Yield what the inner sampler does not draw, what is left out and what is repeated beyond padding."""
    case = wrapped.trace.case
    dropped = case.length % case.num_replicas if case.remainder == "drop" else 0
    for (epoch, ranks), alone in zip(wrapped.trace.by_epoch(), wrapped.alone, strict=True):
        drawn = counts(ranks)
        repeated = sorted(index for index, count in drawn.items() if count > 1)
        wrong = {
            "fail with": ([draws.error for draws in ranks if draws.error], 0),
            "draw": (sorted(drawn.keys() - set(alone)), 0),
            "leave out": (sorted(set(alone) - drawn.keys()), dropped),
            "repeat": (repeated if drawn.total() - len(drawn) > _padding(case) else [], 0),
        }
        for what, (which, allowed) in wrong.items():
            if len(which) > allowed:
                sentence = (
                    f"all ranks together {what} {listed(which)}, expected what the wrapped sampler draws"
                )
                yield Violation(f"epoch {epoch}: {sentence}, {listed(alone)}", epoch, got=which)


def _padding(case: Case) -> int:
    return expected_total(case) - case.length if case.remainder == "pad" else 0


def wrapper_cases(contract: Contract) -> list[Case]:
    """Return small cases with several samples a rank."""
    return cases.small_cases(contract, (8, 10, 25), (1, 2, 3, 4))


def weighted_cases(contract: Contract) -> list[Case]:
    """Return cases with enough draws for a share to be sharp."""
    return cases.small_cases(contract, (2_000,), (1, 2, 4))


def _wraps(contract: Contract) -> bool:
    return contract.wraps


PROPERTIES = (
    Property(
        "wrapper_fidelity",
        wrapper_fidelity,
        over_ordered,
        _wraps,
        grid=wrapper_cases,
        beyond=None,
        tier="quality",
    ),
    Property(
        "wrapper_epoch",
        wrapper_epoch,
        over_moving,
        lambda contract: contract.wraps and contract.epochs,
        grid=wrapper_cases,
        beyond=None,
        tier="quality",
    ),
    Property(
        "wrapper_agreement",
        wrapper_agreement,
        over_random,
        _wraps,
        grid=wrapper_cases,
        beyond=None,
        tier="quality",
    ),
    Property(
        "wrapper_weights",
        wrapper_weights,
        over_weighted,
        lambda contract: contract.wraps or contract.weighted,
        grid=weighted_cases,
        beyond=None,
        tier="quality",
    ),
)
