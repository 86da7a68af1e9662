"""Rank and number of replicas that nobody gives, in processes that are a group."""

from __future__ import annotations

import dataclasses
import os
import tempfile
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import torch
import torch.distributed as dist

from distsampler.conformance import cases
from distsampler.conformance.processes import together
from distsampler.conformance.property import Property
from distsampler.conformance.trace import Draws, Trace, describe, record, record_rank
from distsampler.conformance.violation import Violation, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from distsampler.conformance.case import Case, LengthOnly
    from distsampler.conformance.subject import Contract, Subject

SECONDS = 60


@dataclass(frozen=True, slots=True)
class Grouped:
    """The same case drawn by ranks that are told who they are, and by a group, unless it failed."""

    told: Trace
    group: Trace | None
    error: str = ""


def grouped(subject: Subject, case: Case) -> Grouped:
    """Draw `case` once in this process and once by as many processes as ranks, in a process group on gloo."""
    told = record(subject, case)
    bare = dataclasses.replace(subject, known=())  # pins can't be pickled
    with tempfile.TemporaryDirectory() as folder:
        work = partial(_draw_as_member, bare, case, Path(folder) / "rendezvous")
        try:
            ranks = together(work, case.num_replicas, SECONDS)
        except (RuntimeError, TimeoutError) as error:
            return Grouped(told, None, describe(error))
    return Grouped(told, Trace(case, tuple(zip(*ranks, strict=True))))


def _draw_as_member(subject: Subject, case: Case, rendezvous: Path, rank: int) -> list[Draws]:
    """Join the group as `rank`, and let a sampler draw that is not told so.

    The environment is what torchrun sets up where every rank is on a machine of its own.
    """
    torch.set_num_threads(1)  # a forked process must not wait for threads that it does not have
    os.environ.update(RANK=str(rank), WORLD_SIZE=str(case.num_replicas), LOCAL_RANK="0", LOCAL_WORLD_SIZE="1")
    dist.init_process_group(
        "gloo",
        init_method=rendezvous.as_uri(),
        rank=rank,
        world_size=case.num_replicas,
        timeout=timedelta(seconds=SECONDS),
    )
    return record_rank(dataclasses.replace(subject, make=partial(_untold, subject.make)), case, rank)


def _untold(make: Callable[[LengthOnly, Any, Any], Any], dataset: LengthOnly, case: Case, _: int) -> Any:
    return make(dataset, dataclasses.replace(case, num_replicas=cast("int", None)), None)


def process_group(drawn: Grouped) -> Iterator[Violation]:
    """Told neither rank nor number of replicas, each process of a group draws what that rank draws."""
    if drawn.group is None:
        raise RuntimeError(drawn.error)
    for (epoch, rank, expected), (_, _, got) in zip(drawn.told.passes(), drawn.group.passes(), strict=True):
        if (got.indices, bool(got.error)) != (expected.indices, bool(expected.error)):
            yield Violation(
                f"epoch {epoch}, rank {rank}: the process of this rank draws {listed(got.indices)} "
                f"{got.error}, expected {listed(expected.indices)} as with num_replicas and rank given",
                epoch,
                rank,
                got.error or got.indices,
                expected.indices,
            )


def group_cases(contract: Contract) -> list[Case]:
    """Return one case of each remainder policy with two ranks, shuffled where that is offered."""
    small = cases.small_cases(contract, (5,), (2,))
    return [case for case in small if case.shuffle == (True in contract.shuffles)]


PROPERTIES = (
    Property(
        "process_group",
        process_group,
        grouped,
        promised=lambda contract: contract.process_group,
        grid=group_cases,
        beyond=None,
    ),
)
