"""Samplers without a state of their own, which users restart where a pass was interrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Restarted:
    """Counts what is drawn of an epoch, and goes on with a sampler that was made to start there.

    `make(epoch, drawn)` returns a rank's sampler of an epoch of which all ranks together have drawn `drawn`
    indices. Only the epoch of a state that was loaded starts late.
    """

    def __init__(self, make: Callable[[int, int], Any], num_replicas: int) -> None:
        self.make, self.num_replicas = make, num_replicas
        self.epoch = self.begun = self.drawn = 0
        self.sampler = make(0, 0)

    def __iter__(self) -> Iterator[Any]:
        """Yield the indices that are left, and count them."""
        self.drawn = 0
        for index in self.sampler:
            self.drawn += 1
            yield index

    def set_epoch(self, epoch: int) -> None:
        """Choose an epoch; it starts late only if that is the one of the state that was loaded."""
        if epoch != self.epoch:
            if self.begun:
                self._start(epoch, 0)
            self.epoch, self.drawn = epoch, 0
        self.sampler.set_epoch(epoch)

    def state_dict(self) -> dict[str, int]:
        """Return how many indices all ranks together have drawn, and of which epoch."""
        return {"epoch": self.epoch, "drawn": self.begun + self.drawn * self.num_replicas}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Make a sampler that starts where the state was taken."""
        self._start(state["epoch"], state["drawn"])

    def _start(self, epoch: int, begun: int) -> None:
        self.epoch, self.begun, self.drawn = epoch, begun, 0
        self.sampler = self.make(epoch, begun)


class SizedRestarted(Restarted):
    """The same with the length of the sampler."""

    def __len__(self) -> int:
        """Return the sampler's own length."""
        return len(self.sampler)
