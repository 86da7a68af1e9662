"""What it takes until a sampler yields its first index: CPU time and memory."""

from __future__ import annotations

import dataclasses
import gc
import time
import tracemalloc
from typing import TYPE_CHECKING, Any

import torch

from distsampler.conformance.case import LengthOnly
from distsampler.conformance.trace import begin

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.conformance.case import Case
    from distsampler.conformance.subject import Subject

ATTEMPTS = 3
# How many times as long is too long: any time, and a time that is longer by more CPU seconds than chance.
CONSTANT_RATIO, CLEAR_RATIO, CLEAR_SECONDS = 5.0, 3.0, 0.02


def first_index(subject: Subject, case: Case) -> Iterator[Any]:
    """Make the sampler of rank 0 and draw one index; return the pass, which holds on to what it needs."""
    sampler = subject.make(LengthOnly(case.length), case, 0)
    begin(subject, sampler, case.epochs[0])
    running: Iterator[Any] = iter(sampler)
    next(running)
    return running


def starts_in_constant_time(subject: Subject, case: Case, shortest: int, *lengths: int) -> bool:
    """Say whether the first index takes about as long at all of `lengths` as at `shortest`."""
    least = min(_cpu_seconds(subject, case, shortest) for _ in range(ATTEMPTS))
    most = min(CONSTANT_RATIO * least, max(CLEAR_RATIO * least, least + CLEAR_SECONDS))
    return all(
        any(_cpu_seconds(subject, case, length) <= most for _ in range(ATTEMPTS)) for length in lengths
    )


def _cpu_seconds(subject: Subject, case: Case, length: int) -> float:
    start = time.process_time()
    first_index(subject, dataclasses.replace(case, length=length))
    return time.process_time() - start


def peak_bytes(subject: Subject, case: Case, length: int) -> int:
    """Return how many bytes Python, numpy and torch hold at most until the first index."""
    was_tracing = tracemalloc.is_tracing()
    tracemalloc.start()
    try:
        gc.collect()
        tensors = _tensor_bytes()
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        running = first_index(subject, dataclasses.replace(case, length=length))
        _, peak = tracemalloc.get_traced_memory()
        tensors = _tensor_bytes() - tensors
        del running
    finally:
        if not was_tracing:
            tracemalloc.stop()
    return peak - before + tensors


def _tensor_bytes() -> int:
    """Return how many bytes all tensors hold, which tracemalloc does not see."""
    storages = [
        thing.untyped_storage() for thing in gc.get_objects() if issubclass(type(thing), torch.Tensor)
    ]
    return sum({storage.data_ptr(): storage.nbytes() for storage in storages}.values())
