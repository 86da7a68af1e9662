"""Every subject against every property."""

import pytest

from distsampler.conformance import PROPERTIES, Case, Contract, Known, Subject, examine
from distsampler.conformance.designs import DESIGNS, EVERY_REMAINDER, Strided
from distsampler.conformance.mutants import MUTANTS
from distsampler.conformance.mutants.partition import PadsWithFirst
from distsampler.subjects import SUBJECTS, version
from distsampler.subjects.seed import SEED_SAMPLER

NAMES = [prop.name for prop in PROPERTIES]


def by_name(table):
    """Parametrize over a table, with names as ids."""
    return pytest.mark.parametrize("subject", table, ids=lambda subject: subject.name)


def installed(subject):
    """Skip a sampler whose project is not installed; what others warn of is their business."""
    theirs = subject.package not in ("distsampler", "torch")
    marks = [pytest.mark.skipif(version(subject) is None, reason=f"{subject.package} is not installed")]
    marks += [pytest.mark.filterwarnings("ignore")] if theirs else []
    marks += [pytest.mark.skipif(subject.slow > 50, reason="takes minutes; nox -s matrix examines it")]
    return pytest.param(subject, id=subject.name, marks=marks)


@pytest.mark.parametrize("subject", [installed(subject) for subject in SUBJECTS])
def test_subject_keeps_its_promises_outside_its_pins(subject):
    """Each property passes, is not promised, or breaks exactly where a pinned counterexample says."""
    wrong = [verdict for verdict in examine(subject) if verdict.status not in ("pass", "known", "n/a")]
    assert not wrong, "\n".join(map(str, wrong))


@by_name(DESIGNS)
def test_no_property_flags_a_correct_design(subject):
    """A correct sampler passes every property, but for qualities that its design gives up knowingly."""
    allowed = {"core": ("pass", "n/a"), "quality": ("pass", "n/a", "known")}
    tiers = {prop.name: prop.tier for prop in PROPERTIES}
    wrong = [each for each in examine(subject) if each.status not in allowed[tiers[each.property]]]
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.subject.name)
def test_property_catches_its_mutant(mutant):
    """A wrong sampler fails the property that is there to catch it, with a sentence and a case."""
    (verdict,) = examine(mutant.subject, [prop for prop in PROPERTIES if prop.name == mutant.caught_by])
    assert verdict.status == "fail", str(verdict)
    assert verdict.counterexample is not None
    assert all(" expected " in violation.sentence for violation in verdict.violations)


@pytest.mark.parametrize("name", NAMES)
def test_every_property_has_a_mutant(name):
    """No property is in the table without a sampler that proves that it can fail."""
    assert name in {mutant.caught_by for mutant in MUTANTS}


def test_counterexample_is_the_smallest_case():
    """Padding with one sample is first wrong where two repeats are missing."""
    mutant = next(mutant for mutant in MUTANTS if mutant.make is PadsWithFirst)
    (verdict,) = examine(mutant.subject, [prop for prop in PROPERTIES if prop.name == "minimal_padding"])
    assert verdict.counterexample == Case(2, 4, shuffle=False)
    assert str(verdict.violations[0]).startswith("epoch 0: index 0 is drawn 3 times, by rank 0 at position 0")


def test_outdated_pin_is_an_error():
    """A pinned counterexample that passes asks to be removed."""
    pin = Known("coverage", Case(5, 2), lambda case: case.length == 5, "made up")
    (verdict, *_) = examine(
        Subject("strided", Strided, EVERY_REMAINDER, known=(pin,)),
        [prop for prop in PROPERTIES if prop.name == "coverage"],
    )
    assert verdict.status == "error"
    assert verdict.reason.endswith("passes now; remove the pin")


def test_property_that_no_case_exercised_is_vacuous():
    """A promise that nothing put to the test does not pass."""
    subject = Subject("nothing", Strided, Contract(remainders=()))
    properties = [prop for prop in PROPERTIES if prop.beyond is None and prop.promised(subject.contract)]
    assert [verdict.status for verdict in examine(subject, properties)] == ["vacuous"] * len(properties)


def test_promise_that_is_not_made_is_not_a_pass():
    """What a contract does not offer is n/a."""
    subject = Subject("unshuffled", Strided, Contract(remainders=("pad",), shuffles=(False,), length=False))
    verdicts = {verdict.property: verdict.status for verdict in examine(subject)}
    assert (verdicts["reshuffle"], verdicts["length"], verdicts["coverage"]) == ("n/a", "n/a", "pass")


def test_verdicts_are_the_same_every_time():
    """Examining twice gives equal verdicts, counterexamples included."""
    assert examine(SEED_SAMPLER) == examine(SEED_SAMPLER)
