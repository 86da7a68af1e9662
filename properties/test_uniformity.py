"""The statistics that tell a fair shuffle from others, and how rarely they err."""

import numpy as np
import pytest

from distsampler.conformance import PROPERTIES, Case, examine
from distsampler.conformance.catalogue.uniformity import EXPERIMENTS, FALSE_ALARMS, TWICE_UNLIKELY, shuffled
from distsampler.conformance.mutants.uniformity import MUTANTS
from distsampler.conformance.shuffle_statistics import LARGE, MIDDLING, SMALL
from distsampler.subjects.pytorch import DISTRIBUTED_SAMPLER

CALIBRATED = {
    **{f"{name}, 5": (statistic, 600, 5, 5) for name, statistic in SMALL.items()},
    **{f"{name}, 20": (statistic, 200, 20, 20) for name, statistic in MIDDLING.items()},
    **{f"{name}, all": (statistic, 2, 2_561, 2_561) for name, statistic in LARGE.items()},
    **{f"{name}, head": (statistic, 2, 9_000, 2_560) for name, statistic in LARGE.items()},
}
FAULTS = {
    "chi-square of indices against positions": "ShufflesInBlocks",
    "correlation of indices 1 apart": "ShufflesPairs",
    "share of ascents": "SortsShortKeys",
    "variance of batch means": "SpreadsEvenly",
}


@pytest.mark.parametrize("name", CALIBRATED)
def test_fair_shuffles_are_as_unlikely_as_the_statistic_says(name):
    """Of 400 fair shuffles about every twentieth has a probability below 0.05, hardly any below 0.0002."""
    statistic, orders, length, positions = CALIBRATED[name]
    generator = np.random.default_rng(20)
    fair = [np.stack([generator.permutation(length)[:positions] for _ in range(orders)]) for _ in range(400)]
    probabilities = np.array([statistic(some, length).probability for some in fair])
    if not name.startswith("orders that occurred before"):  # which never happens by chance
        assert 5 <= (probabilities < 0.05).sum() <= 40, np.sort(probabilities)[:40]
    assert (probabilities < TWICE_UNLIKELY).sum() <= 2, np.sort(probabilities)[:5]


@pytest.mark.parametrize("name", FAULTS)
def test_statistic_alarms_at_the_fault_it_is_there_for(name):
    """Each statistic of long orders finds the fault that the others may miss."""
    (mutant,) = [mutant for mutant in MUTANTS if mutant.make.__name__ == FAULTS[name]]
    found = shuffled(mutant.subject, Case(66_001, 1, epochs=(0,)))
    (evidence,) = [evidence for evidence in found.evidence if evidence.name == name]
    assert max(evidence.first.probability, evidence.second.probability) < TWICE_UNLIKELY


def test_false_alarms_add_up_to_one_in_a_million():
    """All tests together blame a fair shuffle as rarely as promised, since each has to alarm twice."""
    tests = sum(len(experiment.statistics) for experiment in EXPERIMENTS)
    assert tests * TWICE_UNLIKELY**2 == pytest.approx(FALSE_ALARMS)


def test_uniformity_of_torchs_shuffle_is_found_in_all_experiments():
    """The shuffle of torch passes, and every size was looked at."""
    (verdict,) = examine(DISTRIBUTED_SAMPLER, [prop for prop in PROPERTIES if prop.name == "uniformity"])
    assert (verdict.status, verdict.cases) == ("pass", len(EXPERIMENTS))
