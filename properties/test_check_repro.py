"""`distsampler check --repro`: scripts that fail as long as a promise is broken, and not after."""

import contextlib
import multiprocessing
import os
import runpy
import sys

import pytest
import torch

from distsampler.check.inference import infer
from distsampler.check.job import is_broken_unasked
from distsampler.check.loading import load
from distsampler.check.recipe import Promises, Recipe
from distsampler.check.reporter import results_of
from distsampler.check.repro import ENDINGS, script
from distsampler.check.target import Target
from distsampler.conformance import PROPERTIES, examine
from distsampler.conformance.catalogue.bounds import HUGE
from distsampler.conformance.mutants import MUTANTS
from distsampler.conformance.verdict import Effort

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
    case, recipe = verdict.counterexample, Recipe(target, mutant.subject.contract)
    plain = is_broken_unasked(prop, mutant.subject, case)
    text = script(recipe, prop, case, verdict.violations[0], plain=plain)
    assert plain <= ("ask_length" not in text)
    (tmp_path / "script.py").write_text(text)
    assert exit_code(tmp_path / "script.py") == 1, text
    sys.modules.pop(path.stem)
    path.write_text(
        "from distsampler.conformance.designs import DESIGNS\n"
        f"(SUBJECT,) = [each for each in DESIGNS if each.name == {right_design(mutant, verdict)!r}]\n"
    )
    assert exit_code(tmp_path / "script.py") == 0, text


FAULTS = """
import time
import numpy as np
import torch

class Right:
    def __init__(self, dataset, num_replicas, rank, shuffle=True, seed=0):
        self.dataset, self.num_replicas, self.rank, self.shuffle, self.seed = (
            dataset, num_replicas, rank, shuffle, seed
        )
        self.epoch = self.position = self.start = self.passes = 0

    def set_epoch(self, epoch):
        if epoch != self.epoch:
            self.position = self.start = 0
        self.epoch = epoch

    def whole(self):
        return len(range(self.rank, len(self.dataset), self.num_replicas))

    def __len__(self):
        return self.whole() - self.start

    def order(self):
        length = len(self.dataset)
        generator = np.random.default_rng([self.seed, self.epoch])
        return generator.permutation(length).tolist() if self.shuffle else list(range(length))

    def __iter__(self):
        self.passes += 1
        return self.run(self.epoch, self.start)

    def run(self, epoch, start):
        self.position = start
        for index in self.order()[self.rank :: self.num_replicas][start:]:
            self.position += 1
            yield index
        self.start = 0 if self.epoch == epoch else self.start

    def fits(self):
        return [len(self.dataset), self.num_replicas, self.shuffle, self.seed]

    def state_dict(self):
        return {"epoch": self.epoch, "position": self.position, "fits": self.fits()}

    def load_state_dict(self, state):
        if state["fits"] != self.fits():
            raise ValueError("the state is another sampler's")
        self.epoch, self.position, self.start = state["epoch"], state["position"], state["position"]

class RaisesTerribly(Right):
    def __iter__(self):
        if len(self.dataset) == 5:
            raise ValueError("\\udc80 \\x1b[31m \\0 \\r \\x0c \\u2028 cut after 1")
        return super().__iter__()

class HasNoLength(Right):
    def __len__(self):
        raise RuntimeError("nobody knows")

class HasNoLengthAfterALoad(Right):
    def __len__(self):
        return super().__len__() - 2 * bool(self.start)

class SavesNoSecondDraw(Right):
    def state_dict(self):
        if self.position == 2:
            raise RuntimeError("not now")
        return super().state_dict()

class LosesSomeOfMany(Right):
    def order(self):
        return super().order()[:60_000]

class RepeatsSomeOfMany(Right):
    def order(self):
        return [index & 0xFFFF for index in super().order()]

class LosesSomeInALaterEpoch(Right):
    def order(self):
        return super().order()[self.epoch > 2 :]

class RaisesWithSixtyFour(Right):
    def order(self):
        return super().order() if len(self.dataset) != 64 else []

class NeverShuffles(Right):
    def order(self):
        return list(range(len(self.dataset)))

class PassesOnce(Right):
    def __iter__(self):
        if self.passes:
            raise RuntimeError("once only")
        return super().__iter__()

class SeedsWhileItRuns(Right):
    def run(self, epoch, start):
        with torch.random.fork_rng():
            torch.manual_seed(epoch)
            yield from super().run(epoch, start)

class AssertsItsLength(Right):
    def __init__(self, dataset, num_replicas, rank, shuffle=True, seed=0):
        super().__init__(dataset, num_replicas, rank, shuffle, seed)
        self.length = len(dataset)

    def __iter__(self):
        assert self.refuses() or len(self.dataset) == self.length
        return super().__iter__()

    def refuses(self):
        return self.rank

class AssertsEverywhere(AssertsItsLength):
    def refuses(self):
        return False

class StartsAtOnce(Right):
    def __iter__(self):
        return iter(range(self.rank, len(self.dataset), self.num_replicas))

class StartsLater(StartsAtOnce):
    def __iter__(self):
        end = time.process_time() + (0.08 if len(self.dataset) == 1_000_000 else 0.02)
        while time.process_time() < end:
            pass
        return super().__iter__()

def make(dataset, num_replicas, rank):
    return range(rank, len(dataset) - len(dataset) // 4, num_replicas)

sampler = length = make

class Holds:
    make = staticmethod(make)

Case = Holds
"""


# What is right in a way of its own.
REPAIRED = {"AssertsItsLength": "AssertsEverywhere", "StartsLater": "StartsAtOnce"}


def scripts_of(path, name, properties, remainder="uneven"):
    """Return the script for each property that a target is found to break."""
    target = Target(str(path), name)
    recipe = results_of(infer, (target, Promises(remainder)))[0]
    chosen = [prop for prop in PROPERTIES if prop.name in properties]
    found = zip(chosen, examine(recipe.subject(), chosen, Effort(0)), strict=True)
    return {
        prop.name: script(
            recipe,
            prop,
            verdict.counterexample,
            verdict.violations[0],
            plain=is_broken_unasked(prop, recipe.subject(), verdict.counterexample),
        )
        for prop, verdict in found
        if verdict.violations
    }


@pytest.mark.parametrize(
    ("name", "properties"),
    [
        ("RaisesTerribly", {"no_crash"}),
        ("HasNoLength", {"no_crash", "epoch_reaches_workers"}),
        ("HasNoLengthAfterALoad", {"resume", "resume_epoch", "resume_round_trip"}),
        ("SavesNoSecondDraw", {"resume", "resume_iterators", "elastic_resume", "resume_mismatch"}),
        ("LosesSomeOfMany", {"uniformity"}),
        ("RepeatsSomeOfMany", {"uniformity"}),
        ("LosesSomeInALaterEpoch", {"uniformity"}),
        ("RaisesWithSixtyFour", {"uniformity"}),
        ("NeverShuffles", {"uniformity"}),
        ("PassesOnce", {"uniformity"}),
        ("SeedsWhileItRuns", {"rng_isolation"}),
        ("AssertsItsLength", {"dataset_growth"}),
        ("StartsLater", {"latency"}),
    ],
)
def test_script_shows_a_failure_wherever_it_is(name, properties, tmp_path, monkeypatch):
    """What goes wrong only at some length, draw, epoch or question is what the script shows, and no more."""
    monkeypatch.setattr("sys.path", sys.path.copy())
    path = tmp_path / f"faults_of_{tmp_path.name}.py"
    path.write_text(FAULTS)
    found = scripts_of(path, name, properties)
    assert found.keys() == properties
    for text in found.values():
        (tmp_path / "script.py").write_text(text)
        assert exit_code(tmp_path / "script.py") == 1, text
        repaired = text.replace(f"import {name}", f"import {REPAIRED.get(name, 'Right')} as {name}")
        (tmp_path / "script.py").write_text(repaired)
        assert exit_code(tmp_path / "script.py") == 0, repaired


@pytest.mark.parametrize("name", ["make", "sampler", "length", "Holds.make", "Case.make"])
def test_script_has_names_of_its_own(name, tmp_path, monkeypatch):
    """A target may be called what something else in the script is."""
    monkeypatch.setattr("sys.path", sys.path.copy())
    path = tmp_path / f"names_of_{tmp_path.name.replace('.', '_')}.py"
    path.write_text(FAULTS)
    (tmp_path / "script.py").write_text(scripts_of(path, name, {"coverage"})["coverage"])
    with pytest.raises(AssertionError, match=r"no rank draws \[3\]"):
        runpy.run_path(str(tmp_path / "script.py"))
