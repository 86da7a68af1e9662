"""Position -> index: the order in which an epoch goes through the dataset."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch

Indices = npt.NDArray[np.int64]


def torch_order(length: int, seed: int) -> Indices:
    """Return torch's own shuffled order of `[0, length)`, shape (length,), int64.

    The same as `torch.utils.data.DistributedSampler` draws with `seed + epoch` for `seed`.
    """
    generator = torch.Generator()
    generator.manual_seed(seed)
    order: Indices = torch.randperm(length, generator=generator).numpy()
    return order
