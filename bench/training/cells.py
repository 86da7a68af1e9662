"""What is measured: the cells of the training benchmark as literal tables."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

Strategy = Literal["single", "data_parallel", "ddp"]
Device = Literal["cpu", "cuda"]

OURS = "distsampler.DistributedSampler"
TORCHS = "torch.DistributedSampler"
RANDOM = "torch.RandomSampler"
SUBSET = "torch.SubsetRandomSampler"


@dataclass(frozen=True, slots=True)
class Cell:
    """One training program under one strategy with one sampler, run in fresh processes of its own.

    `steps` ends every epoch after so many batches per process; None trains on the whole epoch.
    Raises ValueError for several processes without ddp, or with a sampler that knows no ranks.
    """

    workload: str
    sampler: str
    batch_size: int
    epochs: int
    learning_rate: float
    timeout_seconds: float
    steps: int | None = None
    workers: int = 0
    strategy: Strategy = "single"
    processes: int = 1
    device: Device = "cpu"

    def __post_init__(self) -> None:
        """Refuse a cell that would not measure what its row says."""
        if self.processes > 1 and self.strategy != "ddp":
            raise ValueError(
                f"processes is {self.processes} with strategy {self.strategy!r}, "
                "expected 1; only ddp has more"
            )
        if self.strategy == "ddp" and self.sampler in {RANDOM, SUBSET}:
            raise ValueError(
                f"sampler is {self.sampler!r} with ddp, expected a distributed one; "
                "with this one every rank would train on the whole dataset"
            )

    @property
    def backend(self) -> str:
        """The torch.distributed backend, empty without one."""
        if self.strategy != "ddp":
            return ""
        return "nccl" if self.device == "cuda" else "gloo"

    @property
    def title(self) -> str:
        """The cell in a few words, for the terminal."""
        ranks = f" x {self.processes}" if self.strategy == "ddp" else ""
        workers = f" with {self.workers} workers" if self.workers else ""
        return f"{self.workload}, {self.strategy}{ranks} on {self.device}{workers}, {self.sampler}"

    @property
    def note(self) -> str:
        """What a reader has to know to interpret the cell's rows."""
        notes = []
        if self.strategy == "data_parallel":
            in_place = "without a GPU DataParallel runs the module in place"
            notes.append(in_place if self.device == "cpu" else "each batch is split over all GPUs")
        if self.steps is not None:
            notes.append(f"an epoch ends after {self.steps} batches per process")
        return "; ".join(notes)

    def columns(self) -> dict[str, Any]:
        """Return the columns that are the same in all rows of this cell."""
        return {
            "benchmark": "training",
            "workload": self.workload,
            "sampler": self.sampler,
            "num_replicas": self.processes,
            "strategy": self.strategy,
            "device": self.device,
            "backend": self.backend,
            "processes": self.processes,
            "batch_size": self.batch_size,
            "workers": self.workers,
            "threads": 1,
            "note": self.note,
        }


TABULAR = Cell("tabular", SUBSET, batch_size=32, epochs=10, learning_rate=0.01, timeout_seconds=60)
BYTES = Cell("bytes", RANDOM, batch_size=64, epochs=3, steps=200, learning_rate=0.1, timeout_seconds=120)

ON_CPU: tuple[Cell, ...] = (
    TABULAR,
    replace(TABULAR, sampler=OURS),
    replace(TABULAR, strategy="data_parallel"),
    replace(TABULAR, strategy="data_parallel", sampler=OURS),
    replace(TABULAR, strategy="ddp", sampler=TORCHS),
    replace(TABULAR, strategy="ddp", sampler=OURS),
    replace(TABULAR, strategy="ddp", processes=2, sampler=TORCHS),
    replace(TABULAR, strategy="ddp", processes=2, sampler=OURS),
    # No SubsetRandomSampler here: it makes one tensor object for each of tens of millions of indices.
    BYTES,
    replace(BYTES, sampler=OURS),
    replace(BYTES, workers=2),
    replace(BYTES, workers=2, sampler=OURS),
    replace(BYTES, strategy="data_parallel"),
    replace(BYTES, strategy="data_parallel", sampler=OURS),
    replace(BYTES, strategy="ddp", sampler=TORCHS),
    replace(BYTES, strategy="ddp", sampler=OURS),
    replace(BYTES, strategy="ddp", processes=2, sampler=TORCHS),
    replace(BYTES, strategy="ddp", processes=2, sampler=OURS),
)

SMOKE_ON_CPU: tuple[Cell, ...] = (
    TABULAR,
    replace(TABULAR, strategy="ddp", processes=2, sampler=OURS),
    replace(BYTES, sampler=OURS, epochs=2),
)

CELLS: tuple[Cell, ...] = (*ON_CPU, *(replace(cell, device="cuda") for cell in ON_CPU))
SMOKE: tuple[Cell, ...] = (*SMOKE_ON_CPU, *(replace(cell, device="cuda") for cell in SMOKE_ON_CPU))
