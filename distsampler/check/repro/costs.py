"""Endings of scripts about what a sampler costs, and what it makes of its dataset and its arguments."""

from __future__ import annotations

import gc
import itertools
import time
import tracemalloc
from collections import Counter
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from distsampler.check.repro.setting import AskLength, BeProcess, Ending, Make


def memory(make: Make, epochs: list[int]) -> None:
    """The memory until the first index does not grow with the dataset."""
    peaks = []
    for samples in (10_000, 110_000):
        tracemalloc.start()
        sampler = make(0, dataset=range(samples))
        sampler.set_epoch(epochs[0])
        running = iter(sampler)
        next(running)
        tensors = [each for each in gc.get_objects() if issubclass(type(each), torch.Tensor)]
        peaks.append(tracemalloc.get_traced_memory()[1] + sum(each.nbytes for each in tensors))
        tracemalloc.stop()
        del running, sampler, tensors
    growth = (peaks[1] - peaks[0]) / 100_000
    print(f"{growth:.1f} bytes for each sample more")
    assert growth < 1.5, "expected one byte at most"


def latency(make: Make, epochs: list[int]) -> None:
    """The time until the first index does not grow with the dataset."""
    least: list[float] = []
    for samples in (10_000, 1_000_000):
        seconds = []
        for _ in range(5):
            start = time.process_time()
            sampler = make(0, dataset=range(samples))
            sampler.set_epoch(epochs[0])
            next(iter(sampler))
            seconds.append(time.process_time() - start)
        least.append(min(seconds))
        print(f"first index of {samples} samples after {1000 * least[-1]:.3f} ms")
    most = min(5 * least[0], max(3 * least[0], least[0] + 0.02))
    assert least[1] <= most, f"expected about the same time, {1000 * most:.3f} ms at most"


def laziness(make: Make, epochs: list[int], length: int, num_replicas: int, most: int) -> None:
    """Neither constructing a sampler nor iterating it reads a sample of the dataset."""
    read = torch.zeros(length, dtype=torch.bool).share_memory_()  # type: ignore[no-untyped-call]

    class Dataset:
        def __len__(self) -> int:
            return length

        def __getitem__(self, index: int) -> int:
            read[index] = True
            return range(length)[index]

    for rank in range(num_replicas):
        sampler = make(rank, dataset=Dataset())
        sampler.set_epoch(epochs[0])
        list(itertools.islice(sampler, most))
        print(f"rank {rank}: {int(read.sum())} samples of the dataset are read")
        assert not read.any(), "expected none"


def dataset_growth(
    be_process: BeProcess,
    ask_length: AskLength,
    make: Make,
    epochs: list[int],
    length: int,
    num_replicas: int,
    remainder: str,
    most: int,
) -> None:
    """When the dataset's length changes, the sampler follows or refuses on every rank."""
    for now in (4 * length, length // 2):
        ranks: list[list[Any]] = []
        refusals = []
        for rank in range(num_replicas):
            be_process(rank)
            dataset = list(range(length))
            sampler = make(rank, dataset=dataset)
            sampler.set_epoch(epochs[0])
            ask_length(sampler)
            list(itertools.islice(sampler, most))
            dataset[:] = range(now)
            try:
                sampler.set_epoch(epochs[-1])
                ask_length(sampler)
                ranks.append(list(itertools.islice(sampler, 4 * most)))
                ask_length(sampler)
            except (ValueError, TypeError, RuntimeError, AssertionError) as error:
                refusals.append(error)
        print(f"{length} samples at construction, {now} now: {ranks}, refusals: {refusals}")
        assert len(refusals) in (0, num_replicas), "expected all ranks to follow, or all to refuse"
        if not refusals:
            counts = Counter(itertools.chain(*ranks))
            dropped = now % num_replicas if remainder == "drop" else 0
            padding = -now % num_replicas if remainder == "pad" else 0
            assert not counts.keys() - set(range(now)), f"indices outside [0, {now})"
            assert now - len(counts) <= dropped, f"{now - len(counts)} samples are left out"
            assert sum(counts.values()) <= now + padding, f"{sum(counts.values())} draws of {now} samples"


def argument_validation(make: Make, impossible: list[dict[str, Any]], most: int) -> None:
    """A rank or a number of replicas that cannot be is refused with an exception that was meant."""
    for arguments in impossible:
        try:
            drawn = list(itertools.islice(make(**arguments), most))
        except (ValueError, TypeError, AssertionError, RuntimeError) as error:  # noqa: PERF203
            print(f"{arguments}: {error}")
        else:
            raise AssertionError(f"{arguments} draws {drawn}, expected a ValueError or TypeError")


def argument_types(make: Make, mistaken: list[dict[str, Any]], epochs: list[int], most: int) -> None:
    """A float or a bool for a rank, a number of replicas, a seed or an epoch is refused."""
    for arguments in mistaken:
        epoch = arguments.pop("epoch", epochs[0])
        try:
            sampler = make(**{"rank": 0, **arguments})
            sampler.set_epoch(epoch)
            drawn = list(itertools.islice(sampler, most))
        except (ValueError, TypeError, AssertionError, RuntimeError) as error:
            print(f"{arguments}, epoch {epoch!r}: {error}")
        else:
            raise AssertionError(f"{arguments}, epoch {epoch!r} draws {drawn}, expected a TypeError")


ENDINGS: dict[str, Ending] = {
    "memory": memory,
    "latency": latency,
    "laziness": laziness,
    "dataset_growth": dataset_growth,
    "argument_validation": argument_validation,
    "argument_types": argument_types,
}
