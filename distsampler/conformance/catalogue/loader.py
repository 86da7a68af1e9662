"""What reaches a training loop through torch's `DataLoader`."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from distsampler.conformance import cases
from distsampler.conformance.loading import BATCH_SIZE, LONGEST_IN_PROCESS, Loader, has_workers, loaded
from distsampler.conformance.property import Property
from distsampler.conformance.violation import Violation, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.loading import Delivery, Loaded
    from distsampler.conformance.subject import Contract


def batch_equality(observed: Loaded) -> Iterator[Violation]:
    """Through a `DataLoader`, every rank gets as many batches as the others."""
    for loader, epochs in observed.deliveries.items():
        for epoch, ranks in zip(observed.case.epochs, epochs, strict=True):
            counts = [len(delivery.batches) for delivery in ranks]
            if max(counts) != min(counts):
                rank = counts.index(min(counts))
                yield Violation(
                    f"epoch {epoch}, {loader}: rank {rank} gets {min(counts)} batches of {BATCH_SIZE}, rank "
                    f"{counts.index(max(counts))} gets {max(counts)}, expected the same number on every rank",
                    epoch,
                    rank,
                    counts,
                )


def worker_invariance(observed: Loaded) -> Iterator[Violation]:
    """A `DataLoader` delivers the same batches in the same order with any number of workers."""
    for loader, epoch, rank, got in observed.passes():
        in_process = observed.deliveries[Loader(drop_last=loader.drop_last)]
        expected = in_process[observed.case.epochs.index(epoch)][rank]
        if (got.batches, bool(got.error)) != (expected.batches, bool(expected.error)):
            yield _difference(loader, epoch, rank, got, expected.batches, "without workers")


def epoch_reaches_workers(observed: Loaded) -> Iterator[Violation]:
    """Each pass of a `DataLoader` is of the epoch set before it, though workers persist and prefetch."""
    drawn = {(epoch, rank): draws for trace in observed.alone for epoch, rank, draws in trace.passes()}
    for loader, epoch, rank, got in observed.passes():
        expected = batched(drawn[epoch, rank].indices, drop_last=loader.drop_last)
        if got.batches != expected:
            yield _difference(loader, epoch, rank, got, expected, f"a fresh sampler after set_epoch({epoch})")
    for loader, epochs in observed.deliveries.items():
        numbered = zip(observed.case.epochs, epochs, strict=True)
        for (before, first), (epoch, second) in itertools.pairwise(numbered):
            if observed.case.shuffle and first == second and any(delivery.batches for delivery in first):
                sentence = f"every rank gets what it got in epoch {before}, expected another order"
                yield Violation(f"epoch {epoch}, {loader}: {sentence}", epoch)


def batched(indices: tuple[Any, ...], *, drop_last: bool) -> tuple[tuple[Any, ...], ...]:
    """Return the batches that `indices` make."""
    end = len(indices) - (len(indices) % BATCH_SIZE if drop_last else 0)
    return tuple(indices[start : start + BATCH_SIZE] for start in range(0, end, BATCH_SIZE))


def _difference(
    loader: Loader, epoch: int, rank: int, got: Delivery, expected: tuple[tuple[Any, ...], ...], when: str
) -> Violation:
    indices, wanted = (tuple(itertools.chain(*batches)) for batches in (got.batches, expected))
    return Violation(
        f"epoch {epoch}, rank {rank}, {loader}: delivers {listed(indices)} {got.error}, "
        f"expected {listed(wanted)} as {when}",
        epoch,
        rank,
        got.error or indices,
        wanted,
    )


def loader_cases(contract: Contract) -> list[Case]:
    """Return small cases, and one of each remainder policy that goes through workers."""
    small = cases.small_cases(contract, (0, 1, 2, 3, 5, 8, LONGEST_IN_PROCESS), (1, 2, 3, 4))
    worked = cases.small_cases(contract, (LONGEST_IN_PROCESS + 1,), (2,))
    return [*small, *(case for case in worked if case.shuffle == (True in contract.shuffles))]


PROPERTIES = (
    Property(
        "batch_equality",
        batch_equality,
        loaded,
        promised=lambda contract: contract.remainders != ("uneven",),
        exercises=lambda case: case.remainder != "uneven",
        grid=loader_cases,
        beyond=None,
    ),
    Property(
        "worker_invariance", worker_invariance, loaded, exercises=has_workers, grid=loader_cases, beyond=None
    ),
    Property(
        "epoch_reaches_workers",
        epoch_reaches_workers,
        loaded,
        lambda contract: contract.epochs,
        has_workers,
        loader_cases,
        beyond=None,
    ),
)
