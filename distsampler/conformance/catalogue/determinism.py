"""The same arguments give the same indices: again, from a fresh sampler, from a copy, in another process."""

from __future__ import annotations

import itertools
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from distsampler.conformance import cases
from distsampler.conformance.case import LengthOnly
from distsampler.conformance.comparison import Comparison, compared, differences, in_turn
from distsampler.conformance.interpreter import call_in_fresh_interpreter
from distsampler.conformance.process_state import be_process, restored
from distsampler.conformance.property import Property
from distsampler.conformance.subject import Subject
from distsampler.conformance.trace import Draws, Trace, begin, describe, draw, draw_epoch, limit, make, record

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Contract
    from distsampler.conformance.violation import Violation


@dataclass(frozen=True, slots=True)
class Repeated:
    """What is drawn again, and what pickled copies of samplers draw, beside what each has to be."""

    again: tuple[Comparison, ...]
    copies: tuple[Comparison, ...]


@dataclass(frozen=True, slots=True)
class Original:
    """A sampler that was pickled in the middle of a pass, or why it could not be, and what it drew next."""

    rank: int
    pickled: bytes
    error: str
    draws: tuple[Draws, Draws]


def repeated(subject: Subject, case: Case) -> Repeated:
    """Draw every epoch again, in other random states, and from copies of samplers that are at work.

    A fresh interpreter takes a second or two to start, so only one case is drawn in one, too.
    """
    first = record(subject, case)
    with restored():
        again = [same for rank in range(case.num_replicas) for same in _again(subject, first, rank)]
        originals = [one for rank in range(case.num_replicas) for one in _originals(subject, case, rank)]
        copies = [same for original in originals for same in _copied(subject, case, original, "here")]
    if case == cases.representative(subject.contract):
        elsewhere = _elsewhere(subject, first, originals)
        again += elsewhere.again
        copies += elsewhere.copies
    return Repeated(tuple(again), tuple(copies))


def sparse_and_representative(contract: Contract) -> list[Case]:
    """Return small cases around the borders, and the one that a fresh interpreter draws, too."""
    sparse = cases.sparse_cases(contract)
    return [*sparse, cases.representative(contract)] if sparse else []


def _again(subject: Subject, first: Trace, rank: int) -> Iterator[Comparison]:
    """Draw what a rank drew at `first` once more, or twice where passes are numbered."""
    be_process(1_000 + rank)
    sampler = make(subject, first.case, rank)
    situations = ["drawn by a fresh sampler in another process", "drawn again"]
    if sampler is None:
        return
    for epoch, ranks in first.by_epoch():
        for situation in situations if subject.contract.epochs else situations[:1]:
            got = draw_epoch(subject, sampler, epoch, limit(first.case))
            yield Comparison(situation, epoch, rank, got, (ranks[rank],))


def _originals(subject: Subject, case: Case, rank: int) -> Iterator[Original]:
    """Yield one rank's sampler, pickled after two draws, unless it fails before, which `no_crash` tells."""
    try:
        sampler = subject.make(LengthOnly(case.length), case, rank)
        begin(subject, sampler, case.epochs[-1])
        running = iter(sampler)
        list(itertools.islice(running, 2))
    except Exception:  # noqa: BLE001  (no_crash tells)
        return
    try:
        pickled, error = pickle.dumps(sampler), ""
    except Exception as raised:  # noqa: BLE001  (recorded)
        pickled, error = b"", describe(raised)
    yield Original(rank, pickled, error, _go_on(subject, case, rank, sampler))


def _go_on(subject: Subject, case: Case, rank: int, sampler: Any) -> tuple[Draws, Draws]:
    """Break the pass off that `sampler` is in; draw one as things are, then the first epoch."""
    be_process(2_000 + rank)
    most = limit(case)
    return draw(sampler, most), draw_epoch(subject, sampler, case.epochs[0], most)


def _copied(subject: Subject, case: Case, original: Original, where: str) -> list[Comparison]:
    """Return what a copy of a sampler draws beside what the original drew."""
    try:
        got = _go_on(subject, case, original.rank, pickle.loads(original.pickled))  # noqa: S301  (our own)
    except Exception as error:  # noqa: BLE001  (recorded)
        failed = Draws((), error=original.error or describe(error))
        got = failed, failed
    epochs = (case.epochs[-1], case.epochs[0])
    situation = f"drawn {where} by a pickled copy that was taken in the middle of a pass"
    return in_turn(situation, original.rank, epochs, got, original.draws)


def _elsewhere(subject: Subject, first: Trace, originals: Sequence[Original]) -> Repeated:
    """Return what a fresh interpreter draws, or nothing where the subject can't be carried there."""
    try:
        carried = pickle.dumps(subject.make)
    except (pickle.PicklingError, AttributeError, TypeError):
        return Repeated((), ())
    copyable = [original for original in originals if original.pickled]
    try:
        trace, copies = call_in_fresh_interpreter(
            draw_elsewhere, carried, subject.contract, first.case, copyable
        )
    except ChildProcessError as error:
        failed = Draws((), error=describe(error))
        trace = Trace(first.case, tuple((failed,) * len(ranks) for ranks in first.draws))
        copies = ()
    again = compared("drawn by an interpreter with other hashes", trace, first) if trace else ()
    return Repeated(tuple(again), copies)


def draw_elsewhere(
    carried: bytes, contract: Contract, case: Case, originals: Sequence[Original]
) -> tuple[Trace | None, tuple[Comparison, ...]]:
    """Draw a case and go on with copies, here in another interpreter; None where `make` is unknown here."""
    try:
        subject = Subject("carried", pickle.loads(carried), contract)  # noqa: S301  (our own)
    except (ImportError, AttributeError):
        return None, ()
    trace = record(subject, case)  # first, because it loads what the copies are made of
    return trace, tuple(
        same for original in originals for same in _copied(subject, case, original, "in another process")
    )


def determinism(drawn: Repeated) -> Iterator[Violation]:
    """The same arguments and epoch give the same indices: again, and from a fresh sampler elsewhere."""
    return differences(drawn.again)


def picklable(drawn: Repeated) -> Iterator[Violation]:
    """A pickled copy of a sampler, here or in another process, goes on as the original does."""
    return differences(drawn.copies)


PROPERTIES = (
    Property("determinism", determinism, observe=repeated, grid=sparse_and_representative),
    Property("picklable", picklable, observe=repeated, grid=sparse_and_representative),
)
