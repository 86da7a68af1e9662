"""Ranks that draw through torch's `DataLoader`, with worker processes and without."""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from torch.utils.data import DataLoader

from distsampler.conformance.case import LengthOnly
from distsampler.conformance.process_state import be_process, restored
from distsampler.conformance.processes import START_METHOD, reaped
from distsampler.conformance.trace import Trace, begin, describe, limit, record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Subject

LONGEST_IN_PROCESS = 10
BATCH_SIZE = 2
SECONDS = 60


@dataclass(frozen=True, slots=True)
class Loader:
    """How a `DataLoader` is set up."""

    workers: int = 0
    drop_last: bool = False
    persistent: bool = False
    prefetch: int | None = None

    def __str__(self) -> str:
        kept = " persistent_workers=True" if self.persistent else ""
        return f"num_workers={self.workers} drop_last={self.drop_last}{kept}"

    def load(self, dataset: LengthOnly, sampler: Any) -> DataLoader[Any]:
        """Return the loader of batches, which are lists of indices."""
        return DataLoader(
            dataset,  # type: ignore[arg-type]  # torch asks for a Dataset but needs a length and samples only
            BATCH_SIZE,
            sampler=sampler,
            collate_fn=list,
            drop_last=self.drop_last,
            num_workers=self.workers,
            persistent_workers=self.persistent,
            prefetch_factor=self.prefetch,
            timeout=SECONDS if self.workers else 0,
            multiprocessing_context=START_METHOD if self.workers else None,
        )


IN_PROCESS = (Loader(), Loader(drop_last=True))
WITH_WORKERS = (Loader(1, prefetch=1, drop_last=True), Loader(2, prefetch=4, persistent=True))


@dataclass(frozen=True, slots=True)
class Delivery:
    """The batches of one rank's pass, and what ended it early."""

    batches: tuple[tuple[Any, ...], ...]
    error: str = ""


@dataclass(frozen=True, slots=True)
class Loaded:
    """What loaders deliver: `deliveries[loader][e][r]` to rank `r` in `case.epochs[e]`.

    `alone[e]` is the trace of fresh samplers in this epoch without a loader.
    """

    case: Case
    alone: tuple[Trace, ...]
    deliveries: dict[Loader, tuple[tuple[Delivery, ...], ...]]

    def passes(self) -> Iterator[tuple[Loader, int, int, Delivery]]:
        """Yield (loader, epoch, rank, delivery) of every pass."""
        for loader, epochs in self.deliveries.items():
            for epoch, ranks in zip(self.case.epochs, epochs, strict=True):
                for rank, delivery in enumerate(ranks):
                    yield loader, epoch, rank, delivery


def loaded(subject: Subject, case: Case) -> Loaded:
    """Let the ranks of `case` draw through loaders, in few cases through worker processes too."""
    loaders = (*IN_PROCESS, *WITH_WORKERS) if has_workers(case) else IN_PROCESS
    deliveries = {}
    with restored(), reaped():
        for loader in loaders:
            ranks = [_load_rank(subject, case, loader, rank) for rank in range(case.num_replicas)]
            deliveries[loader] = tuple(zip(*ranks, strict=True))
    alone = (record(subject, dataclasses.replace(case, epochs=(epoch,))) for epoch in case.epochs)
    return Loaded(case, tuple(alone), deliveries)


def _load_rank(subject: Subject, case: Case, loader: Loader, rank: int) -> list[Delivery]:
    """Return what a loader delivers to one rank, an entry per epoch."""
    be_process(rank)
    dataset = LengthOnly(case.length)
    deliveries = []
    try:
        sampler = subject.make(dataset, case, rank)
        source = loader.load(dataset, sampler)
        for epoch in case.epochs:
            begin(subject, sampler, epoch)
            batches = itertools.islice(source, limit(case))
            deliveries.append(Delivery(tuple(tuple(batch) for batch in batches)))
    except Exception as error:  # noqa: BLE001  (recorded)
        error.__traceback__ = None  # which would keep the loader and its workers alive
        deliveries += [Delivery((), describe(error))] * (len(case.epochs) - len(deliveries))
    return deliveries


def has_workers(case: Case) -> bool:
    """Say whether `case` goes through worker processes, which are slow to start: only longer ones do."""
    return case.length > LONGEST_IN_PROCESS
