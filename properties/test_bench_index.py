"""The index-generation benchmark measures what it says, and survives samplers that misbehave."""

from __future__ import annotations

import io
import itertools
import math
import os
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path

import psutil
import pytest
from click.testing import CliRunner
from rich.console import Console

from bench import __main__ as program
from bench import summary
from bench.index_generation import runner, timing
from bench.index_generation.outcome import Outcome
from bench.index_generation.samplers import CANDIDATES, TABLE, Candidate, Cell, cells
from distsampler import results
from distsampler.documents.document import show

ROOT = Path(program.__file__).parents[1]
MISBEHAVING = f"{__name__}:MISBEHAVING_CANDIDATES"
GREED = 64 * 2**20


class SingleUse:
    """A sampler that refuses to be iterated twice."""

    def __init__(self, dataset):
        self.indices = range(len(dataset))
        self.used = False

    def __iter__(self):
        assert not self.used, "iterated for the second time"
        self.used = True
        return iter(self.indices)


SHARED = SingleUse(range(10))


def raising(_):
    """Draw one index, then raise."""
    yield 0
    raise ValueError("no more today")


def hanging(_):
    """Draw one index, then never return from C code."""
    yield 0
    deque(itertools.count(), maxlen=0)


def dying(_):
    """Draw one index, then end like a process that the system has no memory left for."""
    yield 0
    os.kill(os.getpid(), signal.SIGKILL)


def greedy(dataset):
    """Hold 64 MiB between the first and the second index."""
    yield 0
    held = b"x" * GREED
    yield len(held) % len(dataset)


def misbehaving(name, make):
    """Return a candidate that is measured in one small cell."""
    return Candidate(name, lambda dataset, _: make(dataset), num_replicas=(1,), dataset_lengths=(10,))


MISBEHAVING_CANDIDATES = (
    misbehaving("raising", raising),
    misbehaving("hanging", hanging),
    misbehaving("dying", dying),
    misbehaving("shared", lambda _: SHARED),
    misbehaving("empty", lambda _: iter(())),
    misbehaving("greedy", greedy),
    misbehaving("single-use", SingleUse),
)


def run_misbehaving(writer, *, smoke, console):
    """Run the benchmark over candidates that misbehave, with a limit that only a hang can reach."""
    runner.run(writer, smoke=smoke, console=console, table=MISBEHAVING, cell_seconds=3)


def fill_the_disk(writer, **_):
    """Write rows until the system refuses to let the file grow."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, before[1]))
    try:
        while True:
            writer.write(status="skipped")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def invoke(*arguments):
    """Run the program in this process and return its exit code and what it printed."""
    result = CliRunner().invoke(program.main, arguments)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, " ".join(result.output.split())


@pytest.fixture(scope="module")
def misbehaved(tmp_path_factory):
    """Exit code, output and rows of a run over the candidates that misbehave."""
    path = tmp_path_factory.mktemp("results") / "misbehaved.csv"
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(program.PARTS, "index", f"{__name__}:run_misbehaving")
        code, output = invoke("--only", "index", "--output", str(path))
    return code, output, results.read(path)


@pytest.fixture(scope="module")
def smoke(tmp_path_factory):
    """The rows of a smoke run of the program."""
    path = tmp_path_factory.mktemp("results") / "smoke.csv"
    code, output = invoke("--smoke", "--only", "index", "--output", str(path))
    assert code == 0, output
    return results.read(path)


def of(frame, sampler, metric):
    """Return the rows of one metric of one sampler."""
    rows = frame[(frame["sampler"] == sampler) & (frame["metric"] == metric)]
    assert len(rows) > 0, f"no row for {metric} of {sampler}"
    return rows


SMALL_CELLS = {*cells(smoke=True), *(cell for cell in cells() if cell.dataset_length <= 10**4)}


@pytest.mark.parametrize("cell", sorted(SMALL_CELLS, key=str), ids=str)
def test_every_candidate_draws_its_share_of_an_epoch(cell):
    """Rank 0 draws a padded share of the dataset, as `len` says, in each new sampler."""
    expected = math.ceil(cell.dataset_length / cell.num_replicas)
    for _ in range(2):
        assert len(cell.build(cell.prepare())) == math.ceil(expected / (cell.candidate.batch_size or 1))
        assert cell.count_draws(cell.prepare()) == expected


@pytest.mark.parametrize("cell", cells(smoke=True), ids=str)
def test_rows_say_how_many_indices_were_drawn(smoke, cell):
    """Every candidate has rows for every metric, and each states the indices behind its value."""
    candidate, share = cell.candidate, math.ceil(cell.dataset_length / cell.num_replicas)
    draws_of = {"first_index": 1, "epoch": share, "per_index": share, "peak_memory": share, "pickled_size": 1}
    for metric, draws in draws_of.items():
        rows = of(smoke, candidate.name, metric)
        assert set(rows["status"]) == {"ok"} or sys.platform == "win32"
        assert set(rows["draws"]) == {draws}, metric
        assert set(rows["note"]) == {candidate.note}
        assert list(rows["round"]) == list(range(len(rows)))


def test_time_per_index_is_the_epoch_divided_by_its_draws(smoke):
    """Each round of `per_index` is that round of `epoch` divided by the number of indices."""
    for candidate in {cell.candidate.name: cell.candidate for cell in cells(smoke=True)}.values():
        epoch, per_index = (of(smoke, candidate.name, metric) for metric in ("epoch", "per_index"))
        assert list(per_index["value"]) == pytest.approx(list(epoch["value"] / epoch["draws"]))


def test_every_round_has_a_new_sampler(misbehaved):
    """A sampler that can be iterated once is measured in all rounds; one that is shared is found out."""
    _, _, frame = misbehaved
    for metric in ("first_index", "epoch"):
        assert list(of(frame, "single-use", metric)["status"]) == ["ok"] * 20
        assert "iterated for the second time" in of(frame, "shared", metric)["error"].item()


@pytest.mark.parametrize(
    ("sampler", "status", "error"),
    [
        ("raising", "error", "ValueError: no more today"),
        ("hanging", "timeout", "took longer than 3 s, the limit for one measurement"),
        ("dying", "error", "its process ended by SIGKILL; the machine may have run out of memory"),
    ],
)
@pytest.mark.parametrize("metric", ["epoch", "per_index", "peak_memory"])
def test_a_failure_is_a_row_that_says_why(misbehaved, sampler, metric, status, error):
    """A sampler that raises, hangs or kills its process gives a row with status and reason, and no value."""
    _, _, frame = misbehaved
    row = of(frame, sampler, metric).squeeze()
    assert (row["status"], row["error"]) == (status, error)


def test_an_empty_epoch_is_no_measurement(misbehaved):
    """A sampler that draws nothing has no time per index, which is an error and not a division by zero."""
    _, _, frame = misbehaved
    assert "drew no index, expected at least 1" in of(frame, "empty", "epoch")["error"].item()


def test_failures_do_not_stop_the_others(misbehaved):
    """What is measured after a sampler that hangs or dies is measured all the same."""
    _, _, frame = misbehaved
    for metric in ("first_index", "epoch", "per_index", "peak_memory"):
        assert set(of(frame, "single-use", metric)["status"]) == {"ok"}
    assert set(of(frame, "hanging", "first_index")["status"]) == {"ok"}


def test_failures_end_the_program_with_exit_code_1(misbehaved):
    """The program names each failure and ends with exit code 1."""
    code, output, _ = misbehaved
    assert code == 1
    assert "timeout: index_generation indices hanging 10 1 cpu 1 epoch s: took longer than 3 s" in output


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is not measured there")
def test_peak_memory_sees_what_a_sampler_holds_for_a_while(misbehaved):
    """64 MiB that are held between two indices are in the peak, within 10 %."""
    _, _, frame = misbehaved
    assert of(frame, "greedy", "peak_memory")["value"].item() == pytest.approx(GREED, rel=0.1)
    assert of(frame, "single-use", "peak_memory")["value"].item() < GREED / 10


def test_what_pytest_cannot_run_is_an_error_row():
    """When the process that measures knows none of the cells, each measurement says what pytest said."""
    outcomes = list(timing.measure(cells(MISBEHAVING), TABLE, seconds=60))
    assert len(outcomes) == 2 * len(MISBEHAVING_CANDIDATES)
    for outcome in outcomes:
        assert outcome.error.startswith("pytest did not run the test: (no match in any of"), outcome


def start_and_await_rows(path):
    """Start a full run in a process group of its own, wait for its first rows and return the process."""
    command = [sys.executable, "-m", "bench", "--only", "index", "--output", str(path)]
    process = subprocess.Popen(  # noqa: S603  (the program under test)
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    while not path.exists() or path.read_text().count("\n") < 100:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    return process


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_a_killed_run_leaves_complete_rows(tmp_path):
    """What was measured before a SIGKILL can be read, and the processes that measured end by themselves."""
    process = start_and_await_rows(tmp_path / "run.csv")
    children = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    process.communicate()
    frame = results.read(tmp_path / "run.csv")
    assert len(frame) >= 99
    assert set(frame["status"]) == {"ok"}
    assert children
    _, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
@pytest.mark.usefixtures("interruptible")
def test_an_interrupted_run_says_where_its_rows_are(tmp_path):
    """Ctrl-C ends with exit code 130, one sentence that names the file, and no process left."""
    process = start_and_await_rows(tmp_path / "run.csv")
    children = psutil.Process(process.pid).children(recursive=True)
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130
    assert errors == f"Interrupted; what was measured until now is in {tmp_path / 'run.csv'}\n"
    _, alive = psutil.wait_procs(children, timeout=60)
    assert alive == []
    assert len(results.read(tmp_path / "run.csv")) >= 99


def test_a_full_disk_is_one_sentence(tmp_path, monkeypatch):
    """When the file cannot grow, the program says so and ends with exit code 1."""
    monkeypatch.setitem(program.PARTS, "index", f"{__name__}:fill_the_disk")
    code, output = invoke("--only", "index", "--output", str(tmp_path / "run.csv"))
    assert code == 1
    assert "File too large; make room and start again; what was measured until now is in" in output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--only", "indices"], "Invalid value for '--only': 'indices' is not one of 'index', 'training'."),
        (["--smok"], "No such option"),
        (["results"], "Got unexpected extra argument (results)"),
        (["--output", __file__], f"{__file__} cannot be created (File exists), expected a new file"),
        (["--output", f"{__file__}/run.csv"], f"{__file__}/run.csv cannot be created"),
        (["--output", str(ROOT)], f"Invalid value for '--output': File '{ROOT}' is a directory."),
    ],
)
def test_arguments_that_cannot_be_used_end_with_exit_code_2(arguments, sentence):
    """Bad arguments are refused with what was given and what is expected, before anything is measured."""
    code, output = invoke(*arguments)
    assert code == 2
    assert sentence in output


def test_the_summary_shows_medians(tmp_path):
    """What the terminal shows of a run holds the median over rounds, in a unit that fits."""
    writer = results.ResultsWriter(tmp_path / "rows.csv", results.environment("run"))
    cell = Cell(CANDIDATES[0], 1000, 8)
    for row in Outcome(cell, "first_index", (1e-3, 2e-3, 9e-3), draws=1).rows():
        writer.write(**row)
    writer.close()
    console = Console(width=120, file=io.StringIO())
    show(list(summary.blocks(results.read(tmp_path / "rows.csv"))), console, {})
    assert "2.00 ms" in console.file.getvalue()
    assert "10^3" in console.file.getvalue()
