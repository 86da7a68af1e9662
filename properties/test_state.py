"""How the harness saves states, starts processes and leaves none behind."""

import multiprocessing
import os
import time

import pytest

from distsampler.conformance import PROPERTIES, Case, Contract, Subject, examine, processes
from distsampler.conformance.designs import DESIGNS, RESUMES, Resumable, Strided
from distsampler.conformance.interruption import cuts_of
from distsampler.conformance.loading import loaded
from distsampler.conformance.processes import together
from distsampler.subjects import pytorch


def verdict(subject, name):
    """Return the verdict of one property."""
    (found,) = examine(subject, [prop for prop in PROPERTIES if prop.name == name])
    return found


@pytest.fixture(autouse=True)
def no_process_survives():
    """After every test there are no more processes than before."""
    before = multiprocessing.active_children()
    yield
    assert multiprocessing.active_children() == before


def ends_badly(number):
    """Be a process that dies if it is number 1, and waits for long if not."""
    if number == 1:
        os._exit(3)
    time.sleep(60)


def test_results_come_in_the_order_of_the_processes():
    """The first result is that of process 0, whoever is through first."""
    assert together(lambda number: (time.sleep(0.2 - 0.1 * number), number)[1], 3, 20) == [0, 1, 2]


def test_processes_end_at_the_time_limit():
    """Processes that hang are ended, and it is said which."""
    with pytest.raises(TimeoutError, match="process 0 of 2 has not ended after 1 s"):
        together(lambda _: time.sleep(60), 2, 1)


def test_a_process_that_dies_ends_the_others():
    """When one process dies nobody waits for the others."""
    start = time.monotonic()
    with pytest.raises(RuntimeError, match="process 1 has failed: it died without a word"):
        together(ends_badly, 2, 30)
    assert time.monotonic() - start < 15


def test_what_a_process_raises_is_told():
    """An exception in a process comes out as one here."""
    with pytest.raises(RuntimeError, match="process 0 has failed: ZeroDivisionError"):
        together(lambda number: 1 // number, 1, 20)


def test_process_group_works_where_processes_are_spawned(monkeypatch):
    """A fresh interpreter needs no more than the subject to be a rank."""
    monkeypatch.setattr(processes, "START_METHOD", "spawn")
    found = verdict(pytorch.DISTRIBUTED_SAMPLER, "process_group")
    assert found.status == "pass", str(found)


def test_process_group_that_fails_is_no_verdict_about_the_sampler():
    """A rank that dies is an error, not a broken promise."""

    def make(dataset, case, rank):
        return os._exit(1) if rank is None else Strided(dataset, case, rank)

    found = verdict(Subject("dies", make), "process_group")
    assert found.status == "error"
    assert "it died without a word" in found.reason


def test_a_worker_that_fails_is_recorded():
    """What a sampler makes a loader raise is in the delivery, with workers and without."""

    def make(dataset, case, rank):
        del dataset, case, rank
        return [0, 99]

    observed = loaded(Subject("out-of-bounds", make, Contract(epochs=False)), Case(11, 2))
    assert all("IndexError" in delivery.error for *_, delivery in observed.passes())


@pytest.mark.parametrize("draws", [0, 1, 13, 14, 1_000])
def test_passes_are_cut_at_both_ends(draws):
    """A pass of any length is cut before its first draw and after its last."""
    cuts = cuts_of(draws)
    assert (cuts[0], cuts[-1]) == (0, draws)
    assert sorted(set(cuts)) == list(cuts)


@pytest.mark.parametrize("name", ["resume", "resume_epoch", "elastic_resume", "resume_mismatch"])
def test_state_that_cannot_be_saved_breaks_every_promise_about_states(name):
    """A sampler whose state_dict raises keeps no promise to resume."""

    class Unfinished(Resumable):
        def state_dict(self):
            raise NotImplementedError

    found = verdict(Subject("unfinished", Unfinished, RESUMES), name)
    assert found.status == "fail"
    assert "state_dict: NotImplementedError; expected" in str(found.violations[0])


@pytest.mark.parametrize("name", ["resumable", "elastic"])
def test_refusing_and_going_on_are_both_right(name):
    """With another number of replicas, a design that refuses passes as well as one that goes on."""
    subject = next(subject for subject in DESIGNS if subject.name == name)
    assert verdict(subject, "elastic_resume").status == "pass"
