"""The conformance suite in somebody's own tests, and the samplers that other packages register."""

from importlib import metadata
from types import SimpleNamespace

import pytest

from distsampler.check.pytest import parametrize_with_properties
from distsampler.check.refusal import TargetError
from distsampler.conformance import PROPERTIES, Case, Subject
from distsampler.conformance.case import LengthOnly
from distsampler.subjects.entry_points import GROUP, discovered

pytest_plugins = ["pytester"]

TESTS = """
from torch.utils.data import DistributedSampler
from distsampler.check.pytest import parametrize_with_properties
from distsampler.conformance import Case, Contract, Known, Subject
from distsampler.conformance.verdict import Effort

BRIEF = Effort(examples=5)
SHORT = ("coverage", "length", "resume")

class Loses(DistributedSampler):
    def __iter__(self):
        return iter(list(super().__iter__())[:3])

@parametrize_with_properties(DistributedSampler, only=SHORT, effort=BRIEF)
def test_torch(check):
    check()

@parametrize_with_properties(Loses, remainder="pad", only=SHORT, effort=BRIEF)
def test_loses(check):
    check()

PIN = Known("coverage", Case(4, 1), lambda case: case.length > 3, "keeps three", "https://example.org")

@parametrize_with_properties(Loses, only=["coverage"], known=(PIN,), effort=BRIEF)
def test_pinned(check):
    check()

MINE = Subject(
    "mine",
    lambda dataset, case, rank: range(rank, len(dataset), case.num_replicas),
    Contract(remainders=("uneven",), shuffles=(False,), epochs=False),
)

@parametrize_with_properties(MINE, only=SHORT, effort=BRIEF)
def test_subject(check):
    check()

CALLS = []

class Refuses:
    def __init__(self, dataset, num_replicas, rank):
        CALLS.append(rank)
        raise ValueError("never")

@parametrize_with_properties(Refuses, only=["coverage", "length"])
def test_refused(check):
    try:
        check()
    finally:
        assert len(CALLS) == 2
"""


def test_each_property_is_a_test(pytester):
    """What holds passes, what is not promised is skipped, what is pinned is expected, all else fails."""
    pytester.makepyfile(TESTS)
    result = pytester.runpytest_inprocess("-rA", "-p", "no:cacheprovider")
    result.assert_outcomes(passed=4, skipped=3, failed=4, xfailed=1)
    result.stdout.no_fnmatch_line("*distsampler/check*")
    result.stdout.fnmatch_lines(
        [
            "*test_loses?coverage?*",
            "coverage: fail: Every index is drawn by some rank in every epoch*",
            "smallest case: length=4 num_replicas=1 shuffle=False seed=0 remainder=pad epochs ?0, 1?",
            "epoch 0: no rank draws ?3?, expected at most 0 of 4 samples to be left out",
            "  drawn by no rank: 3",
        ]
    )
    result.stdout.fnmatch_lines_random(
        [
            "PASSED *test_torch?coverage?",
            "PASSED *test_subject?coverage?",
            "SKIPPED*not offered: state_dict and load_state_dict",
            "XFAIL *test_pinned?coverage? - keeps three https://example.org",
            "Refuses, called with *, raises ValueError: never, expected a sampler that can be iterated",
        ]
    )


def test_names_of_properties_are_the_ids():
    """Without a choice there is a test for every property, with its name."""
    mark = parametrize_with_properties(dict)
    assert {prop.name for prop in PROPERTIES} <= {param.id for param in mark.args[1]}


def test_unknown_property_is_refused_at_once():
    """A name that is none stops the collection with a sentence."""
    with pytest.raises(TargetError, match="'coverrage' is no property, expected one such as coverage"):
        parametrize_with_properties(dict, only=["coverrage"])


ONE = Subject("one", dict, package="torch")
TWO = (ONE, Subject("two", dict))


def entry(name, value):
    """Return an entry point that a package registers."""
    point = metadata.EntryPoint(name, value, GROUP)
    return SimpleNamespace(name=name, value=value, load=point.load, dist=SimpleNamespace(name="a-package"))


def test_registered_subjects_are_found():
    """An entry point gives a subject, or several of them, in the order of the names."""
    found = discovered([entry("b", f"{__name__}:TWO"), entry("a", f"{__name__}:ONE")])
    assert [(subject.name, subject.package) for subject in found] == [
        ("one", "torch"),
        ("one", "torch"),
        ("two", "a-package"),
    ]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("nowhere:SUBJECT", "cannot be loaded: ModuleNotFoundError: No module named 'nowhere'"),
        (f"{__name__}:NOTHING", "cannot be loaded: AttributeError"),
        (f"{__name__}:TESTS", "is a str, expected a Subject or a tuple of them"),
    ],
)
def test_broken_entry_point_stops_nothing(value, reason):
    """What cannot be loaded is a subject that cannot be made, and the others are there."""
    broken, fine = discovered([entry("a", value), entry("b", f"{__name__}:ONE")])
    assert (broken.name, fine.name) == ("a", "one")
    with pytest.raises(ImportError, match=reason):
        broken.make(LengthOnly(1), Case(1, 1), 0)
