"""Markdown tables that tell of a results CSV: what its columns mean and what its numbers come to.

`python -m distsampler.results.report FILE...` writes them where FILE, a Markdown file, has markers for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from distsampler import matrix
from distsampler.documents.document import Block, Table, as_markdown
from distsampler.results import COLUMNS, METRICS, PARAMETERS, ResultsError, read
from distsampler.results.cell import cells, named, quotient
from distsampler.results.quantities import quantity, significant

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pandas as pd

    from distsampler.results.cell import Cell

_PLACE = [name for name in PARAMETERS if name not in ("metric", "unit")]


_OURS = "distsampler.DistributedSampler"
_TORCHS = "torch.DistributedSampler"
_TORCH_ORDER = f"{_OURS}[permutation=torch]"
# What is compared: a name for it, the metric, and sampler and dataset length on both sides.
COSTS: tuple[tuple[str, str, tuple[str, int], tuple[str, int]], ...] = (
    ("all indices of 10^7 samples", "epoch", (_OURS, 10**7), (_TORCHS, 10**7)),
    (
        "the same as lists of 64",
        "epoch",
        (f"{_OURS}.batches", 10**7),
        (f"torch.BatchSampler({_TORCHS})", 10**7),
    ),
    ("torch's order of 10^7 samples", "epoch", (_TORCH_ORDER, 10**7), (_TORCHS, 10**7)),
    ("memory for it", "peak_memory", (_TORCH_ORDER, 10**7), (_TORCHS, 10**7)),
    ("unshuffled, 10^7 samples", "epoch", (f"{_OURS}[shuffle=False]", 10**7), ("range", 10**7)),
    ("first index of 10^6 samples", "first_index", (_OURS, 10**6), (_TORCHS, 10**6)),
    ("first index of 10^7 samples", "first_index", (_OURS, 10**7), (_TORCHS, 10**7)),
    ("first index of 10^12 samples", "first_index", (_OURS, 10**12), (_OURS, 10**6)),
    ("an index of 10^9 samples", "per_index", (_OURS, 10**9), (_OURS, 10**6)),
    ("memory for 10^7 samples", "peak_memory", (_OURS, 10**7), (_TORCHS, 10**7)),
    ("memory for 10^9 samples", "peak_memory", (_OURS, 10**9), (_TORCHS, 10**7)),
    ("pickled, 10^7 samples", "pickled_size", (_OURS, 10**7), (_TORCHS, 10**7)),
)


def parts(results: Path) -> dict[str, Callable[[], str]]:
    """Return what makes each generated part of a Markdown file, by its name."""
    return {
        "columns": columns_table,
        "metrics": metrics_table,
        "index-generation": lambda: index_generation_table(read(results), shortest=10**7),
        "cost": lambda: cost_table(read(results)),
        "training": lambda: training_table(read(results)),
        **matrix.parts(results.with_name("conformance.csv")),
    }


def columns_table() -> str:
    """Return a table of the columns of a results CSV."""
    rows = [(f"`{column.name}`", column.kind, column.meaning) for column in COLUMNS]
    return f"{Table(('column', 'kind', 'meaning'), rows)}\n"


def metrics_table() -> str:
    """Return a table of the metrics that a results CSV may hold."""
    rows = [(f"`{name}`", f"`{unit}`", meaning) for name, (unit, meaning) in METRICS.items()]
    return f"{Table(('metric', 'unit', 'meaning'), rows)}\n"


def index_generation_table(frame: pd.DataFrame, shortest: int = 0, num_replicas: int = 8) -> str:
    """Return `index_generation` in Markdown."""
    return f"{index_generation(frame, shortest, num_replicas)}\n"


def index_generation(frame: pd.DataFrame, shortest: int = 0, num_replicas: int = 8) -> Table:
    """Return what index generation costs, by dataset length and sampler, for one of `num_replicas` ranks.

    A sampler that was not measured with so many has its rows for as few as it was. Datasets below `shortest`
    are left out. Raises ResultsError if the frame has no index generation.
    """
    metrics = ("first_index", "per_index", "peak_memory")
    rows = _of_benchmark(frame, "index_generation")
    rows = rows[rows["dataset_length"].astype("int64") >= shortest]
    measured: dict[tuple[int, str, str], dict[int, dict[str, str]]] = {}
    for key, cell in cells(rows).items():
        place = named(key)
        row = (int(place["dataset_length"]), place["sampler"], place["batch_size"])
        by_replicas = measured.setdefault(row, {})
        values = by_replicas.setdefault(int(place["num_replicas"]), {})
        values[place["metric"]] = _shown(cell, place["unit"])
    listed = []
    for (length, sampler, _), by_replicas in sorted(measured.items()):
        replicas = num_replicas if num_replicas in by_replicas else min(by_replicas)
        values = by_replicas[replicas]
        listed.append(
            (_power_of_ten(length), sampler, str(replicas), *(values.get(name, "") for name in metrics))
        )
    header = ("samples", "sampler", "replicas", "first index", "per index", "peak memory")
    return Table(header, listed, (header[0], *header[2:]))


def cost_table(frame: pd.DataFrame) -> str:
    """Return what our sampler costs beside what it replaces, as medians of one run and their quotient.

    Raises ResultsError if one of the two was not measured.
    """
    ok = {
        tuple(
            named(key)[name] for name in ("sampler", "metric", "dataset_length", "num_replicas")
        ): cell.median
        for key, cell in cells(_of_benchmark(frame, "index_generation")).items()
        if cell.status == "ok"
    }
    rows = []
    for label, metric, ours, others in COSTS:
        try:
            mine, theirs = (ok[name, metric, str(length), "8"] for name, length in (ours, others))
        except KeyError as missing:
            raise ResultsError(
                f"the results have no {missing} for {label!r}, expected all that `nox -s bench` measures"
            ) from missing
        unit = METRICS[metric][0]
        times = f"{significant(quotient(theirs, mine))}"
        rows.append((label, quantity(mine, unit), others[0], quantity(theirs, unit), times))
    header = ("one of 8 ranks", "ours", "compared with", "theirs", "theirs / ours")
    return f"{Table(header, rows, (header[1], header[3], header[4]))}\n"


def training_table(frame: pd.DataFrame) -> str:
    """Return `training` in Markdown."""
    return as_markdown(training(frame))


def training(frame: pd.DataFrame) -> list[Block]:
    """Return what training came to: median rates and times, the last loss and the last accuracy.

    What was not measured says so, and a list below the table gives the reasons and all other notes. Raises
    ResultsError if the frame has no training.
    """
    notes: dict[str, str] = {}
    rows = []
    for _, group in _of_benchmark(frame, "training").groupby(_PLACE, sort=False):
        place = group.iloc[0]
        told = "; ".join(dict.fromkeys(text for text in (*group["note"], *group["error"]) if text))
        mark = notes.setdefault(told, str(len(notes) + 1)) if told else ""
        rows.append((_training_place(place), place["sampler"], *_training_values(group), mark))
    numbers = ("throughput", "first batch", "loss", "accuracy")
    header = ("training", "sampler", *numbers, "note")
    listed = "\n".join(f"{mark}. {text}" for text, mark in notes.items())
    return [Table(header, rows, numbers), *([listed] if listed else [])]


def _training_place(row: pd.Series[str]) -> str:
    """Return what was trained, how and where, such as `bytes, ddp x 2, cpu, 2 workers`."""
    strategy = f"{row['strategy']} x {row['processes']}" if row["strategy"] == "ddp" else row["strategy"]
    workers = [f"{row['workers']} workers"] if row["workers"] not in ("", "0") else []
    return ", ".join([row["workload"], strategy, row["device"], *workers])


def _training_values(rows: pd.DataFrame) -> list[str]:
    """Return throughput, first batch, last loss and last accuracy of one place, as text."""
    failed = rows.loc[rows["status"] != "ok", "status"]
    values = rows[rows["status"] == "ok"].sort_values("round").groupby("metric")["value"]
    medians, last = values.median(), values.last()
    picked = {
        "throughput": medians,
        "first_batch": medians,
        "train_loss": last,
        "validation_accuracy": last,
    }
    texts = [
        quantity(found[metric], METRICS[metric][0]) if metric in found else ""
        for metric, found in picked.items()
    ]
    return [failed.iloc[0], *texts[1:]] if len(failed) else texts


def _power_of_ten(number: int) -> str:
    """Return a power of ten as such, which is shorter and read at once, any other number in full."""
    text = str(number)
    return f"10^{len(text) - 1}" if text == "1" + "0" * (len(text) - 1) and number > 1 else f"{number:,}"


def _of_benchmark(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    rows = frame[frame["benchmark"] == name]
    if rows.empty:
        raise ResultsError(
            f"the results have no row of benchmark {name!r}, expected some; measure again with `nox -s bench`"
        )
    return rows


def _shown(cell: Cell, unit: str) -> str:
    return quantity(cell.median, unit) if cell.status == "ok" else cell.status


if __name__ == "__main__":
    from distsampler.commands import docs

    docs.command(prog_name="python -m distsampler.results.report")
