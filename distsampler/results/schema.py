"""What a results CSV holds: its columns, its metrics and the statuses of a row, as literal tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["parameter", "measurement", "environment"]


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a results CSV: its name, what kind of value it holds and what that value means."""

    name: str
    kind: Kind
    meaning: str


COLUMNS: tuple[Column, ...] = (
    Column("benchmark", "parameter", "`index_generation` or `training`"),
    Column("workload", "parameter", "what is run: `indices`, or the training program `tabular` or `bytes`"),
    Column("sampler", "parameter", "the sampler that is measured"),
    Column("dataset_length", "parameter", "number of samples in the dataset"),
    Column("num_replicas", "parameter", "ranks that share the dataset; index generation measures rank 0"),
    Column("strategy", "parameter", "`single`, `data_parallel` or `ddp`; empty for index generation"),
    Column("device", "parameter", "`cpu` or `cuda`"),
    Column("backend", "parameter", "torch.distributed backend, `gloo` or `nccl`; empty without one"),
    Column("processes", "parameter", "number of processes that worked together"),
    Column("batch_size", "parameter", "samples per batch and process; empty where nothing is batched"),
    Column("workers", "parameter", "DataLoader worker processes per process; empty without a DataLoader"),
    Column("metric", "parameter", "what `value` is: see the list of metrics"),
    Column("unit", "parameter", "unit of `value`: `s`, `B`, `1/s`, or `1` for a ratio or a loss"),
    Column("round", "measurement", "number of the repetition, from 0; in training the epoch"),
    Column("value", "measurement", "the measurement in `unit`; empty unless `status` is `ok`"),
    Column("draws", "measurement", "how many indices were drawn, over all ranks, to measure `value`"),
    Column("status", "measurement", "`ok`, `skipped`, `error` or `timeout`"),
    Column("error", "measurement", "why there is no value, in one sentence"),
    Column("note", "measurement", "what a reader has to know to interpret the value"),
    Column("run", "environment", "identifier of the run, the same in all its rows"),
    Column("time_utc", "environment", "when the row was written, ISO 8601, UTC"),
    Column("commit", "environment", "git commit of the measured code; empty outside a checkout"),
    Column("dirty", "environment", "`true` if tracked files differed from the commit"),
    Column("os", "environment", "operating system and machine type"),
    Column("cpu", "environment", "CPU model"),
    Column("gpu", "environment", "GPU model; empty without one"),
    Column("cores", "environment", "CPU cores that the run may use"),
    Column("threads", "environment", "torch's intra-op threads per process"),
    Column("python", "environment", "Python version"),
    Column("torch", "environment", "torch version"),
    Column("numpy", "environment", "numpy version"),
    Column("distsampler", "environment", "distsampler version"),
)

METRICS: dict[str, tuple[str, str]] = {
    "first_index": ("s", "from constructing the sampler to its first index"),
    "epoch": ("s", "from constructing the sampler to the last index of one rank's epoch"),
    "per_index": ("s", "`epoch` divided by `draws`"),
    "pickled_size": ("B", "size of the pickled sampler, the dataset aside"),
    "peak_memory": ("B", "peak resident memory above that before construction, in a process of its own"),
    "throughput": ("1/s", "training samples per second over all ranks, iterator start included"),
    "first_batch": ("s", "from asking the DataLoader for an iterator to its first batch, slowest rank"),
    "train_loss": ("1", "mean training loss of the epoch over all ranks"),
    "validation_accuracy": ("1", "share of validation samples predicted right, each counted once"),
}

NAMES: tuple[str, ...] = tuple(column.name for column in COLUMNS)
PARAMETERS: tuple[str, ...] = tuple(column.name for column in COLUMNS if column.kind == "parameter")
ENVIRONMENT: tuple[str, ...] = tuple(column.name for column in COLUMNS if column.kind == "environment")
STATUSES: tuple[str, ...] = ("ok", "skipped", "error", "timeout")
