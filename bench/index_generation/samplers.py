"""The samplers whose index generation is measured, as a literal table, and the cells they are measured in."""

from __future__ import annotations

import itertools
import pkgutil
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch.utils import data

from distsampler import DistributedSampler
from distsampler.conformance.case import LengthOnly
from distsampler.subjects.seed import SeedSampler

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

DATASET_LENGTHS = (10**3, 10**4, 10**5, 10**6, 10**7)
NUM_REPLICAS = (1, 8, 64)
LONG = (10**6, 10**7)
METRICS = ("first_index", "epoch", "peak_memory", "pickled_size")


OURS = "distsampler.DistributedSampler"
TORCHS = "torch.DistributedSampler"


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sampler to measure: `build(source, num_replicas)` makes the one of rank 0 from a prepared source.

    Building is measured. `prepare(dataset_length)` is not: it makes what the caller of a sampler owns, which
    is a dataset that holds nothing unless the sampler asks for something else. What yields lists of indices
    says how long they are in `batch_size`.
    """

    name: str
    build: Callable[[Any, int], Iterable[Any]]
    num_replicas: tuple[int, ...] = NUM_REPLICAS
    dataset_lengths: tuple[int, ...] = DATASET_LENGTHS
    prepare: Callable[[int], Any] = LengthOnly
    batch_size: int | None = None
    metrics: tuple[str, ...] = METRICS
    note: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One sampler at one dataset length and number of replicas; its text names it in tests and processes."""

    candidate: Candidate
    dataset_length: int
    num_replicas: int

    def prepare(self) -> Any:
        """Return a new source, outside the measurement."""
        return self.candidate.prepare(self.dataset_length)

    def build(self, source: Any) -> Iterable[Any]:
        """Return a new sampler for rank 0."""
        return self.candidate.build(source, self.num_replicas)

    def count_draws(self, source: Any) -> int:
        """Draw an epoch from a new sampler, keep no index, and return how many there were."""
        return count_draws(self.build(source), batched=self.candidate.batch_size is not None)

    def __str__(self) -> str:
        return f"{self.candidate.name}-{self.dataset_length}-{self.num_replicas}"


CANDIDATES: tuple[Candidate, ...] = (
    Candidate(OURS, lambda dataset, num_replicas: DistributedSampler(dataset, num_replicas, 0)),
    Candidate(
        OURS,
        lambda dataset, num_replicas: DistributedSampler(dataset, num_replicas, 0),
        num_replicas=(8,),
        dataset_lengths=(10**9,),
    ),
    Candidate(
        OURS,
        lambda dataset, num_replicas: DistributedSampler(dataset, num_replicas, 0),
        num_replicas=(8,),
        dataset_lengths=(10**12,),
        metrics=("first_index", "pickled_size"),
    ),
    Candidate(TORCHS, lambda dataset, num_replicas: data.DistributedSampler(dataset, num_replicas, 0)),
    Candidate(
        f"{OURS}[permutation=torch]",
        lambda dataset, num_replicas: DistributedSampler(dataset, num_replicas, 0, permutation="torch"),
        num_replicas=(8,),
        dataset_lengths=LONG,
    ),
    Candidate(
        "seed-sampler",
        lambda dataset, num_replicas: SeedSampler(dataset, num_replicas, 0, shuffle=True, make_even=True),
    ),
    Candidate(
        f"{OURS}[shuffle=False]",
        lambda dataset, num_replicas: DistributedSampler(dataset, num_replicas, 0, shuffle=False),
        num_replicas=(8,),
        dataset_lengths=LONG,
    ),
    Candidate(
        f"{TORCHS}[shuffle=False]",
        lambda dataset, num_replicas: data.DistributedSampler(dataset, num_replicas, 0, shuffle=False),
        num_replicas=(8,),
        dataset_lengths=LONG,
    ),
    Candidate(
        "range",
        lambda dataset, num_replicas: range(0, len(dataset), num_replicas),
        num_replicas=(8,),
        dataset_lengths=LONG,
        note="no sampler: what handing out integers costs at least",
    ),
    Candidate(
        f"{OURS}.batches",
        lambda dataset, num_replicas: DistributedSampler(dataset, num_replicas, 0).batches(64),
        num_replicas=(8,),
        dataset_lengths=LONG,
        batch_size=64,
    ),
    Candidate(
        f"torch.BatchSampler({TORCHS})",
        lambda dataset, num_replicas: data.BatchSampler(
            data.DistributedSampler(dataset, num_replicas, 0), 64, drop_last=False
        ),
        num_replicas=(8,),
        dataset_lengths=LONG,
        batch_size=64,
    ),
    Candidate(
        "torch.RandomSampler",
        lambda dataset, _: data.RandomSampler(dataset, generator=torch.Generator().manual_seed(0)),
        num_replicas=(1,),
    ),
    Candidate(
        "torch.SequentialSampler",
        lambda dataset, _: data.SequentialSampler(dataset),
        num_replicas=(1,),
    ),
    Candidate(
        "torch.SubsetRandomSampler",
        lambda indices, _: data.SubsetRandomSampler(indices, torch.Generator().manual_seed(0)),
        num_replicas=(1,),
        prepare=lambda dataset_length: list(range(dataset_length)),
        note="the list of indices to choose from is the caller's: its time and memory are not included",
    ),
)
TABLE = f"{__name__}:CANDIDATES"


def count_draws(sampler: Iterable[Any], *, batched: bool = False) -> int:
    """Draw an epoch, keep no index, and return how many there were; `batched` ones come in lists."""
    if batched:
        return sum(map(len, sampler))
    numbers = itertools.count()
    deque(zip(sampler, numbers, strict=False), maxlen=0)
    return next(numbers)


def cells(table: str = TABLE, *, smoke: bool = False) -> list[Cell]:
    """Return the cells of a table of candidates, given as `module:name`, so that rivals are neighbours.

    `smoke` keeps one cell per candidate: its shortest dataset on its largest number of replicas, and none of
    a candidate for long datasets only.
    """
    chosen = [
        Cell(candidate, dataset_length, num_replicas)
        for candidate in pkgutil.resolve_name(table)
        if not smoke or min(candidate.dataset_lengths) <= LONG[0]
        for dataset_length in (candidate.dataset_lengths[:1] if smoke else candidate.dataset_lengths)
        for num_replicas in (candidate.num_replicas[-1:] if smoke else candidate.num_replicas)
    ]
    return sorted(chosen, key=lambda cell: (cell.dataset_length, cell.num_replicas))
