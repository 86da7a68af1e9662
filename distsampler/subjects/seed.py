"""The sampler that this project grew out of, written anew with its faults, as a subject of the harness."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import torch
import torch.distributed as dist
from torch.utils.data import Sampler

from distsampler.conformance.case import Case
from distsampler.conformance.subject import Contract, Known, Subject
from distsampler.subjects import pins

if TYPE_CHECKING:
    from collections.abc import Iterator, Sized

    from distsampler.conformance.case import LengthOnly


class SeedSampler(Sampler[int]):
    """Splits a dataset over ranks, padded with `make_even`; wrong in the ways that are pinned below."""

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        make_even: bool = True,
    ) -> None:
        if num_replicas is None:
            self._require_distributed()
            num_replicas = dist.get_world_size()
        if rank is None:
            self._require_distributed()
            rank = dist.get_rank()
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.shuffle, self.make_even = shuffle, make_even
        self.epoch = 0
        self.num_samples = math.ceil(len(dataset) / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.valid_length = len(self._mine(list(range(len(dataset)))))

    def __iter__(self) -> Iterator[int]:
        """Build the whole order, pad it, and yield this rank's part."""
        order = self._order()
        missing = self.total_size - len(order)
        if self.make_even and missing > 0:
            if missing < len(order):
                order += order[:missing]
            else:
                order += [order[at] for at in np.random.randint(0, len(order), missing)]  # noqa: NPY002
        mine = self._mine(order)
        self.num_samples = len(mine)
        return iter(mine)

    def __len__(self) -> int:
        """Return what was last known of the number of indices."""
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Use `epoch` as the seed of the next pass."""
        self.epoch = epoch

    def _order(self) -> list[int]:
        if not self.shuffle:
            return list(range(len(self.dataset)))
        generator = torch.Generator()
        generator.manual_seed(self.epoch)
        order: list[int] = torch.randperm(len(self.dataset), generator=generator).tolist()
        return order

    def _mine(self, order: list[int]) -> list[int]:
        return order[self.rank : self.total_size : self.num_replicas]

    @staticmethod
    def _require_distributed() -> None:
        if not dist.is_available():
            raise RuntimeError("torch.distributed is not available")


def _make(dataset: LengthOnly, case: Case, rank: int) -> SeedSampler:
    return SeedSampler(dataset, case.num_replicas, rank, case.shuffle, case.remainder == "pad")


def _pads_at_random(case: Case) -> bool:
    missing = -case.length % case.num_replicas
    return case.remainder == "pad" and missing >= case.length > 0 and missing > 0


_RANDOM_PADDING = (
    "once as many indices are missing as there are samples, padding comes from numpy's global generator, "
    "which every process seeds for itself"
)

_CONTRACT = Contract(remainders=("pad", "uneven"), seed=False)

SEED_SAMPLER = Subject(
    "seed-sampler",
    _make,
    _CONTRACT,
    known=(
        *pins.everywhere(
            _CONTRACT,
            dataset_growth=pins.FIXED_LENGTH,
            argument_types=pins.ANY_NUMBER,
            memory=pins.A_LIST,
            latency=pins.A_LIST,
        ),
        Known("rng_isolation", Case(2, 8), _pads_at_random, _RANDOM_PADDING),
        Known("determinism", Case(2, 8), _pads_at_random, _RANDOM_PADDING),
        Known("minimal_padding", Case(2, 8), _pads_at_random, _RANDOM_PADDING),
        Known(
            "length",
            Case(1, 2, shuffle=False, remainder="uneven"),
            lambda case: case.remainder == "uneven" and case.length % case.num_replicas > 0,
            "with make_even=False, len() counts padding that is never drawn until the first pass corrects it",
        ),
        Known(
            "argument_validation",
            Case(10, 4, shuffle=False),
            lambda _: True,
            "rank and num_replicas are used unchecked",
        ),
        Known("rng_isolation", Case(2, 8), _pads_at_random, _RANDOM_PADDING),
        Known("argument_types", Case(10, 4), lambda _: True, "takes True for 1"),
        Known(
            "dataset_growth",
            Case(10, 1, shuffle=False),
            lambda _: True,
            "keeps the number of samples that the dataset had at construction",
        ),
        Known("memory", Case(1_000_000, 1), lambda _: True, "makes a list of all samples on every rank"),
        Known(
            "latency",
            Case(1_000_000, 1),
            lambda _: True,
            "makes a list of all samples before the first index",
        ),
    ),
    package="distsampler",
)
