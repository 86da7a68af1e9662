"""A state that does not fit where it is loaded is refused, or nothing is lost: other replicas, other data."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from distsampler.conformance import cases
from distsampler.conformance.catalogue.partition import counts
from distsampler.conformance.property import Property
from distsampler.conformance.relocation import relocations
from distsampler.conformance.violation import Violation, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.relocation import Relocation
    from distsampler.conformance.subject import Contract, Subject


def other_replicas(subject: Subject, case: Case) -> tuple[Relocation, ...]:
    """Load the states of `case` under other numbers of replicas: 1, one less, one more, twice as many."""
    counts = {1, case.num_replicas - 1, case.num_replicas + 1, 2 * case.num_replicas} - {0, case.num_replicas}
    return tuple(
        relocation
        for count in sorted(counts)
        for relocation in relocations(subject, case, dataclasses.replace(case, num_replicas=count))
    )


def other_data(subject: Subject, case: Case) -> tuple[Relocation, ...]:
    """Load states of a longer dataset, a shorter one, another seed and another shuffle flag into `case`."""
    others = [
        dataclasses.replace(case, length=2 * case.length + 1),
        dataclasses.replace(case, length=case.length // 2),
    ]
    if subject.contract.seed and case.shuffle:
        others.append(dataclasses.replace(case, seed=case.seed + 7))
    others.append(dataclasses.replace(case, shuffle=not case.shuffle))
    return tuple(
        relocation
        for other in others
        if subject.contract.offers(other)
        for relocation in relocations(subject, other, case)
    )


def elastic_resume(moved: tuple[Relocation, ...]) -> Iterator[Violation]:
    """Under another number of replicas, a state is refused by all ranks, or nothing is lost or repeated."""
    for relocation in moved:
        if not relocation.refused:
            yield from _errors(relocation) or (
                *_losses(relocation),
                *_repeats(relocation),
                *_unequal_lengths(relocation),
                *_later_epochs(relocation),
            )


def resume_mismatch(moved: tuple[Relocation, ...]) -> Iterator[Violation]:
    """With another dataset length, seed or shuffle flag, a state is refused, or nothing is lost."""
    for relocation in moved:
        if not relocation.refused:
            yield from _errors(relocation) or _losses(relocation)


def _errors(moved: Relocation) -> list[Violation]:
    """Return what is wrong about the first error, an accident or one that other ranks don't raise."""
    for rank, landed in enumerate(moved.ranks):
        if landed.error:
            wrong = "refuses alone" if landed.refuses else "fails by accident"
            return [
                Violation(
                    f"{moved}: rank {rank} {wrong} with {landed.error}; "
                    "expected all ranks to go on, or all to refuse with a ValueError that says why",
                    moved.epoch,
                    rank,
                    landed.error,
                )
            ]
    return []


def _losses(moved: Relocation) -> Iterator[Violation]:
    """Yield what was not delivered before and is not drawn after, but for what `drop` leaves out."""
    case, drawn = moved.loaded, counts(moved.draws)
    lost = sorted(moved.left - drawn.keys())
    allowed = 0
    if case.remainder == "drop":
        tail = moved.saved.length % moved.saved.num_replicas if moved.over else 0
        allowed = max(len(moved.left) % case.num_replicas, case.length % case.num_replicas, tail)
    if len(lost) > allowed:
        yield Violation(
            f"{moved}: no rank draws {listed(lost)}, expected at most {allowed} of the {len(moved.left)} "
            "samples that are left to be left out",
            moved.epoch,
            got=lost,
            expected=allowed,
        )


def _repeats(moved: Relocation) -> Iterator[Violation]:
    """Yield what is drawn again, but for what pads the new split."""
    drawn = counts(moved.draws)
    repeats = drawn.total() - len(moved.left & drawn.keys())
    allowed = -len(moved.left) % moved.loaded.num_replicas if moved.loaded.remainder == "pad" else 0
    if repeats > allowed:
        again = sorted(index for index in drawn if index not in moved.left or drawn[index] > 1)
        yield Violation(
            f"{moved}: {repeats} draws repeat samples such as {listed(again)}, expected at most {allowed} "
            f"since {len(moved.left)} samples are left",
            moved.epoch,
            got=repeats,
            expected=allowed,
        )


def _unequal_lengths(moved: Relocation) -> Iterator[Violation]:
    """Yield where ranks draw different numbers of indices, by more than one with `uneven`."""
    lengths = [len(draws.indices) for draws in moved.draws]
    allowed = 1 if moved.loaded.remainder == "uneven" else 0
    if max(lengths) - min(lengths) > allowed:
        sentence = f"ranks draw {listed(lengths)} indices, expected a difference of at most {allowed}"
        yield Violation(f"{moved}: {sentence}", moved.epoch, got=lengths, expected=allowed)


def _later_epochs(moved: Relocation) -> Iterator[Violation]:
    """Yield where the next epoch is not what it is without a load."""
    epoch = moved.epoch + 1
    for rank, (landed, expected) in enumerate(zip(moved.ranks, moved.later, strict=True)):
        if landed.later.error or landed.later.indices != expected.indices:
            yield Violation(
                f"{moved}: in epoch {epoch}, rank {rank} draws {listed(landed.later.indices)} "
                f"{landed.later.error}, expected {listed(expected.indices)}",
                epoch,
                rank,
                landed.later.indices,
                expected.indices,
            )


def elastic_cases(contract: Contract) -> list[Case]:
    """Return small cases from fewer samples than ranks to several rounds, cut in epoch 0 or 1."""
    small = cases.small_cases(contract, (1, 2, 3, 5, 9), (1, 2, 3, 5))
    return [dataclasses.replace(case, epochs=epochs) for case in small for epochs in ((0,), (0, 1))]


def other_data_cases(contract: Contract) -> list[Case]:
    """Return fewer of them, because each is loaded with the states of several others."""
    return cases.small_cases(contract, (1, 3, 8, 13), (1, 2, 4))


def _resumes(contract: Contract) -> bool:
    return contract.resume


PROPERTIES = (
    Property("elastic_resume", elastic_resume, other_replicas, _resumes, grid=elastic_cases, beyond=None),
    Property("resume_mismatch", resume_mismatch, other_data, _resumes, grid=other_data_cases, beyond=None),
)
