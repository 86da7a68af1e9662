"""`distsampler check`: from the command line to the report, the files and the exit code."""

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from distsampler.check.client import check
from distsampler.check.drawing import drawing
from distsampler.check.offers import lacking
from distsampler.check.refusal import TargetError
from distsampler.check.report import Report
from distsampler.check.report_document import blocks, summary
from distsampler.check.request import Request
from distsampler.check.row import COLUMNS, Row
from distsampler.cli import cli
from distsampler.conformance import PROPERTIES, Case, Contract, Subject, record
from distsampler.documents.document import as_markdown

LOSES_LAST = """
class Sampler:
    def __init__(self, dataset, num_replicas=None, rank=None):
        self.indices = range(rank, len(dataset) - len(dataset) // 4, num_replicas)

    def __iter__(self):
        return iter(self.indices)

    def __len__(self):
        return len(self.indices)
"""


@pytest.fixture
def target(tmp_path):
    """A stranger's file with a class in it, in a folder with a space in its name."""
    path = tmp_path / "my samplers" / "loses_last.py"
    path.parent.mkdir()
    path.write_text(LOSES_LAST)
    return f"{path}:Sampler"


def run(*arguments):
    """Return the result of `distsampler check`."""
    return CliRunner().invoke(cli, ["check", *map(str, arguments)], env={"COLUMNS": "400"})


def test_strangers_file_is_judged_in_one_command(target, tmp_path):
    """The report has the inference, the verdicts and the violation; files hold the same, and a script."""
    files = {kind: tmp_path / f"report.{kind}" for kind in ("json", "csv", "py")}
    result = run(
        target,
        *("--only", "coverage", "--only", "length", "--only", "resume", "--quick"),
        *("--json", files["json"], "--csv", files["csv"], "--repro", files["py"]),
    )
    assert result.exit_code == 1, result.output
    assert "remainder: uneven" in result.output
    assert "shuffle: never" in result.output
    assert "n/a, not offered: state_dict and load_state_dict: resume" in result.output
    assert "smallest case: length=4 num_replicas=1" in result.output
    assert "epoch 0: no rank draws [3], expected at most 0 of 4 samples to be left out" in result.output
    assert "rank 0:  0   1   2\n  drawn by no rank: 3" in result.output
    assert not [line for line in result.output.splitlines() if line != line.rstrip()]
    assert result.output.splitlines()[-3].endswith(
        "Sampler breaks 1 of 2 core properties (coverage); 1 is n/a."
    )
    rows = list(csv.DictReader(files["csv"].read_text().splitlines()))
    assert tuple(rows[0]) == COLUMNS
    assert {row["property"]: row["verdict"] for row in rows} == {
        "coverage": "fail",
        "length": "pass",
        "resume": "n/a",
    }
    (broken,) = [row for row in json.loads(files["json"].read_text())["rows"] if row["verdict"] == "fail"]
    assert broken["script"] == files["py"].read_text()
    done = subprocess.run(  # noqa: S603  (our own script)
        [sys.executable, files["py"]], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "no rank draws [3]" in done.stderr) == (1, True)
    assert "distsampler" not in files["py"].read_text().replace(str(tmp_path), "")


def test_file_may_be_called_anything(tmp_path):
    """A file that no import statement can name, in a package, is judged, and its script works elsewhere."""
    folder = tmp_path / "a folder" / "päck"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "other.py").write_text(LOSES_LAST)
    (folder / "süß datei.py").write_text("from .other import Sampler")
    result = run(f"{folder / 'süß datei.py'}:Sampler", "--only", "coverage", "--repro", tmp_path / "r.py")
    assert (result.exit_code, "coverage (core, fail)" in result.output) == (1, True), result.output
    done = subprocess.run(  # noqa: S603  (our own script)
        [sys.executable, tmp_path / "r.py"], cwd="/", capture_output=True, text=True, check=False
    )
    assert (done.returncode, "no rank draws [3]" in done.stderr) == (1, True)


def test_text_of_the_targets_own_is_printable(tmp_path):
    """Escape sequences of a terminal and lone surrogates reach neither the terminal nor a file."""
    path = tmp_path / "colours.py"
    raises = r"raise ValueError('größe \x1b[31m red \udc80 \0 \u2028 end')"
    path.write_text(
        LOSES_LAST.replace(
            "return iter", f"\n        if 7 in self.indices:\n            {raises}\n        return iter"
        )
    )
    files = {kind: tmp_path / f"report.{kind}" for kind in ("json", "csv", "py")}
    result = run(
        f"{path}:Sampler",
        *("--only", "no_crash", "--remainder", "uneven"),
        *("--json", files["json"], "--csv", files["csv"], "--repro", files["py"]),
    )
    assert result.exit_code == 1, result.output
    told = r"ValueError: größe \x1b[31m red \udc80 \x00"
    texts = [result.output, *(files[kind].read_text(encoding="utf-8") for kind in ("csv", "py"))]
    assert all(" ".join(told.split()) in " ".join(text.replace("\n# ", " ").split()) for text in texts)
    assert all((text.replace("\n", "")).isprintable() for text in texts)
    done = subprocess.run(  # noqa: S603  (our own script)
        [sys.executable, files["py"]], capture_output=True, check=False
    )
    assert (done.returncode, b"ValueError" in done.stderr) == (1, True)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, a disk without space")
def test_report_is_printed_before_it_is_written(target):
    """A check took its time, so an output without space costs the exit code and not the report."""
    result = run(target, "--only", "coverage", "--json", "/dev/full")
    assert result.exit_code == 2
    assert "Sampler breaks 1 of 1 core property (coverage)." in result.output
    assert "Error: /dev/full: cannot be written (No space left on device)" in result.output


def test_torchs_sampler_keeps_all_core_properties():
    """A sampler that everybody uses passes, in less time than anybody's patience."""
    result = run("torch.utils.data:DistributedSampler", "--quick")
    assert result.exit_code == 0, result.output
    assert "torch.utils.data:DistributedSampler keeps all " in result.output


def test_strict_counts_quality_too():
    """With --strict, a broken quality property makes the exit code 1."""
    arguments = ("torch.utils.data:DistributedSampler", "--only", "seed_epoch_aliasing")
    assert (run(*arguments).exit_code, run(*arguments, "--strict").exit_code) == (0, 1)


def test_flags_are_promises(target):
    """A sampler that is promised to pad is held to that."""
    report = check(Request(target, "pad", shuffle=False, epochs=False, properties=("equal_lengths",)))
    assert report.rows[0].counterexample.startswith("length=1 num_replicas=2 shuffle=False")
    assert report.exit_code() == 1


def test_subject_is_a_target():
    """A Subject is taken with the contract and the pins that it has."""
    report = check(Request("distsampler.subjects.seed:SEED_SAMPLER", properties=("length", "seed_effect")))
    assert [(row.property, row.verdict) for row in report.rows] == [
        ("length", "known"),
        ("seed_effect", "n/a"),
    ]
    assert report.exit_code(strict=True) == 0


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["torch"], "Error: TARGET is 'torch', expected package.module:NAME"),
        (["nowhere:Sampler"], "Error: nowhere cannot be imported: ModuleNotFoundError"),
        (["torch:DistributedSmapler"], "Error: torch has no 'DistributedSmapler', expected one of "),
        (
            ["torch:e", "--only", "coverrage"],
            "Error: 'coverrage' is no property, expected one such as coverage",
        ),
        (
            ["torch:e", "--only", "ordr", "--only", "lenth"],
            "Error: 'ordr', 'lenth' are no properties, expected some such as order, length",
        ),
        (["torch:e", "--quick", "--deep"], "Error: --quick and --deep were given, expected at most one"),
        (["torch:e", "--seed", "3"], "Error: --seed 3 was given without --deep"),
        (["torch:e", "--json", "x", "--csv", "./x"], "is named twice"),
        (["torch:e", "--json", "nowhere/x"], "nowhere/x: cannot be written (No such file or directory)"),
        (["torch:e", "--remainder", "round"], "'round' is not one of 'pad', 'drop', 'uneven'"),
    ],
)
def test_what_cannot_be_used_is_one_sentence(arguments, sentence):
    """Wrong arguments and targets end with exit code 2, a sentence, and no traceback."""
    result = run(*arguments)
    assert result.exit_code == 2
    assert sentence in result.output
    assert "Traceback" not in result.output


def test_traceback_is_the_targets_own(tmp_path):
    """On request, the traceback of the target's code is shown, and nothing of this program's."""
    path = tmp_path / "raises.py"
    path.write_text("def load():\n    raise KeyError('no such thing')\nload()")
    assert "--traceback shows where" in run(f"{path}:Sampler").output
    shown = run(f"{path}:Sampler", "--traceback").output
    assert 'raises.py", line 2, in load' in shown
    assert "distsampler/check" not in shown


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("import time; time.sleep(60)", "its import has not ended after 2 s"),
        ("import os; os._exit(5)", "the process that imported it ended with exit code 5"),
        ("import os; os.kill(os.getpid(), 9)", "the process that imported it died of SIGKILL"),
        (
            "print('x' * 10_000_000)\nimport os; os.close(1)",
            "has no 'Sampler', expected a class or a function",
        ),
    ],
)
def test_import_can_do_no_harm(tmp_path, source, sentence):
    """A module that hangs, exits, dies or prints when it is imported is told in one sentence."""
    path = tmp_path / "hostile.py"
    path.write_text(source)
    with pytest.raises(TargetError) as refused:
        check(Request(f"{path}:Sampler", import_seconds=2))
    assert sentence in str(refused.value)


def test_deep_check_can_be_repeated(target):
    """The seed of a deep check is told, and gives the same cases again."""
    first = run(target, "--deep", "--seed", "11", "--only", "equal_lengths", "--json", "/dev/null")
    assert "To check the same cases again, add --seed 11." in first.output
    assert "add --seed " in run(target, "--deep", "--only", "argument_validation").output


def test_repro_says_when_there_is_nothing_to_reproduce(tmp_path):
    """No script is written where nothing is broken."""
    path = tmp_path / "repro.py"
    result = run("torch.utils.data:DistributedSampler", "--only", "argument_validation", "--repro", path)
    assert f"Nothing to reproduce; {path} was not written." in " ".join(result.output.split())
    assert not path.exists()


def row(name, verdict, tier="core"):
    """Return a row of a report."""
    return Row("sampler", "1.0", name, tier, verdict, promise="It holds.", violations=("It does not.",))


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([row("a", "pass")], "m:S keeps all 1 core property."),
        (
            [row("a", "pass"), row("b", "pass"), row("c", "pass", "quality"), row("d", "n/a")],
            "m:S keeps all 2 core properties and all 1 quality property; 1 is n/a.",
        ),
        (
            [row("a", "fail"), row("b", "pass"), row("c", "timeout", "quality"), row("d", "known")],
            "m:S breaks 1 of 3 core properties (a) and 1 of 1 quality property (c); 1 is known.",
        ),
        ([row("a", "fail", "quality"), row("b", "pass")], "m:S keeps all 1 core property and breaks 1 of 1 "),
        ([row("a", "n/a")], "m:S promises nothing of what was asked for; 1 is n/a."),
    ],
)
def test_summary_is_one_sentence(rows, sentence):
    """The last line counts what holds and names what does not."""
    assert summary(Report(Request("m:S"), "", {}, "", tuple(rows))).startswith(sentence)


@pytest.mark.parametrize(
    ("verdict", "tier", "codes"),
    [
        ("pass", "core", (0, 0)),
        ("known", "core", (0, 0)),
        ("n/a", "core", (0, 0)),
        ("fail", "core", (1, 1)),
        ("error", "core", (1, 1)),
        ("timeout", "core", (1, 1)),
        ("vacuous", "core", (1, 1)),
        ("fail", "quality", (0, 1)),
    ],
)
def test_exit_code_follows_the_verdicts(verdict, tier, codes):
    """What is broken or could not be seen to hold counts, quality only if asked for."""
    report = Report(Request("m:S"), "", {}, "", (row("a", verdict, tier),))
    assert (report.exit_code(), report.exit_code(strict=True)) == codes


def test_report_lists_violations_core_first():
    """Each broken promise is numbered, and the table refers to it."""
    rows = (row("a", "fail", "quality"), row("b", "pass"), row("c", "fail"))
    text = as_markdown(blocks(Report(Request("m:S"), "2.0", {"shuffle": "never"}, "is odd", rows)))
    assert text.index("1. c (core, fail): It holds.") < text.index("2. a (quality, fail): It holds.")
    assert "| quality | a | fail |  | see 2 below |" in text
    assert "m:S 2.0 is taken to promise:" in text
    assert "It is odd." in text


def test_drawing_marks_padding_and_what_is_missing():
    """What was drawn before is in brackets, and what no rank draws is listed."""
    subject = Subject(
        "repeats",
        lambda dataset, case, rank: [rank, *range(rank, len(dataset) - 1, case.num_replicas)],
        Contract(epochs=False),
    )
    text = drawing(record(subject, Case(5, 2, epochs=(0,))))
    assert text.splitlines() == [
        "epoch 0",
        "  rank 0:  0  (0)  2",
        "  rank 1:  1  (1)  3",
        "  drawn by no rank: 4",
    ]


@pytest.mark.parametrize(
    ("name", "contract", "reason"),
    [
        ("resume", Contract(), "not offered: state_dict and load_state_dict"),
        ("order", Contract(shuffles=(True,)), "not offered: shuffle=False"),
        ("reshuffle", Contract(shuffles=(False,), epochs=False), "not offered: set_epoch, shuffle=True"),
    ],
)
def test_reason_says_what_is_lacking(name, contract, reason):
    """A property that is not promised is told with what would have to be offered."""
    (prop,) = [prop for prop in PROPERTIES if prop.name == name]
    assert lacking(prop, contract) == reason
