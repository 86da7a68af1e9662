"""`distsampler check --repro`: scripts that fail as long as a promise is broken, and not after."""

import contextlib
import multiprocessing
import os
import runpy
import sys

import pytest
import torch

from distsampler.check.loading import load
from distsampler.check.recipe import Recipe
from distsampler.check.repro import ENDINGS, script
from distsampler.check.target import Target
from distsampler.conformance import PROPERTIES, examine
from distsampler.conformance.catalogue.bounds import HUGE
from distsampler.conformance.mutants import MUTANTS

# What each right design lacks, the next one has.
RIGHT = {
    True: {True: "elastic", False: "resumable-unnumbered"},
    False: {True: "strided", False: "unnumbered-passes"},
}


def test_every_property_has_a_script():
    """Whatever `distsampler check` can find, it can write a script about."""
    assert {prop.name for prop in PROPERTIES} <= ENDINGS.keys()


def right_design(mutant, verdict):
    """Return the name of a right design that can do what the mutant is asked for."""
    contract = mutant.subject.contract
    if mutant.caught_by.startswith("wrapper_"):
        return "wrapping"
    if mutant.caught_by in ("memory", "latency") or verdict.counterexample.length >= HUGE:
        return "keyed"
    return RIGHT[contract.resume][contract.epochs]


def exit_code(path):
    """Return the exit code of a script that runs in a copy of this process, which has torch already."""

    def run():
        code = 0
        sys.argv[1:] = []
        torch.set_num_threads(1)  # the threads that torch had are not in the copy
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):  # noqa: PTH123
            try:
                runpy.run_path(str(path), run_name="__main__")
            except BaseException as error:  # noqa: BLE001  (the answer)
                print(error, file=sys.stderr)  # noqa: T201
                code = 1
        for worker in multiprocessing.active_children():
            worker.kill()
        os._exit(code)

    process = multiprocessing.get_context("fork").Process(target=run)
    process.start()
    process.join(60)
    process.kill()  # one that hangs, or whose sampler is endless
    process.join()
    return process.exitcode


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: f"{mutant.caught_by}-{mutant.subject.name}")
def test_script_fails_until_the_sampler_is_right(mutant, tmp_path, monkeypatch):
    """The script about a mutant ends with exit code 1, and with 0 once a right design is in its place."""
    (prop,) = [prop for prop in PROPERTIES if prop.name == mutant.caught_by]
    (verdict,) = examine(mutant.subject, [prop])
    monkeypatch.setattr("sys.path", sys.path.copy())
    path = tmp_path / f"subject_of_{tmp_path.name.replace('-', '_')}.py"
    path.write_text(
        "from distsampler.conformance.mutants import MUTANTS\n"
        f"SUBJECT = MUTANTS[{MUTANTS.index(mutant)}].subject\n"
    )
    target = Target(str(path), "SUBJECT")
    load(target)
    text = script(
        Recipe(target, mutant.subject.contract), prop, verdict.counterexample, verdict.violations[0]
    )
    (tmp_path / "script.py").write_text(text)
    assert exit_code(tmp_path / "script.py") == 1, text
    sys.modules.pop(path.stem)
    path.write_text(
        "from distsampler.conformance.designs import DESIGNS\n"
        f"(SUBJECT,) = [each for each in DESIGNS if each.name == {right_design(mutant, verdict)!r}]\n"
    )
    assert exit_code(tmp_path / "script.py") == 0, text
