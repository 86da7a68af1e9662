"""The two programs that are trained: their models and their training and validation data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import torch
from torch import nn
from torch.utils.data import TensorDataset

from bench.training.corpus import CONTEXT, ByteWindows

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Samples: TypeAlias = TensorDataset | ByteWindows

SEED = 0
CLASSES = 10
HELD_OUT = 4001 + CONTEXT  # bytes at the end of the corpus; an odd number of samples, so that 2 ranks pad


@dataclass(frozen=True, slots=True)
class Workload:
    """A model, and its training and validation data made from the corpus file."""

    model: Callable[[], nn.Module]
    datasets: Callable[[Path], tuple[Samples, Samples]]


def tabular_model() -> nn.Module:
    """Return the seed document's model: two linear layers with nothing between them."""
    return nn.Sequential(nn.Linear(10, 20), nn.Linear(20, CLASSES))


def tabular_datasets(_corpus: Path) -> tuple[TensorDataset, TensorDataset]:
    """Return 1000 training and 200 validation samples of random numbers, the same on every rank."""
    generator = torch.Generator().manual_seed(SEED)

    def rows(length: int) -> TensorDataset:
        inputs = torch.randn(length, 10, generator=generator)
        return TensorDataset(inputs, torch.randint(CLASSES, (length,), generator=generator))

    return rows(1000), rows(200)


def byte_model() -> nn.Module:
    """Return a language model of 300 thousand parameters that reads a context and predicts one byte."""
    return nn.Sequential(
        nn.Embedding(256, 32),  # (batch, CONTEXT, 32)
        nn.Flatten(),  # (batch, CONTEXT * 32)
        nn.Linear(CONTEXT * 32, 128),  # (batch, 128)
        nn.ReLU(),
        nn.Linear(128, 256),  # (batch, 256)
    )


def byte_datasets(corpus: Path) -> tuple[ByteWindows, ByteWindows]:
    """Return every offset of the corpus but its end for training, and the end for validation."""
    return ByteWindows(corpus, stop=-HELD_OUT), ByteWindows(corpus, start=-HELD_OUT)


WORKLOADS: dict[str, Workload] = {
    "tabular": Workload(tabular_model, tabular_datasets),
    "bytes": Workload(byte_model, byte_datasets),
}
