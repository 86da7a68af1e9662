"""Bug reports of the field: each is expressed as a wrong sampler or is alive in a peer, or why not."""

import csv
from pathlib import Path

import pytest

from distsampler.conformance.mutants import MUTANTS
from distsampler.matrix import read

ROOT = Path(__file__).parents[1]
LEAST_SHARE_FOUND = 0.9


def table():
    """Return the rows of the corpus."""
    with (ROOT / "properties" / "corpus.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def rows(how):
    """Parametrize over the reports that are expressed this way."""
    found = [row for row in table() if row["how"] == how]
    return pytest.mark.parametrize("row", found, ids=lambda row: row["record"])


@rows("mutant")
def test_report_is_a_mutant_that_its_property_catches(row):
    """The mutant that stands for a report is among those whose property is seen to catch them."""
    assert (row["name"], row["property"]) in {(mutant.make.__name__, mutant.caught_by) for mutant in MUTANTS}


@rows("peer")
def test_report_is_alive_in_a_peer(row):
    """The sampler that a report is about still breaks the property in the published matrix."""
    matrix = {(known.subject, known.property): known for known in read(ROOT / "results" / "conformance.csv")}
    assert matrix[row["name"], row["property"]].verdict == "known"


def test_every_report_of_a_mutant_is_in_the_corpus():
    """What a mutant says that it stands for is told of in the table, as a fault that is found."""
    found = {row["record"] for row in table() if row["how"] in ("mutant", "peer")}
    assert {record for mutant in MUTANTS for record in mutant.records} <= found


def test_every_report_is_told_of_once():
    """No report is counted twice, and one that is not found says why."""
    records = [row["record"] for row in table()]
    assert records == sorted(set(records))
    assert len(records) == 199
    assert all(bool(row["why"]) == (row["how"] in ("out of reach", "missed")) for row in table())


def test_nine_of_ten_reports_in_reach_are_found():
    """At least 90 % of the reports that are about what a sampler draws are expressed and found."""
    in_reach = [row["how"] for row in table() if row["how"] != "out of reach"]
    found = sum(how in ("mutant", "peer") for how in in_reach)
    assert found >= LEAST_SHARE_FOUND * len(in_reach), f"{found} of {len(in_reach)} reports are found"
