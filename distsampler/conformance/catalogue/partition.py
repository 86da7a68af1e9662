"""Who draws what: every sample, once, the same number on every rank, no more padding than needed."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from distsampler.conformance.property import Property
from distsampler.conformance.violation import Violation, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.trace import Draws, Trace


def coverage(trace: Trace) -> Iterator[Violation]:
    """Every index is drawn by some rank in every epoch; with `drop` all but `length % num_replicas`."""
    case = trace.case
    allowed = case.length % case.num_replicas if case.remainder == "drop" else 0
    for epoch, ranks in trace.whole_epochs():
        missing = sorted(set(range(case.length)) - counts(ranks).keys())
        if len(missing) > allowed:
            yield Violation(
                f"epoch {epoch}: no rank draws {listed(missing)}, "
                f"expected at most {allowed} of {case.length} samples to be left out",
                epoch,
                got=missing,
                expected=allowed,
            )


def disjointness(trace: Trace) -> Iterator[Violation]:
    """No index is drawn twice in an epoch, but for the repeats that `pad` needs for equal lengths."""
    case = trace.case
    allowed = expected_total(case) - case.length if case.remainder == "pad" else 0
    for epoch, ranks in trace.by_epoch():
        drawn = counts(ranks)
        repeats = sum(drawn.values()) - len(drawn)
        if repeats > allowed:
            index = next(index for index, count in drawn.items() if count > 1)
            yield Violation(
                f"epoch {epoch}: index {index} is drawn by {_places(ranks, index)}; "
                f"{repeats} draws repeat an index, expected at most {allowed}",
                epoch,
                got=repeats,
                expected=allowed,
            )


def equal_lengths(trace: Trace) -> Iterator[Violation]:
    """Every rank draws as many indices as the others; with `uneven` they differ by at most one."""
    allowed = 1 if trace.case.remainder == "uneven" else 0
    for epoch, ranks in trace.whole_epochs():
        lengths = [len(draws.indices) for draws in ranks]
        if max(lengths) - min(lengths) > allowed:
            rank = lengths.index(min(lengths))
            yield Violation(
                f"epoch {epoch}: rank {rank} draws {min(lengths)} indices, "
                f"rank {lengths.index(max(lengths))} draws {max(lengths)}, "
                f"expected a difference of at most {allowed}",
                epoch,
                rank,
                got=lengths,
                expected=allowed,
            )


def minimal_padding(trace: Trace) -> Iterator[Violation]:
    """No more is drawn than equal lengths need, and no index is repeated twice before all are once."""
    total = expected_total(trace.case)
    for epoch, ranks in trace.by_epoch():
        drawn = counts(ranks)
        if drawn.total() > total:
            yield Violation(
                f"epoch {epoch}: all ranks together draw {drawn.total()} indices, expected {total} "
                f"for remainder={trace.case.remainder}",
                epoch,
                got=drawn.total(),
                expected=total,
            )
        most = -(-total // max(1, trace.case.length))
        index, often = max(drawn.items(), key=lambda item: item[1], default=(None, 0))
        if often > most:
            yield Violation(
                f"epoch {epoch}: index {index} is drawn {often} times, by {_places(ranks, index)}; "
                f"expected at most {most}, since {total} draws of {trace.case.length} samples can be spread",
                epoch,
                got=often,
                expected=most,
            )


def expected_total(case: Case) -> int:
    """Return how many indices all ranks of `case` draw in one epoch, by its remainder policy."""
    rounds, left = divmod(case.length, case.num_replicas)
    if case.remainder == "pad":
        return (rounds + (left > 0)) * case.num_replicas
    return case.length if case.remainder == "uneven" else rounds * case.num_replicas


def counts(ranks: tuple[Draws, ...]) -> Counter[Any]:
    """Return how often each index is drawn, over all ranks."""
    return Counter(index for draws in ranks for index in draws.indices)


def _places(ranks: tuple[Draws, ...], index: Any) -> str:
    """Return where an index is drawn, as text."""
    places = [
        f"rank {rank} at position {position}"
        for rank, draws in enumerate(ranks)
        for position, drawn in enumerate(draws.indices)
        if drawn == index
    ]
    return ", ".join(places[:4]) + (f" and {len(places) - 4} more" if len(places) > 4 else "")  # noqa: PLR2004


PROPERTIES = (
    Property("coverage", coverage, promised=lambda contract: contract.covers),
    Property("disjointness", disjointness, promised=lambda contract: contract.covers),
    Property("equal_lengths", equal_lengths),
    Property("minimal_padding", minimal_padding, promised=lambda contract: contract.covers),
)
