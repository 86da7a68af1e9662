"""What stays as it is when the world around a sampler changes: the number of replicas, the dataset."""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from distsampler.conformance import cases
from distsampler.conformance.case import LengthOnly
from distsampler.conformance.catalogue import bounds, indices, partition
from distsampler.conformance.process_state import be_process, restored
from distsampler.conformance.property import Property
from distsampler.conformance.trace import Draws, Trace, describe, draw_epoch, limit, record
from distsampler.conformance.violation import Violation, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Contract, Subject

REPLICAS = (1, 2, 3, 4, 6, 8)
GLOBAL_BATCH = 96
MEANT_ERRORS = ("ValueError:", "TypeError:", "RuntimeError:", "AssertionError")


@dataclass(frozen=True, slots=True)
class Resized:
    """What all ranks draw from a dataset that had `before` samples when they were constructed."""

    before: int
    trace: Trace


def on_replicas(subject: Subject, case: Case) -> tuple[Trace, ...]:
    """Draw the same epochs with several numbers of replicas."""
    return tuple(record(subject, dataclasses.replace(case, num_replicas=count)) for count in REPLICAS)


def four_batches(contract: Contract) -> list[Case]:
    """Return cases with four global batches, which every number of replicas divides."""
    return cases.small_cases(contract, (4 * GLOBAL_BATCH,), (REPLICAS[-1],))


def replica_invariance(traces: tuple[Trace, ...]) -> Iterator[Violation]:
    """The global batch at a step holds the same samples on any number of replicas."""
    first, *others = traces
    for trace in others:
        for (epoch, alone), (_, ranks) in zip(first.by_epoch(), trace.by_epoch(), strict=True):
            for step, (batch, expected) in enumerate(zip(_batches(ranks), _batches(alone), strict=False)):
                if batch != expected:
                    yield Violation(
                        f"epoch {epoch}, step {step}: {trace.case.num_replicas} replicas with a global batch "
                        f"of {GLOBAL_BATCH} draw {listed(sorted(batch - expected))}, expected the "
                        "same samples as with one replica",
                        epoch,
                        got=sorted(batch),
                        expected=sorted(expected),
                    )
                    return


def _batches(ranks: tuple[Draws, ...]) -> Iterator[set[Any]]:
    share = GLOBAL_BATCH // len(ranks)
    for start in range(0, min(len(draws.indices) for draws in ranks), share):
        yield {index for draws in ranks for index in draws.indices[start : start + share]}


def resized(subject: Subject, case: Case) -> tuple[Resized, ...]:
    """Let the dataset grow fourfold, then in other samplers shrink to half, after a first pass."""
    lengths = (4 * case.length, case.length // 2)
    with restored():
        return tuple(Resized(case.length, _resized(subject, case, length)) for length in lengths)


def _resized(subject: Subject, case: Case, length: int) -> Trace:
    after = dataclasses.replace(case, length=length, epochs=case.epochs[-1:])
    ranks = tuple(_drawn_after(subject, case, rank, after) for rank in range(case.num_replicas))
    return Trace(after, (ranks,))


def _drawn_after(subject: Subject, case: Case, rank: int, after: Case) -> Draws:
    """Return what a rank draws once its dataset has another length."""
    be_process(rank)
    dataset = LengthOnly(case.length)
    try:
        sampler = subject.make(dataset, case, rank)
    except Exception as error:  # noqa: BLE001  (recorded)
        return Draws((), error=describe(error))
    draw_epoch(subject, sampler, case.epochs[0], limit(case))
    dataset.length = after.length
    return draw_epoch(subject, sampler, after.epochs[0], limit(after))


def dataset_growth(runs: tuple[Resized, ...]) -> Iterator[Violation]:
    """When the dataset's length changes after construction, the sampler follows or refuses on every rank."""
    for run in runs:
        (ranks,) = run.trace.draws
        if all(draws.error.startswith(MEANT_ERRORS) for draws in ranks):
            continue
        follows = (indices.no_crash, bounds.bounds, partition.coverage, partition.minimal_padding)
        for violation in itertools.islice((wrong for judge in follows for wrong in judge(run.trace)), 1):
            change = f"{run.before} samples at construction, {run.trace.case.length} now"
            yield dataclasses.replace(violation, sentence=f"{change}: {violation.sentence}")


PROPERTIES = (
    Property(
        "replica_invariance",
        replica_invariance,
        observe=on_replicas,
        promised=lambda contract: contract.covers,
        grid=four_batches,
        beyond=None,
        tier="quality",
    ),
    Property(
        "dataset_growth",
        dataset_growth,
        observe=resized,
        promised=lambda contract: contract.covers,
        grid=cases.ten_samples,
        beyond=None,
        tier="quality",
    ),
)
