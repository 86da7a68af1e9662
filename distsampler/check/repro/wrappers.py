"""Endings of scripts about what a wrapper keeps of the sampler inside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from torch.utils.data import RandomSampler, Sampler, WeightedRandomSampler

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.check.repro.setting import Ending, Wrapped


def wrapper_fidelity(
    wrapped: Wrapped, epochs: list[int], length: int, num_replicas: int, remainder: str
) -> None:
    """All ranks together draw what the wrapped sampler draws alone, and each in its order."""
    alone = np.random.default_rng(5).permutation(2 * length)[:length].tolist()

    class Inner(Sampler[int]):
        def __init__(self) -> None:
            self.length = length

        def __iter__(self) -> Iterator[int]:
            return iter(alone[: self.length])

        def __len__(self) -> int:
            return self.length

    padding = -length % num_replicas if remainder == "pad" else 0
    for ranks in wrapped(Inner, [alone] * len(epochs)):
        for indices in ranks:
            places = [alone.index(index) for index in indices]
            descents = [at for at in range(1, len(places)) if places[at] <= places[at - 1]]
            assert not descents or len(places) - descents[0] <= padding, f"expected the order of {alone}"


def wrapper_epoch(wrapped: Wrapped, epochs: list[int], length: int) -> None:
    """`set_epoch` reaches the wrapped sampler."""

    class Inner(Sampler[int]):
        epoch = 0

        def __iter__(self) -> Iterator[int]:
            return iter(range(self.epoch * length, (self.epoch + 1) * length))

        def __len__(self) -> int:
            return length

        def set_epoch(self, epoch: int) -> None:
            self.epoch = epoch

    wrapped(Inner, [list(range(epoch * length, (epoch + 1) * length)) for epoch in epochs])


def wrapper_agreement(wrapped: Wrapped, epochs: list[int], length: int) -> None:
    """All ranks share one drawing of the wrapped sampler."""
    wrapped(lambda: RandomSampler(range(length)), [list(range(length))] * len(epochs))


def wrapper_weights(
    wrapped: Wrapped, epochs: list[int], length: int, num_replicas: int, remainder: str
) -> None:
    """Samples are drawn in proportion to the weights in the whole dataset, as many as asked for."""
    heavy = set(range(0, length // 2, 2))
    weights = [100.0 if index in heavy else 1.0 for index in range(length)]
    expected = 100 * len(heavy) / sum(weights)
    whole = length // num_replicas * num_replicas
    total = {"pad": length + -length % num_replicas, "drop": whole, "uneven": length}[remainder]
    for ranks in wrapped(lambda: WeightedRandomSampler(weights, length), [[]] * len(epochs)):
        drawn = [index for indices in ranks for index in indices]
        share = sum(index in heavy for index in drawn) / max(1, len(drawn))
        print(f"{len(drawn)} draws, {share:.1%} of heavy samples")
        assert len(drawn) == total, f"expected {total} draws"
        margin = 6 * (expected * (1 - expected) / total) ** 0.5
        assert abs(share - expected) < margin, f"expected {expected:.1%}"


ENDINGS: dict[str, Ending] = {
    "wrapper_fidelity": wrapper_fidelity,
    "wrapper_epoch": wrapper_epoch,
    "wrapper_agreement": wrapper_agreement,
    "wrapper_weights": wrapper_weights,
}
