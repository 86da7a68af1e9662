"""Lhotse's samplers of speech cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import LengthOnly


class _Named:
    """As many cuts of speech as there are samples, made where they are read, each named by its index."""

    def __init__(self, length: int) -> None:
        self.length = length

    def __iter__(self) -> Iterator[Any]:
        from lhotse.testing.dummies import dummy_cut

        return map(dummy_cut, range(self.length))

    def __len__(self) -> int:
        return self.length


class _Cuts:
    """A cut sampler with one cut a batch, whose cuts are named by their index."""

    def __init__(self, sampler: Any) -> None:
        self.sampler = sampler

    def __iter__(self) -> Iterator[int]:
        for batch in self.sampler:
            for cut in batch:
                # A cut that pads is a copy: dummy-mono-cut-0008_dup0.
                yield int(cut.id.partition("_")[0].rpartition("-")[2])

    def set_epoch(self, epoch: int) -> None:
        self.sampler.set_epoch(epoch)

    def state_dict(self) -> dict[str, Any]:
        state: dict[str, Any] = self.sampler.state_dict()
        return state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.sampler.load_state_dict(state)


def _make(dataset: LengthOnly, case: Case, rank: int) -> _Cuts:
    from lhotse import CutSet
    from lhotse.dataset.sampling import DynamicCutSampler

    return _Cuts(
        DynamicCutSampler(
            CutSet(_Named(len(dataset))),
            max_cuts=1,
            shuffle=case.shuffle,
            drop_last=case.remainder == "drop",
            world_size=case.num_replicas,
            rank=rank,
            seed=case.seed,
        )
    )


_URL = "https://lhotse.readthedocs.io/en/latest/datasets.html#batch-sampling"

_BUFFER = pins.Reason("cuts are shuffled in a buffer, from which some are drawn while it fills")

_CONTRACT = Contract(length=False, resume=True)

DYNAMIC_CUT_SAMPLER = Subject(
    "lhotse.DynamicCutSampler",
    _make,
    _CONTRACT,
    known=(
        Known("fairness", Case(10, 4, epochs=(0, 1, 2)), when.left_over, _BUFFER.text),
        *pins.everywhere(
            _CONTRACT,
            seed_epoch_aliasing=pins.ADDS_SEED_AND_EPOCH,
            argument_types=pins.ANY_NUMBER,
            dataset_growth=pins.Reason("the cuts are taken at construction"),
            picklable=pins.Reason(
                "the iterator that is under way is a part of the sampler and can't be pickled"
            ),
            uniformity=_BUFFER,
            memory=_BUFFER,
        ),
        Known(
            "minimal_padding",
            Case(4, 3, shuffle=False),
            when.padded,
            "what is left for the last step is given to the ranks again and again, and nothing else",
            "https://github.com/lhotse-speech/lhotse/pull/1277",
        ),
        Known(
            "argument_validation",
            Case(10, 4, shuffle=False),
            when.always,
            "None is taken for a single process if there is no process group",
        ),
        Known(
            "iterator_independence",
            Case(2, 1, shuffle=False),
            when.always,
            "the sampler is its own iterator, so that two passes are one",
        ),
        Known("resume_iterators", Case(13, 2, epochs=(0,)), when.always, "the sampler is its own iterator"),
        Known(
            "resume_serialization",
            Case(13, 2, epochs=(0,)),
            when.always,
            "statistics by epoch have numbers for keys, which JSON turns into text",
        ),
        Known(
            "resume_mismatch",
            Case(13, 2, shuffle=False),
            when.always,
            "so many batches are skipped as the state has counted, of whatever cuts they are now",
        ),
    ),
    package="lhotse",
    url=_URL,
    slow=8,
)
