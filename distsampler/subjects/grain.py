"""How Grain splits records over shards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins, when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import LengthOnly


def _sampler(dataset: LengthOnly, case: Case, rank: int) -> Any:
    from grain.python import IndexSampler, ShardOptions

    shard = ShardOptions(rank, case.num_replicas, drop_remainder=case.remainder == "drop")
    return IndexSampler(len(dataset), shard, case.shuffle, num_epochs=1, seed=case.seed)


def _make_loader(dataset: LengthOnly, case: Case, rank: int) -> Any:
    from grain.python import DataLoader

    return DataLoader(data_source=range(len(dataset)), sampler=_sampler(dataset, case, rank))


class _Slice:
    """Every `num_replicas`-th record of a dataset that Grain shuffles anew for every epoch of its indices."""

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        from grain.python import MapDataset

        records = MapDataset.range(len(dataset))
        if case.shuffle:
            records = records.shuffle(seed=case.seed)
        self.records = records[rank :: case.num_replicas]
        self.epoch = 0

    def __iter__(self) -> Iterator[int]:
        first = self.epoch * len(self.records)
        return (self.records[first + place] for place in range(len(self.records)))

    def __len__(self) -> int:
        return len(self.records)

    def set_epoch(self, epoch: int) -> None:
        self.epoch = epoch


def _beyond_32_bits(case: Case) -> bool:
    return case.shuffle and case.seed >= 2**32


_CIPHER = "the cipher behind index_shuffle has too few rounds: neighbours are correlated"
_32_BITS = "a seed of more than 32 bits is refused"

_LOADER = Contract(remainders=("drop", "uneven"), epochs=False, length=False, process_group=False)

DATA_LOADER = Subject(
    "grain.DataLoader",
    _make_loader,
    _LOADER,
    known=(
        *pins.everywhere(
            _LOADER,
            replica_invariance=pins.SPLIT_FIRST,
            dataset_growth=pins.FIXED_LENGTH,
            argument_types=pins.ANY_NUMBER,
        ),
        Known(
            "picklable",
            Case(1, 1, shuffle=False, remainder="drop"),
            when.always,
            "the loader holds functions that can't be pickled",
        ),
        Known("no_crash", Case(1, 1, seed=2**32, remainder="drop"), _beyond_32_bits, _32_BITS),
        Known("uniformity", Case(66_001, 1, remainder="drop", epochs=(0,)), when.always, _CIPHER),
        Known(
            "coverage",
            Case(10, 4, shuffle=False, remainder="uneven"),
            lambda case: case.remainder == "uneven" and when.left_over(case),
            "drop_remainder=False, the default, cuts every shard to length // num_replicas all the same",
        ),
        Known(
            "no_crash",
            Case(0, 1, shuffle=False, remainder="drop"),
            when.empty,
            "a dataset without records is refused on every rank",
        ),
    ),
    package="grain",
    url="https://google-grain.readthedocs.io/en/latest/data_loader/samplers.html",
    slow=8,
)

_SLICES = Contract(remainders=("uneven",), process_group=False)

MAP_DATASET = Subject(
    "grain.MapDataset",
    _Slice,
    _SLICES,
    known=(
        *pins.everywhere(
            _SLICES,
            seed_epoch_aliasing=pins.ADDS_SEED_AND_EPOCH,
            dataset_growth=pins.FIXED_LENGTH,
            argument_types=pins.ANY_NUMBER,
            argument_validation=pins.UNCHECKED,
        ),
        Known("no_crash", Case(1, 1, seed=2**32, remainder="uneven"), _beyond_32_bits, _32_BITS),
        Known(
            "uniformity",
            Case(66_001, 1, remainder="uneven", epochs=(0,)),
            when.always,
            _CIPHER,
        ),
    ),
    package="grain",
    url="https://google-grain.readthedocs.io/en/latest/tutorials/dataset_basic_tutorial.html",
    slow=8,
)
