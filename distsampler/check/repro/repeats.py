"""Endings of scripts in which something is drawn again, and is not what it was."""

from __future__ import annotations

import itertools
import os
import pickle
import random
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

if TYPE_CHECKING:
    from collections.abc import Callable

    from distsampler.check.repro.setting import BeProcess, Drawn, Ending, Make, OnePass


def determinism(
    be_process: BeProcess, make: Make, one_pass: OnePass, drawn: Drawn, num_replicas: int, numbered: bool
) -> None:
    """The same arguments and epoch give the same indices, again and from a fresh sampler."""
    for rank in range(num_replicas):
        be_process(1_000 + rank)
        fresh = make(rank)
        for epoch, ranks in drawn.items():
            for _ in range(2 if numbered else 1):
                fresh.set_epoch(epoch)
                again = one_pass(fresh)
                print(f"epoch {epoch}, rank {rank}, again: {again}")
                assert again == ranks[rank], f"expected {ranks[rank]} as the first time"


def determinism_elsewhere(drawn: Drawn) -> None:
    """An interpreter with other hashes draws the same."""
    assert drawn, "every run of this script prints what it draws"
    if not sys.argv[1:]:
        printed = []
        for hash_seed in ("1", "2"):
            again = [sys.executable, __file__, "again"]
            environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
            done = subprocess.run(again, env=environment, stdout=subprocess.PIPE, check=True)  # noqa: S603
            printed.append(done.stdout.decode())
            print(f"with PYTHONHASHSEED={hash_seed}", printed[-1], sep="\n")
        assert printed[0] == printed[1], "expected the same with any hash seed"


def picklable(
    be_process: BeProcess, make: Make, one_pass: OnePass, epochs: list[int], num_replicas: int, most: int
) -> None:
    """A pickled copy in another process goes on as the original does."""

    def go_on(rank: int, sampler: Any) -> str:
        be_process(2_000 + rank)
        passes = [one_pass(sampler)]
        for epoch in epochs:
            sampler.set_epoch(epoch)
            passes.append(one_pass(sampler))
        return f"rank {rank}: {passes}"

    if sys.argv[1:]:
        copies = enumerate(pickle.load(sys.stdin.buffer))  # noqa: S301  (our own)
        print(*itertools.starmap(go_on, copies), sep="\n")
    else:
        originals, running = [], []
        for rank in range(num_replicas):
            be_process(rank)
            originals.append(make(rank))
            for epoch, most_drawn in ((epochs[0], most), (epochs[-1], 2)):
                originals[rank].set_epoch(epoch)
                running.append(iter(originals[rank]))
                list(itertools.islice(running[-1], most_drawn))
        command = [sys.executable, __file__, "copies"]
        done = subprocess.run(command, input=pickle.dumps(originals), stdout=subprocess.PIPE, check=True)  # noqa: S603
        got, expected = (
            done.stdout.decode().splitlines(),
            list(itertools.starmap(go_on, enumerate(originals))),
        )
        print("copies", *got, "originals", *expected, sep="\n")
        assert got == expected, "expected the copies to draw what the originals do"


def rank_agreement(
    be_process: BeProcess,
    disturb: Callable[[], None],
    make: Make,
    epochs: list[int],
    num_replicas: int,
    most: int,
) -> None:
    """The ranks split the dataset the same way when each has random states of its own."""
    samples: dict[int, list[set[Any]]] = {epoch: [set(), set()] for epoch in epochs}
    for rank, apart in itertools.product(range(num_replicas), (0, 1)):
        be_process(apart * (rank + 1))
        sampler = make(rank)
        for epoch in epochs:
            for _ in range(apart):
                disturb()
            sampler.set_epoch(epoch)
            for index in itertools.islice(sampler, most):
                samples[epoch][apart].add(index)
                for _ in range(apart):
                    disturb()
    for epoch, (alike, apart_too) in samples.items():
        print(f"epoch {epoch}: {len(apart_too)} samples, and {len(alike)} where all have equal states")
        assert len(apart_too) >= len(alike), f"no rank draws {alike - apart_too}"


def rng_isolation(be_process: BeProcess, make: Make, epochs: list[int], num_replicas: int, most: int) -> None:
    """Constructing and iterating leave the global generators alone."""

    def states() -> dict[str, str]:
        _, keys, *more = np.random.get_state(legacy=True)  # noqa: NPY002  (the global generator is the point)
        torchs = torch.get_rng_state().tolist()
        return {"random": str(random.getstate()), "numpy": str([*keys, *more]), "torch": str(torchs)}

    for rank in range(num_replicas):
        be_process(rank)
        before = states()

        def compare(before: dict[str, str], step: str) -> None:
            changed = [name for name, state in states().items() if state != before[name]]
            assert not changed, f"{step} changes the state of the global generator of {changed}"

        sampler = make(rank)
        compare(before, f"constructing rank {rank}")
        for epoch in epochs:
            sampler.set_epoch(epoch)
            compare(before, f"choosing epoch {epoch}")
            for index in itertools.islice(sampler, most):
                compare(before, f"drawing {index}")
            compare(before, f"ending epoch {epoch}")


ENDINGS: dict[str, Ending] = {
    "determinism": determinism,
    "determinism with other hashes": determinism_elsewhere,
    "picklable": picklable,
    "rank_agreement": rank_agreement,
    "rng_isolation": rng_isolation,
}
