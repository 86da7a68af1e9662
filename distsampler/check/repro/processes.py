"""Endings of scripts with more than one process: workers of a `DataLoader`, members of a process group."""

from __future__ import annotations

import multiprocessing
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import torch
import torch.distributed as dist

if TYPE_CHECKING:
    from distsampler.check.repro.setting import BeProcess, Drawn, Ending, Load, Make, OnePass, Pass


def batch_equality(load: Load, num_replicas: int) -> None:
    """Through a `DataLoader`, every rank gets as many batches as the others."""
    for drop_last in (False, True):
        counts = [[len(batches) for batches in load(rank, 0, drop_last)] for rank in range(num_replicas)]
        print(f"batches of 2 with drop_last={drop_last}, by rank and epoch: {counts}")
        assert counts == counts[:1] * num_replicas, "expected the same number on every rank"


def worker_invariance(load: Load, num_replicas: int) -> None:
    """A `DataLoader` delivers the same batches in the same order with any number of workers."""
    for workers, drop_last in ((1, True), (2, False)):
        for rank in range(num_replicas):
            got, expected = load(rank, workers, drop_last), load(rank, 0, drop_last)
            print(f"rank {rank}, {workers} workers: {got}")
            assert got == expected, f"expected {expected} as without workers"


def epoch_reaches_workers(
    load: Load,
    be_process: BeProcess,
    make: Make,
    one_pass: OnePass,
    epochs: list[int],
    num_replicas: int,
    shuffled: bool,
) -> None:
    """Each pass of a `DataLoader` is of the epoch set before it, though workers persist and prefetch."""
    fresh: list[list[Pass]] = [[] for _ in range(num_replicas)]
    for rank in range(num_replicas):
        for epoch in epochs:
            be_process(rank)
            sampler = make(rank)
            sampler.set_epoch(epoch)
            fresh[rank].append(one_pass(sampler))
    for workers, drop_last in ((0, False), (0, True), (1, True), (2, False)):
        ranks = [load(rank, workers, drop_last) for rank in range(num_replicas)]
        for rank, got in enumerate(ranks):
            print(f"rank {rank}, {workers} workers: {got}")
            passes = fresh[rank]
            expected = [[each[at : at + 2] for at in range(0, len(each) - drop_last, 2)] for each in passes]
            assert got == expected, f"expected {expected} as fresh samplers draw"
        assert not shuffled or any(got[0] != got[-1] for got in ranks), "expected another order every epoch"


def process_group(
    drawn: Drawn, be_process: BeProcess, make: Make, one_pass: OnePass, epochs: list[int], num_replicas: int
) -> None:
    """Told neither rank nor number of replicas, each process of a group draws what that rank draws."""
    rendezvous = Path(tempfile.mkdtemp(), "rendezvous").as_uri()

    def join(rank: int) -> None:
        os.environ.update(RANK=str(rank), WORLD_SIZE=str(num_replicas), LOCAL_RANK="0", LOCAL_WORLD_SIZE="1")
        dist.init_process_group("gloo", init_method=rendezvous, rank=rank, world_size=num_replicas)
        be_process(rank)
        sampler = make(None, num_replicas=None)
        for epoch in epochs:
            sampler.set_epoch(epoch)
            got = one_pass(sampler)
            print(f"epoch {epoch}, the process of rank {rank}: {got}", flush=True)
            assert got == drawn[epoch][rank], f"expected {drawn[epoch][rank]}"
        dist.barrier()  # none ends while another still connects to it

    torch.set_num_threads(1)
    fork = multiprocessing.get_context("fork")
    members = [fork.Process(target=join, args=(rank,), daemon=True) for rank in range(num_replicas)]
    for member in members:
        member.start()
    for member in members:
        member.join(60)
        assert member.exitcode == 0, "expected every process to draw what its rank does"


ENDINGS: dict[str, Ending] = {
    "batch_equality": batch_equality,
    "worker_invariance": worker_invariance,
    "epoch_reaches_workers": epoch_reaches_workers,
    "process_group": process_group,
}
