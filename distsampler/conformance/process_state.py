"""The random state that differs from process to process: torch's, numpy's and Python's global generators."""

from __future__ import annotations

import contextlib
import random
import warnings
from typing import TYPE_CHECKING

import numpy as np
import torch

if TYPE_CHECKING:
    from collections.abc import Iterator


def be_process(number: int) -> None:
    """Seed the global generators as an unrelated process number `number` might have them."""
    random.seed(7_919 * number + 1)
    np.random.seed((104_729 * number + 2) % 2**32)  # noqa: NPY002  (the global generator is the point)
    torch.default_generator.manual_seed(1_299_709 * number + 3)


@contextlib.contextmanager
def restored() -> Iterator[None]:
    """Put the global generators back as they were, and keep the subject's warnings to itself."""
    ours, theirs, torchs = random.getstate(), np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        random.setstate(ours)
        np.random.set_state(theirs)  # noqa: NPY002
        torch.set_rng_state(torchs)
