"""The matrix of the field's samplers: how it is made, written, read and shown, and what was published."""

import os
from pathlib import Path

import pytest

from distsampler.check.row import Row
from distsampler.conformance import PROPERTIES, Subject
from distsampler.matrix import broken_table, examination, matrix_table, read, samplers_table, write
from distsampler.results import ResultsError
from distsampler.subjects import SUBJECTS

PUBLISHED = Path(__file__).parents[1] / "results" / "conformance.csv"
ROWS = [
    Row("torch.DistributedSampler", "2.13.0", "coverage", "core", "pass", 1_670),
    Row(
        "torch.DistributedSampler",
        "2.13.0",
        "memory",
        "quality",
        "known",
        1,
        "length=9",
        "a list",
        "https://x.y",
    ),
    Row("seed-sampler", "0.1.0", "resume", "core", "n/a"),
]


def outcome(monkeypatch, make, package="torch"):
    """Return the rows of a sampler that is made like this."""
    monkeypatch.setitem(examination._BY_NAME, "odd", Subject("odd", make, package=package))  # noqa: SLF001
    (rows,) = examination.examined(["odd"], workers=1)
    assert [row.property for row in rows] == [prop.name for prop in PROPERTIES]
    return rows


def test_sampler_that_is_not_installed_is_an_error(monkeypatch):
    """A project that is missing costs its sampler's rows, with the reason, and nothing else."""
    rows = outcome(monkeypatch, lambda *_: None, package="no-such-project")
    assert {(row.verdict, row.reason) for row in rows} == {("error", "no-such-project is not installed")}


def test_sampler_that_cannot_be_imported_is_an_error(monkeypatch):
    """A project that fails to import costs its sampler's rows, with the error as the reason."""

    def make(*_):
        raise ImportError("its library is broken")

    rows = outcome(monkeypatch, make)
    assert {(row.verdict, row.reason) for row in rows} == {
        ("error", "cannot be made: ImportError: its library is broken")
    }


def test_sampler_that_ends_its_process_is_an_error(monkeypatch):
    """A sampler that takes its process down costs the rows that were not there yet."""
    rows = outcome(monkeypatch, lambda *_: os._exit(3))
    assert {row.verdict for row in rows} == {"error"}
    assert "with exit code 3" in rows[0].reason


def test_matrix_is_read_as_it_was_written(tmp_path):
    """Writing rows and reading them gives the same rows."""
    write(tmp_path / "matrix.csv", ROWS)
    assert read(tmp_path / "matrix.csv") == ROWS


def test_other_table_is_refused(tmp_path):
    """A CSV that is no matrix is refused with the columns that it has and those that are expected."""
    (tmp_path / "other.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ResultsError, match=r"other\.csv has the columns a, b, expected subject, version"):
        read(tmp_path / "other.csv")


def test_missing_matrix_says_how_to_make_it(tmp_path):
    """A matrix that is not there is told with the command that makes it."""
    with pytest.raises(ResultsError, match="run: nox -s matrix"):
        read(tmp_path / "none.csv")


def test_tables_show_signs_reasons_and_counts():
    """Markdown has a sign for each property, the reason with its report, and what is kept and broken."""
    signs = matrix_table(ROWS).splitlines()
    assert [line.split(" | ")[0] for line in signs[2:]] == [
        "| `torch.DistributedSampler`",
        "| `seed-sampler`",
    ]
    assert signs[2].split(" | ").count("✓") == signs[2].split(" | ").count("✗") == 1
    assert "| memory | `length=9` | a list ([report](https://x.y)) |" in broken_table(ROWS)
    assert "| 2.13.0 | 1 | 0 | 1 | 1 |" in samplers_table(ROWS)


def test_published_matrix_is_complete():
    """The published matrix has every sampler and every property, in the order of the tables."""
    published = [(row.subject, row.property) for row in read(PUBLISHED)]
    assert published == [(subject.name, prop.name) for subject in SUBJECTS for prop in PROPERTIES]


def test_published_matrix_holds_nothing_unexplained():
    """What is broken in the published matrix is pinned with a reason, and everything could be judged."""
    rows = read(PUBLISHED)
    assert {row.verdict for row in rows} <= {"pass", "known", "n/a"}
    assert all(row.reason and row.counterexample for row in rows if row.verdict == "known")
    assert len({row.subject.partition(".")[0] for row in rows}) >= 15
