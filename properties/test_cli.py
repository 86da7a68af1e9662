"""The command line: what it prints, what it writes, its exit codes and its answers to bad input."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from distsampler.cli import cli
from distsampler.commands.files import write_text
from distsampler.results import ENVIRONMENT, METRICS, PARAMETERS, ResultsWriter
from distsampler.results.compare import CHANGES

NEEDS = (
    "distsampler compare needs click, pandas and rich; run: python -m pip install 'distsampler[harness]'\n"
)


def write_results(path, cells, **machine):
    """Write a results CSV: `cells` maps (metric, sampler) to values, or to a status."""
    writer = ResultsWriter(path, {**dict.fromkeys(ENVIRONMENT, "x"), "dirty": "false", **machine})
    for (metric, sampler), values in cells.items():
        cell = {
            "benchmark": "index_generation",
            "workload": "indices",
            "sampler": sampler,
            "dataset_length": 10_000_000,
            "num_replicas": 64,
            "device": "cpu",
            "metric": metric,
            "unit": METRICS[metric][0],
        }
        if isinstance(values, str):
            writer.write(**cell, status=values, error=f"why it is {values}")
            continue
        for number, value in enumerate(values):
            writer.write(**cell, round=number, value=value, draws=8)
    writer.close()


OLD = {
    ("epoch", "torch.DistributedSampler"): [1.0, 1.01, 1.02],
    ("epoch", "a.sampler.with_a_very_long_name.DistributedSampler"): [1.0],
    ("first_index", "torch.DistributedSampler"): [2e-3],
    ("first_index", "gone"): [1.0],
    ("peak_memory", "breaks"): [5e6],
}
SLOWER = {
    **OLD,
    ("epoch", "torch.DistributedSampler"): [1.5, 1.52, 1.6],
    ("first_index", "torch.DistributedSampler"): [1e-3],
    ("first_index", "new"): [1.0],
    ("peak_memory", "breaks"): "error",
}
del SLOWER["first_index", "gone"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Return a folder with old.csv and slower.csv, which is also the working directory."""
    write_results(tmp_path / "old.csv", OLD, torch="2.12")
    write_results(tmp_path / "slower.csv", SLOWER, torch="2.13", dirty="true", gpu="")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys, monkeypatch):
    """Return a function that runs `distsampler` in this process: exit code, output, errors."""

    def run(*arguments, columns=80):
        monkeypatch.setenv("COLUMNS", str(columns))
        with pytest.raises(SystemExit) as ended:
            cli([str(argument) for argument in arguments], prog_name="distsampler")
        return ended.value.code, *capsys.readouterr()

    return run


def program(*arguments, code="from distsampler.__main__ import main; main()", **options):
    """Run `distsampler` as a program of its own, by default as the installed script does."""
    return subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, "-c", code, *map(str, arguments)],
        check=False,
        capture_output=True,
        encoding="utf-8",
        **options,
    )


def test_file_compared_with_itself_passes(run):
    """The same file twice has exit code 0, and every cell that was measured is the same."""
    exit_code, output, _ = run("compare", "slower.csv", "slower.csv")
    assert exit_code == 0
    assert "4 cells compared: 0 worse, 0 better, 4 same, 1 unmeasured; 0 only in OLD, 0 only in NEW." in (
        " ".join(output.split())
    )
    assert output.endswith("Not worse: 0 cells by more than 10 %, 0 broken.\n")
    assert "Cells, worst first" not in output


def test_slower_file_fails(run):
    """A slower and a broken cell give exit code 1; the last line says how many and at which threshold."""
    exit_code, output, _ = run("compare", "old.csv", "slower.csv")
    assert exit_code == 1
    told = " ".join(output.split())
    assert "3 cells compared: 1 broken, 1 worse, 1 better, 1 same; 1 only in OLD, 1 only in NEW." in told
    assert output.endswith("Worse: 1 cell by more than 10 %, 1 broken.\n")
    assert "gpu: x -> empty" in told
    assert "torch: 2.12 -> 2.13" in told
    assert "Warning: NEW was measured with uncommitted changes (dirty is true)" in told


def test_table_has_the_worst_first(run):
    """What broke comes with its reason, then the cells by falling cost; the same ones only with --all."""
    output = run("compare", "old.csv", "slower.csv", columns=200)[1]
    table = output[output.index("Cells, worst first") : output.index("Only in OLD")].splitlines()[2:-1]
    assert [re.split(r"\s{2,}", line.strip()) for line in table] == [
        ["cost", "cell", "old", "new", "rounds", "spread", "change"],
        ["-", "peak_memory breaks (why it is error)", "5.00 MB", "error", "1/0", "-/-", "broken"],
        ["1.50", "epoch torch.DistributedSampler", "1.01 s", "1.52 s", "3/3", "2%/7%", "worse"],
        ["0.500", "first_index torch.DistributedSampler", "2.00 ms", "1.00 ms", "1/1", "-/-", "better"],
    ]
    assert "very_long_name" not in output
    assert "very_long_name" in run("compare", "old.csv", "slower.csv", "--all")[1]


@pytest.mark.parametrize("columns", [80, 120])
def test_terminal_is_not_exceeded_and_names_are_whole(run, columns):
    """No line is longer than the terminal is wide, and folding loses no character of a name."""
    output = run("compare", "old.csv", "slower.csv", "--all", columns=columns)[1]
    assert max(map(len, output.splitlines())) <= columns
    assert "…" not in output
    table = output[output.index("Cells, worst first") : output.index("Only in OLD")]
    start = re.search(r"^ *cost  (?=cell)", table, re.MULTILINE)[0]
    cells = "".join(re.split(r"\s{2,}", line[len(start) :])[0] for line in table.splitlines())
    assert "a.sampler.with_a_very_long_name.DistributedSampler" in cells


def test_pipe_gets_whole_lines_without_colour():
    """Without a terminal a cell is one line, and there are no escape codes."""
    environment = {
        name: value for name, value in os.environ.items() if name not in ("COLUMNS", "FORCE_COLOR")
    }
    done = program("compare", "old.csv", "slower.csv", "--all", env=environment)
    assert (done.returncode, done.stderr) == (1, "")
    assert "\x1b" not in done.stdout
    assert re.search(r"1.00 +epoch a.sampler.with_a_very_long_name.DistributedSampler +1.00 s", done.stdout)


def test_long_list_of_unpaired_cells_is_cut(run, folder):
    """Of many cells that only one file has the first ten are listed, and all of them with --all."""
    write_results(
        folder / "more.csv", {**OLD, **{("epoch", f"new{number:02}"): [1.0] for number in range(12)}}
    )
    output = run("compare", "old.csv", "more.csv")[1]
    assert "epoch new09" in output
    assert "epoch new10" not in output
    assert "2 cells more, listed with --all" in output
    assert "epoch new11" in run("compare", "old.csv", "more.csv", "--all")[1]


def test_threshold_decides(run, folder):
    """Only what costs more than the threshold is worse; what is broken is, at any threshold."""
    write_results(folder / "repaired.csv", {**SLOWER, ("peak_memory", "breaks"): [5e6]})
    assert run("compare", "old.csv", "repaired.csv", "--threshold", "0.49")[0] == 1
    exit_code, output, _ = run("compare", "old.csv", "repaired.csv", "--threshold", "0.6")
    assert exit_code == 0
    assert output.endswith("Not worse: 0 cells by more than 60 %, 0 broken.\n")
    assert run("compare", "old.csv", "slower.csv", "--threshold", "0.6")[0] == 1


def test_noise_is_told_and_does_not_count(run, folder):
    """A cell whose rounds overlap is not worse, and the last line says that it was left out."""
    write_results(folder / "noisy.csv", {("epoch", "torch.DistributedSampler"): [0.9, 1.5, 1.6]})
    exit_code, output, _ = run("compare", "old.csv", "noisy.csv")
    assert exit_code == 0
    assert " ".join(output.split()).endswith(
        "0 broken. 1 cell too noisy to count; measure more rounds to decide."
    )


def test_other_amount_of_work_is_warned_of(run, folder):
    """Cells that drew another number of indices are counted in a warning."""
    text = (folder / "old.csv").read_text(encoding="utf-8").replace(",8,ok,", ",9,ok,")
    (folder / "other.csv").write_text(text, encoding="utf-8")
    told = " ".join(run("compare", "old.csv", "other.csv")[1].split())
    assert "Warning: 5 cells drew another number of indices in NEW than in OLD" in told


def test_csv_holds_every_cell_as_numbers(run, folder):
    """The CSV has a row for each cell of either file, with values as precise as they were measured."""
    run("compare", "old.csv", "slower.csv", "--csv", "out.csv")
    table = pd.read_csv(folder / "out.csv").set_index(["metric", "sampler"])
    assert set(PARAMETERS) <= {*table.columns, *table.index.names}
    slower = table.loc["epoch", "torch.DistributedSampler"]
    assert slower[["change", "cost", "old_median", "new_median"]].tolist() == [
        "worse",
        1.52 / 1.01,
        1.01,
        1.52,
    ]
    assert table.loc["first_index", "gone"]["change"] == "only in OLD"
    assert table.loc["first_index", "new"]["change"] == "only in NEW"
    assert table.loc["peak_memory", "breaks"]["new_error"] == "why it is error"
    assert len(table) == 6


def test_markdown_has_tables_and_verdict(run, folder):
    """The Markdown file holds what the terminal shows, tables as GitHub's, each row with all its fields."""
    run("compare", "old.csv", "slower.csv", "--markdown", "out.md")
    text = (folder / "out.md").read_text(encoding="utf-8")
    assert "| 1.50 | epoch torch.DistributedSampler | 1.01 s | 1.52 s | 3/3 | 2%/7% | worse |\n" in text
    assert text.endswith("\n\nWorse: 1 cell by more than 10 %, 1 broken.\n")


def test_markdown_escapes_what_would_end_a_field(run, folder):
    """A name with a pipe stays in its field."""
    write_results(folder / "pipes.csv", {("epoch", "a|b"): [1.0], ("epoch", "c"): [1.0]})
    run("compare", "pipes.csv", "pipes.csv", "--all", "--markdown", "out.md")
    assert "| 1.00 | epoch a\\|b | 1.00 s |" in (folder / "out.md").read_text(encoding="utf-8")


SPACE = "expected a file in an existing folder with space left; choose another path"
BAD_COMMANDS = {
    "missing file": (
        ["no.csv", "old.csv"],
        "no.csv: cannot be read (No such file or directory), expected a results CSV; check the path",
    ),
    "directory": (
        ["old.csv", "."],
        ".: cannot be read (Is a directory), expected a results CSV; check the path",
    ),
    "no results": (
        ["old.csv", "letter.txt"],
        (
            "letter.txt, line 1: is 'Dear reader,', expected the header of a results CSV "
            "(benchmark,workload,sampler,...); check the path"
        ),
    ),
    "nothing in common": (
        ["old.csv", "other.csv"],
        (
            "old.csv, other.csv: the two have no cell in common (5 in OLD, 1 in NEW), expected the same "
            "parameters in both; compare runs of the same benchmark with the same options"
        ),
    ),
    "nothing to judge": (
        ["other.csv", "other.csv"],
        (
            "other.csv, other.csv: none of the cells in common (1) has a time, memory or rate that is ok in "
            "both, expected at least one to judge; look at the columns status and error"
        ),
    ),
    **{
        f"threshold {text}": (
            ["old.csv", "old.csv", "--threshold", text],
            f"--threshold is {text!r}, expected a finite number of at least 0; for 10 % write 0.10",
        )
        for text in ("-0.1", "nan", "inf", "10%", "")
    },
    "no such folder": (
        ["old.csv", "old.csv", "--csv", "no/out.csv"],
        f"no/out.csv: cannot be written (No such file or directory), {SPACE}",
    ),
    "folder as output": (
        ["old.csv", "old.csv", "--markdown", "."],
        f".: cannot be written (Is a directory), {SPACE}",
    ),
    "output over input": (
        ["old.csv", "old.csv", "--csv", "./old.csv"],
        "old.csv: is named twice, expected a file of its own; choose another name",
    ),
    "output over output": (
        ["old.csv", "old.csv", "--csv", "out", "--markdown", "out"],
        "out: is named twice, expected a file of its own; choose another name",
    ),
}


@pytest.mark.parametrize("name", BAD_COMMANDS)
def test_bad_input_is_answered_in_one_sentence(run, folder, name):
    """What cannot be used ends the program with exit code 2 and a sentence on stderr, and stdout is empty."""
    (folder / "letter.txt").write_text("Dear reader,\n", encoding="utf-8")
    write_results(folder / "other.csv", {("train_loss", "torch.DistributedSampler"): [1.0]})
    before = (folder / "old.csv").read_bytes()
    arguments, message = BAD_COMMANDS[name]
    assert run("compare", *arguments) == (2, "", f"Error: {message}\n")
    assert (folder / "old.csv").read_bytes() == before


@pytest.mark.parametrize(
    "arguments", [[], ["old.csv"], ["old.csv", "old.csv", "--treshold", "1"], ["a", "b", "c"]]
)
def test_wrong_usage_is_answered_with_usage(run, arguments):
    """A missing file name and an unknown option have exit code 2 and point to --help."""
    exit_code, output, errors = run("compare", *arguments)
    assert (exit_code, output) == (2, "")
    assert re.search(r"^Try 'distsampler compare (-h|--help)' for help\.$", errors, re.MULTILINE)


FULL = Path("/dev/full")
needs_full_disk = pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full, a disk without space")


@needs_full_disk
@pytest.mark.parametrize("option", ["--csv", "--markdown"])
def test_full_disk_is_answered_in_one_sentence(run, option):
    """An output that finds no space is exit code 2, never a verdict without its file."""
    message = f"Error: {FULL}: cannot be written (No space left on device), {SPACE}\n"
    assert run("compare", "old.csv", "old.csv", option, FULL) == (2, "", message)


@needs_full_disk
def test_standard_output_without_space_is_no_verdict():
    """A table that cannot be written is exit code 2, not the 0 or 1 that nobody saw explained."""
    with FULL.open("w", encoding="utf-8") as full:
        done = subprocess.run(
            [sys.executable, "-m", "distsampler", "compare", "old.csv", "old.csv"],
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
    assert done.returncode == 2
    assert done.stderr == (
        "Error: the standard output cannot be written (No space left on device), expected a terminal, pipe "
        "or file with space left; send it elsewhere\n"
    )


def test_terminal_without_micro_sign_gets_the_table(folder):
    """An encoding that lacks a character costs that character, not the table."""
    write_results(folder / "short.csv", {("epoch", "torch.DistributedSampler"): [1e-6]})
    done = program(
        "compare", "short.csv", "short.csv", "--all", env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "1.00 ?s" in done.stdout


@pytest.mark.parametrize("missing", ["click", "pandas", "rich"])
def test_missing_harness_is_answered_in_one_sentence(missing):
    """Without the extra `harness` the program says how to install it."""
    block = f"import sys; sys.modules[{missing!r}] = None; from distsampler.__main__ import main; main()"
    done = program("compare", "--help", code=block)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", NEEDS)


def test_help_is_quick_and_complete():
    """The help explains every change and exit code, and waits for neither torch nor pandas nor rich."""
    code = """
import sys
from distsampler.cli import cli
from distsampler.commands.files import write_text
try:
    cli(prog_name="distsampler")
finally:
    print(sorted({"torch", "pandas", "rich", "hypothesis"} & set(sys.modules)), file=sys.stderr)
"""
    done = program("compare", "--help", code=code)
    assert (done.returncode, done.stderr) == (0, "[]\n")
    told = " ".join(done.stdout.split())
    assert all(f"{change} {' '.join(meaning.split())}" in told for change, meaning in CHANGES.items())
    assert all(f"{code} " in told[told.index("Exit codes:") :] for code in (0, 1, 2))


def test_module_is_the_program():
    """`python -m distsampler` is `distsampler`."""
    done = subprocess.run(
        [sys.executable, "-m", "distsampler", "--version"], check=True, capture_output=True, encoding="utf-8"
    )
    assert re.fullmatch(r"distsampler, version \d+\.\d+\.\d+\n", done.stdout)


def test_text_that_has_no_encoding_is_escaped(folder):
    """A lone surrogate, which UTF-8 cannot hold, costs no file."""
    write_text(folder / "text", "größe \udc80\n")
    assert (folder / "text").read_text(encoding="utf-8") == "größe \\udc80\n"
