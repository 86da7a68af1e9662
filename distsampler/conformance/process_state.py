"""The random state that differs from process to process: torch's, numpy's and Python's global generators."""

from __future__ import annotations

import contextlib
import random
import warnings
from typing import TYPE_CHECKING, Any

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


def disturb() -> None:
    """Draw from every global generator, as augmentations and dropout do between two indices."""
    random.random()  # noqa: S311
    np.random.random_sample()  # noqa: NPY002
    torch.rand(1)


def generator_states() -> dict[str, Any]:
    """Return the state of every global generator, by the name of its library."""
    algorithm, key, position, *gauss = np.random.get_state(legacy=True)  # noqa: NPY002
    return {
        "random": random.getstate(),
        "numpy": (algorithm, position, *gauss, np.asarray(key).tobytes()),
        "torch": torch.get_rng_state().numpy().tobytes(),
    }
