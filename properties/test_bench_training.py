"""The training benchmark: its corpus, its verdicts on what was trained, and a row for whatever goes wrong."""

import pickle
import random
import subprocess
import sys
from dataclasses import replace

import psutil
import pytest
import torch
from rich.console import Console

from bench.training import runner
from bench.training.cells import BYTES, CELLS, OURS, RANDOM, SMOKE, TABULAR, Cell
from bench.training.corpus import CONTEXT, ByteWindows, source_files, write_corpus
from bench.training.launch import ROOT, Outcome, command, launch
from bench.training.workloads import HELD_OUT, byte_datasets
from distsampler.results import ResultsWriter, environment

KILL_RANK_1 = """
import os, signal, time
if os.environ["RANK"] == "1":
    os.kill(os.getpid(), signal.SIGKILL)
time.sleep(60)
"""
RAISE_ON_RANK_1 = """
import torch.distributed as dist
dist.init_process_group("gloo")
if dist.get_rank() == 1:
    raise ValueError("got 3, expected 2")
dist.barrier()
"""
END = """
import atexit, sys
from bench.training.program import only
atexit.register(print, "torn down")
def work():
    print("worked")
    if sys.argv[1:]:
        raise ValueError("got 3, expected 2")
only(work)
"""
LEAVE_A_CHILD = """
import pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True)
pathlib.Path(sys.argv[1]).write_text(str(child.pid))
time.sleep(60)
"""


@pytest.fixture
def text_file(tmp_path):
    """A folder with a space in its name and 20 000 random bytes in it."""
    folder = tmp_path / "a folder"
    folder.mkdir()
    path = folder / "text"
    path.write_bytes(random.Random(0).randbytes(20_000))  # noqa: S311
    return path


def torchrun(program):
    """Return the command line that runs a program file on two ranks."""
    cell = replace(TABULAR, strategy="ddp", processes=2, sampler=OURS)
    line = command(cell, program)
    return [*line[: line.index("-m", 2)], str(program)]


def only_row(outcome):
    """Return the single row that an outcome makes."""
    (row,) = runner.rows_of(TABULAR.columns(), outcome)
    return row


def test_the_corpus_is_the_standard_library_file_after_file(tmp_path):
    """The corpus holds the bytes of every source file once, in sorted order, and millions of them."""
    files = source_files()
    corpus = tmp_path / "corpus"
    write_corpus(corpus, files)
    assert files == sorted(files)
    assert {"abc.py", "zipimport.py"} <= {file.name for file in files}
    assert not [file for file in files if {"site-packages", "dist-packages"} & set(file.parts)]
    assert corpus.read_bytes() == b"".join(file.read_bytes() for file in files)
    assert corpus.stat().st_size > 1_000_000


def test_every_offset_is_a_context_and_the_byte_after_it(text_file):
    """The first and the last sample, and those between, are the bytes of the file at that offset."""
    text = text_file.read_bytes()
    windows = ByteWindows(text_file)
    assert len(windows) == len(text) - CONTEXT
    for offset in (0, 1, 12_345, len(windows) - 1):
        context, following = windows[offset]
        assert bytes(context.tolist()) == text[offset : offset + CONTEXT]
        assert following.item() == text[offset + CONTEXT]
        assert (context.dtype, following.shape) == (torch.int64, ())


@pytest.mark.parametrize("offset", [-1, 20_000 - CONTEXT, 20_000])
def test_an_offset_without_a_whole_context_is_refused(text_file, offset):
    """An offset outside `[0, len)` is an IndexError, never a shorter sample."""
    with pytest.raises(IndexError, match=rf"offset is {offset}, expected one in \[0, {20_000 - CONTEXT}\)"):
        ByteWindows(text_file)[offset]


def test_validation_text_is_never_trained_on(text_file):
    """Training ends where validation begins, and the two together are the whole text."""
    text = text_file.read_bytes()
    training, validation = byte_datasets(text_file)
    assert training[len(training) - 1][1].item() == text[-HELD_OUT - 1]
    assert bytes(validation[0][0].tolist()) == text[-HELD_OUT:][:CONTEXT]
    assert len(training) + len(validation) == len(text) - 2 * CONTEXT


def test_workers_map_the_file_again(text_file):
    """A pickled dataset is the file's name and range, not its text, and gives the same samples."""
    training, _ = byte_datasets(text_file)
    pickled = pickle.dumps(training)
    assert len(pickled) < 1000
    assert torch.equal(pickle.loads(pickled)[7][0], training[7][0])  # noqa: S301
    assert len(pickle.loads(pickled)) == len(training)  # noqa: S301


def test_a_text_that_is_too_short_is_an_error_row(tmp_path):
    """A Python without its sources gives an error row that says what to do."""
    corpus = tmp_path / "corpus"
    write_corpus(corpus, [])
    (row,) = runner.measure(BYTES, corpus)
    assert row["status"] == "error"
    assert row["error"].startswith("the text has 0 bytes, expected more than 64; use a Python that ships")


def test_a_cell_that_learns_nothing_is_an_error_row_and_the_rest_goes_on(tmp_path, monkeypatch):
    """With a learning rate of 0 there is one error row and no result; the next cell has all its rows."""
    monkeypatch.setattr(runner, "SMOKE", (replace(TABULAR, learning_rate=0.0), TABULAR))
    written = []
    writer = ResultsWriter(tmp_path / "results.csv", environment("test"))
    write = writer.write
    monkeypatch.setattr(writer, "write", lambda **row: (written.append(row), write(**row)))
    runner.run(writer, smoke=True, console=Console(quiet=True))
    writer.close()
    failed, *rest = written
    assert (failed["status"], failed["metric"]) == ("error", "throughput")
    assert failed["error"].startswith("training loss went from 2.3")
    assert len(rest) == 4 * TABULAR.epochs
    losses = [row["value"] for row in rest if row["metric"] == "train_loss"]
    assert losses == sorted(losses, reverse=True)
    assert {row["dataset_length"] for row in written} == {1000}


@pytest.mark.parametrize(
    ("losses", "status"),
    [
        ([2.0, 1.9], "ok"),
        ([2.0, 3.0, 1.9], "ok"),
        ([2.0, 1.999], "error"),
        ([2.0, 2.1], "error"),
        ([2.0], "error"),
        ([2.0, float("nan")], "error"),
        ([], "error"),
    ],
)
def test_only_a_loss_that_falls_is_a_result(losses, status):
    """The last epoch's loss is below the first's by more than noise, or the outcome is an error."""
    reports = tuple({"metric": "train_loss", "value": loss} for loss in losses)
    assert runner.judge(Outcome("ok", reports=reports)).status == status


def test_a_killed_process_is_an_error_row_with_its_signal():
    """A process that dies of SIGKILL is an error row that names the signal."""
    row = only_row(launch([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"], 30))
    assert (row["status"], row["error"]) == ("error", "killed by SIGKILL")


@pytest.mark.parametrize(
    ("source", "error"),
    [
        (KILL_RANK_1, "rank 1 was killed by SIGKILL"),
        (RAISE_ON_RANK_1, "rank 1: ValueError: got 3, expected 2"),
    ],
    ids=["killed", "raised"],
)
def test_the_rank_that_failed_first_is_named(tmp_path, source, error):
    """Of several ranks that fail, the error row names the one that failed first, and why."""
    program = tmp_path / "program.py"
    program.write_text(source)
    row = only_row(launch(torchrun(program), 60))
    assert (row["status"], row["error"]) == ("error", error)


def test_a_program_that_raises_is_an_error_row_with_its_exception():
    """The exception is the sentence, also when its message has more lines."""
    row = only_row(launch([sys.executable, "-c", "raise RuntimeError('no room\\nuse less')"], 30))
    assert (row["status"], row["error"]) == ("error", "exit status 1: RuntimeError: no room")


@pytest.mark.parametrize(
    ("arguments", "status", "said"), [([], 0, ""), (["fail"], 1, "ValueError: got 3, expected 2")]
)
def test_a_program_ends_without_tearing_down_the_interpreter(arguments, status, said):
    """A rank that has trained can't be aborted while Python ends, and one that failed says why."""
    program = [sys.executable, "-c", END, *arguments]
    ended = subprocess.run(program, check=False, cwd=ROOT, capture_output=True, text=True)  # noqa: S603
    assert (ended.returncode, ended.stdout) == (status, "worked\n")
    assert said in ended.stderr


def test_a_timeout_is_a_row_and_ends_all_processes(tmp_path):
    """A cell that takes too long is a timeout row, and what it started is gone, whatever its session."""
    program, pid = tmp_path / "program.py", tmp_path / "pid"
    program.write_text(LEAVE_A_CHILD)
    row = only_row(launch([sys.executable, str(program), str(pid)], 3))
    assert (row["status"], row["error"]) == ("timeout", "took longer than 3 s")
    child = int(pid.read_text())
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == psutil.STATUS_ZOMBIE


def test_accuracy_does_not_depend_on_the_number_of_ranks(text_file):
    """The same weights have exactly the same accuracy on one process and on two ranks that pad."""
    untrained = replace(BYTES, sampler=OURS, steps=1, epochs=1, learning_rate=0.0)
    answers = []
    for cell in (untrained, replace(untrained, strategy="ddp", processes=2)):
        reports = launch(command(cell, text_file), 60).reports
        answers += [row for row in reports if row["metric"] == "validation_accuracy"]
    alone, together = answers
    assert alone["draws"] % 2 == 1
    assert alone["value"] > 0
    assert together == alone


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_without_a_gpu_its_cells_are_skipped_rows(text_file):
    """Every CUDA cell is one skipped row with the reason, on a machine without a GPU."""
    for cell in (cell for cell in CELLS if cell.device == "cuda"):
        (row,) = runner.measure(cell, text_file)
        assert (row["status"], row["device"]) == ("skipped", "cuda")
        assert row["error"] == "no GPU: torch.cuda.is_available() is False"


def test_every_cell_is_another_row():
    """No two cells share their parameters, and the smoke run measures cells of the whole run."""

    def parameters(cell: Cell):
        return tuple(cell.columns().items())

    assert len({parameters(cell) for cell in CELLS}) == len(CELLS)
    assert {parameters(cell) for cell in SMOKE} < {parameters(cell) for cell in CELLS}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"processes": 2}, "processes is 2 with strategy 'single', expected 1; only ddp has more"),
        (
            {"strategy": "ddp", "sampler": RANDOM},
            "'torch.RandomSampler' with ddp, expected a distributed one",
        ),
    ],
)
def test_a_cell_that_would_mislead_is_refused(change, message):
    """A cell whose row would not say what it measured cannot be made."""
    with pytest.raises(ValueError, match=message):
        replace(TABULAR, **change)
