"""What properties are judged from, where observing is more than drawing."""

import os

import pytest

from distsampler.conformance import Case
from distsampler.conformance.cases import representative
from distsampler.conformance.catalogue.bounds import HUGE, within_reach
from distsampler.conformance.catalogue.determinism import repeated
from distsampler.conformance.designs import EVERY_REMAINDER, Keyed, Strided
from distsampler.conformance.first_index import peak_bytes, starts_in_constant_time
from distsampler.conformance.interpreter import call_in_fresh_interpreter
from distsampler.conformance.mutants.cost import HoldsTensor
from distsampler.conformance.process_state import be_process, disturb, generator_states, restored
from distsampler.conformance.subject import Subject

STRIDED = Subject("strided", Strided, EVERY_REMAINDER)
KEYED = Subject("keyed", Keyed, EVERY_REMAINDER)


def test_fresh_interpreter_has_other_hashes():
    """Texts have another hash in the interpreter that a function is called in."""
    assert call_in_fresh_interpreter(hash, "text") != hash("text")
    assert call_in_fresh_interpreter(os.getpid) != os.getpid()


def test_fresh_interpreter_that_fails_tells_why():
    """What ends the other interpreter is told in one line."""
    with pytest.raises(ChildProcessError, match="ended with 1: ValueError: invalid literal for int"):
        call_in_fresh_interpreter(int, "no number")


def test_one_case_is_drawn_in_a_fresh_interpreter():
    """The representative case is drawn by every rank elsewhere too, other cases are not."""
    drawn = repeated(STRIDED, representative(EVERY_REMAINDER))
    elsewhere = [same for same in drawn.again if "other hashes" in same.situation]
    copies = [same for same in drawn.copies if "another process" in same.situation]
    assert {same.rank for same in elsewhere} == {same.rank for same in copies} == set(range(8))
    assert not any("other hashes" in same.situation for same in repeated(STRIDED, Case(10, 4)).again)


def test_sampler_that_cannot_be_carried_is_judged_here_alone():
    """A factory that cannot be pickled is no violation; the part in a fresh interpreter is left out."""

    class Local(Strided):
        """Lives in a function, where no other interpreter finds it."""

    drawn = repeated(Subject("local", Local, EVERY_REMAINDER), representative(EVERY_REMAINDER))
    assert all(same.holds for same in drawn.again)
    assert not any("other hashes" in same.situation for same in drawn.again)


def test_huge_datasets_are_drawn_by_those_that_start_in_constant_time():
    """Of a dataset of 2^33 samples a keyed sampler draws indices beyond 2^31, one with a list is spared."""
    case = Case(HUGE, 4, epochs=(0,))
    assert max(within_reach(KEYED, case).draws[0][0].indices) > 2**32
    assert within_reach(STRIDED, case).draws[0][0].indices == ()


def test_start_is_constant_or_grows():
    """Time and memory until the first index tell a list of all samples from positions that are computed."""
    case = Case(10_000, 1)
    assert starts_in_constant_time(KEYED, case, 10_000, 1_000_000)
    assert not starts_in_constant_time(STRIDED, case, 10_000, 1_000_000)
    assert peak_bytes(KEYED, case, 110_000) - peak_bytes(KEYED, case, 10_000) < 10_000
    assert peak_bytes(STRIDED, case, 110_000) - peak_bytes(STRIDED, case, 10_000) > 100_000 * 36


def test_memory_of_tensors_counts():
    """A tensor of all samples takes eight bytes for each."""
    tensor = Subject("tensor", HoldsTensor, EVERY_REMAINDER)
    more = peak_bytes(tensor, Case(1, 1), 110_000) - peak_bytes(tensor, Case(1, 1), 10_000)
    assert more == pytest.approx(800_000, rel=0.05)


def test_draws_in_between_change_every_global_generator():
    """What disturbs a sampler changes the states of all generators; processes have states of their own."""
    with restored():
        be_process(1)
        first = generator_states()
        disturb()
        second = generator_states()
        be_process(2)
        third = generator_states()
        be_process(1)
        again = generator_states()
    assert all(len({first[name], second[name], third[name]}) == 3 for name in first)
    assert first == again
