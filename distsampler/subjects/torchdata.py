"""The samplers and the loader of torchdata."""

from __future__ import annotations

import dataclasses
from functools import partial
from typing import TYPE_CHECKING, Any

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, when
from distsampler.subjects.batches import Flattened

if TYPE_CHECKING:
    from distsampler.conformance.case import LengthOnly


def _make_sampler(dataset: LengthOnly, case: Case, rank: int) -> Any:
    from torchdata.stateful_dataloader.sampler import StatefulDistributedSampler

    return StatefulDistributedSampler(
        dataset, case.num_replicas, rank, case.shuffle, case.seed, case.remainder == "drop"
    )


class _Loader(Flattened):
    """A loader of batches of one, whose samples are indices."""

    def state_dict(self) -> dict[str, Any]:
        """Return the loader's state."""
        state: dict[str, Any] = self.batches.state_dict()
        return state

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Load a state into the loader."""
        self.batches.load_state_dict(state)


def _make_loader(dataset: LengthOnly, case: Case, rank: int, *, workers: int) -> _Loader:
    from torchdata.stateful_dataloader import StatefulDataLoader

    sampler = _make_sampler(dataset, case, rank)
    loader = StatefulDataLoader(dataset, 1, sampler=sampler, collate_fn=list, num_workers=workers)
    return _Loader(loader, sampler)


_CONTRACT = Contract(resume=True)

_NO_EPOCH = "the state has no epoch in it"
_NO_EPOCH_URL = "https://github.com/meta-pytorch/data/issues/1513"
_AT_END = "a state from the end of an epoch makes the next pass an empty one"
_AT_END_URL = "https://github.com/meta-pytorch/data/issues/1437"
_UNCHECKED = "a state holds how many indices were drawn and nothing to check it by"
_RESUME = (
    Known("resume_epoch", Case(13, 2, epochs=(0, 1)), when.always, _NO_EPOCH, _NO_EPOCH_URL),
    Known("resume_length", Case(13, 2, epochs=(0,)), when.always, "len() leaves out that a pass was resumed"),
    Known("elastic_resume", Case(9, 2, epochs=(0,)), when.always, _UNCHECKED),
    Known("resume_mismatch", Case(13, 2), when.always, _UNCHECKED),
)
_RESUME_IN_PROCESS = (
    *_RESUME,
    Known("resume_between", Case(13, 2, epochs=(0,)), when.always, _AT_END, _AT_END_URL),
    Known(
        "resume_round_trip",
        Case(13, 2, epochs=(0,)),
        when.always,
        "a state that is loaded is forgotten when it is saved before the next pass has begun",
        _AT_END_URL,
    ),
    Known(
        "resume_iterators",
        Case(13, 2, epochs=(0,)),
        when.always,
        "all iterators of a sampler count into the same state",
    ),
)
_LOADER = (
    *pins.of_torchs(_CONTRACT),
    *pins.everywhere(
        _CONTRACT,
        picklable=pins.Reason("an iterator that is under way can't be pickled, and the loader holds it"),
        rng_isolation=pins.Reason("every pass draws a base seed from torch's global generator"),
        laziness=pins.Reason("a loader reads the samples that it delivers, by design"),
    ),
)

STATEFUL_DISTRIBUTED_SAMPLER = Subject(
    "torchdata.StatefulDistributedSampler",
    _make_sampler,
    _CONTRACT,
    known=(*pins.of_torchs(_CONTRACT), *_RESUME_IN_PROCESS),
    package="torchdata",
    url="https://github.com/meta-pytorch/data/blob/v0.11.0/torchdata/stateful_dataloader/sampler.py",
)

STATEFUL_DATA_LOADER = Subject(
    "torchdata.StatefulDataLoader",
    partial(_make_loader, workers=0),
    _CONTRACT,
    known=(*_LOADER, *_RESUME_IN_PROCESS),
    package="torchdata",
    url="https://docs.pytorch.org/data/0.11/torchdata.stateful_dataloader.html",
    slow=8,
)

STATEFUL_DATA_LOADER_WITH_WORKERS = dataclasses.replace(
    STATEFUL_DATA_LOADER,
    name="torchdata.StatefulDataLoader(num_workers=2)",
    make=partial(_make_loader, workers=2),
    known=(*_LOADER, *_RESUME),
    slow=100,  # each pass starts two processes
)
