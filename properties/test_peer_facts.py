"""What was seen of other projects' samplers by hand comes out of the matrix."""

import csv
from pathlib import Path

import pytest

from distsampler.matrix import read

ROOT = Path(__file__).parents[1]
VERDICTS = {(row.subject, row.property): row.verdict for row in read(ROOT / "results" / "conformance.csv")}


def facts():
    """Return the rows of the table of facts."""
    with (ROOT / "properties" / "peer_facts.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def name(fact):
    """Return what a test of the fact is called."""
    return f"{fact['peer']}: {fact['fact']}"


@pytest.mark.parametrize("fact", [fact for fact in facts() if fact["property"]], ids=name)
def test_fact_comes_out_of_the_matrix(fact):
    """The matrix has the verdict of the fact: kept what was seen to hold, known what was seen to fail.

    What holds with these parameters may be known to be broken with others, and what a sampler does not offer
    is n/a; the table then says why.
    """
    verdict = VERDICTS[fact["subject"], fact["property"]]
    assert verdict == fact["verdict"]
    expected = "pass" if fact["holds"] == "yes" else "known"
    assert verdict == expected or (fact["why"] and (verdict, expected) != ("pass", "known"))


def test_fact_without_a_property_says_why():
    """No fact is left out of the matrix without a reason."""
    assert all(fact["why"] for fact in facts() if not fact["property"])
