"""What a sampler costs: memory and time until its first index, and samples that it reads."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import torch

from distsampler.conformance import cases
from distsampler.conformance.case import LengthOnly
from distsampler.conformance.first_index import peak_bytes, starts_in_constant_time
from distsampler.conformance.process_state import be_process, restored
from distsampler.conformance.property import Property
from distsampler.conformance.trace import begin, describe, limit
from distsampler.conformance.violation import Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Contract, Subject

SHORT, LONG = 10_000, 110_000
LONGEST = 1_000_000
MOST_BYTES_PER_SAMPLE = 1


class Watched(LengthOnly):
    """A dataset that notes in `read`, shape (length,), which samples were read in any process."""

    def __init__(self, length: int) -> None:
        super().__init__(length)
        self.read = torch.zeros(length, dtype=torch.bool).share_memory_()  # type: ignore[no-untyped-call]

    def __getitem__(self, index: int) -> int:
        """Return the sample at `index`, and note that."""
        self.read[index] = True
        return super().__getitem__(index)


@dataclass(frozen=True, slots=True)
class Start:
    """What the first index takes, by one measure: how it grows with the dataset, or why there is none."""

    growth: int
    error: str = ""


@dataclass(frozen=True, slots=True)
class Read:
    """How many samples of the dataset one rank has read after a step."""

    rank: int
    step: str
    samples: int


def memory_growth(subject: Subject, case: Case) -> Start:
    """Return how many bytes each sample more takes until the first index."""
    with restored():
        be_process(0)
        try:
            more = peak_bytes(subject, case, LONG) - peak_bytes(subject, case, SHORT)
        except Exception as error:  # noqa: BLE001  (recorded)
            return Start(0, describe(error))
    return Start(round(more / (LONG - SHORT)))


def time_growth(subject: Subject, case: Case) -> Start:
    """Return whether (1) or not (0) the first index takes longer with more samples."""
    with restored():
        be_process(0)
        try:
            return Start(int(not starts_in_constant_time(subject, case, SHORT, LONGEST)))
        except Exception as error:  # noqa: BLE001  (recorded)
            return Start(0, describe(error))


def reads(subject: Subject, case: Case) -> tuple[Read, ...]:
    """Return how many samples every rank reads while it is constructed and iterated."""
    with restored():
        return tuple(read for rank in range(case.num_replicas) for read in _reads(subject, case, rank))


def _reads(subject: Subject, case: Case, rank: int) -> Iterator[Read]:
    dataset = Watched(case.length)
    be_process(rank)
    try:
        sampler = subject.make(dataset, case, rank)
        yield Read(rank, "construction", int(dataset.read.sum()))
        begin(subject, sampler, case.epochs[0])
        list(islice(sampler, limit(case)))
    except Exception:  # noqa: BLE001  (no_crash tells)
        return
    yield Read(rank, f"epoch {case.epochs[0]}", int(dataset.read.sum()))


def long_case(contract: Contract) -> list[Case]:
    """Return a single case, of the length that the time is measured at, shuffled if that is offered."""
    return cases.shuffled_case(contract, LONGEST, 1)


def memory(start: Start) -> Iterator[Violation]:
    """The memory until the first index does not grow with the dataset."""
    if start.error or start.growth > MOST_BYTES_PER_SAMPLE:
        got = (
            f"fails with {start.error}" if start.error else f"takes {start.growth} bytes for each sample more"
        )
        yield Violation(
            f"the first index {got}, expected {MOST_BYTES_PER_SAMPLE} byte at most", got=start.growth
        )


def latency(start: Start) -> Iterator[Violation]:
    """The time until the first index does not grow with the dataset."""
    if start.error or start.growth:
        got = f"fails with {start.error}" if start.error else "takes several times as long"
        yield Violation(
            f"the first index of {LONGEST} samples {got}, expected about the time of {SHORT} samples",
            got=start.error,
        )


def laziness(all_reads: tuple[Read, ...]) -> Iterator[Violation]:
    """Neither constructing a sampler nor iterating it reads a sample of the dataset."""
    for read in all_reads:
        if read.samples:
            yield Violation(
                f"rank {read.rank}: {read.samples} samples of the dataset are read until after {read.step}, "
                "expected none before a data loader asks for them",
                rank=read.rank,
                got=read.samples,
                expected=0,
            )
            return


PROPERTIES = (
    Property("memory", memory, observe=memory_growth, grid=long_case, beyond=None, tier="quality"),
    Property("latency", latency, observe=time_growth, grid=long_case, beyond=None, tier="quality"),
    Property("laziness", laziness, observe=reads, grid=cases.ten_samples, beyond=None, tier="quality"),
)
