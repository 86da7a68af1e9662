"""Samplers with a state, from which a pass that was interrupted goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distsampler.conformance.designs.strided import Blocked, Strided

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from distsampler.conformance.case import Case, LengthOnly


class Resumable(Strided):
    """Goes on where it was with the arguments that it had, and refuses a state of others.

    The state is that of the pass that was drawn from last.
    """

    def __init__(self, dataset: LengthOnly, case: Case, rank: int) -> None:
        super().__init__(dataset, case, rank)
        self.start = 0
        self.place = (0, 0)

    def __iter__(self) -> Iterator[int]:
        """Return this rank's indices from where it goes on."""
        start, self.start = self.start, 0
        self.place = (self.epoch, start)
        return self.draws(self.rest(start), start, self.epoch)

    def draws(self, indices: list[int], start: int, epoch: int) -> Iterator[int]:
        """Yield the indices, and note how far the pass is."""
        for drawn, index in enumerate(indices, 1):
            self.note(epoch, self.after(start, drawn))
            yield index

    def note(self, epoch: int, position: int) -> None:
        """Take down how far a pass over `epoch` is, unless another epoch was set since."""
        if epoch == self.place[0]:
            self.place = (epoch, position)

    def rest(self, start: int) -> list[int]:
        """Return this rank's indices that are left of the epoch at position `start`."""
        return self.mine(self.even(self.order()))[start:]

    def after(self, start: int, drawn: int) -> int:
        """Return the position that this many draws lead to from `start`."""
        return start + drawn

    def __len__(self) -> int:
        """Return the number of indices of the next pass."""
        return len(self.rest(self.start))

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of the next pass, which starts at its beginning if it is of another epoch."""
        super().set_epoch(epoch)
        if epoch != self.place[0]:
            self.start, self.place = 0, (epoch, 0)

    def state_dict(self) -> dict[str, Any]:
        """Return the epoch, the position in it, and the arguments that both depend on."""
        epoch, position = self.place
        return {"epoch": epoch, "position": position, **self.arguments()}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from `state`."""
        for name, value in self.arguments().items():
            if state[name] != value:
                raise ValueError(f"{name} is {value}, expected {state[name]} as in the state")
        self.epoch, self.start = state["epoch"], state["position"]
        self.place = (self.epoch, self.start)

    def arguments(self) -> dict[str, Any]:
        """Return what must be the same where a state is loaded."""
        return {**self.data(), "num_replicas": self.case.num_replicas, "rank": self.rank}

    def data(self) -> dict[str, Any]:
        """Return what must be the same for the order to be the same."""
        return {"length": len(self.dataset), "seed": self.case.seed, "shuffle": self.case.shuffle}


class ResumableBlocked(Resumable, Blocked):
    """The same over blocks."""


class ResumableUnnumbered(Resumable):
    """Goes on to the next epoch by itself, once a pass has begun."""

    def __iter__(self) -> Iterator[int]:
        """Return this rank's indices of the next epoch, or what is left of it."""
        indices = super().__iter__()
        self.epoch += 1
        return indices

    def draws(self, indices: list[int], start: int, epoch: int) -> Iterator[int]:
        """Yield the indices; the place after their end is the start of the next epoch."""
        yield from super().draws(indices, start, epoch)
        if epoch == self.place[0]:
            self.place = (epoch + 1, 0)


class Elastic(Resumable):
    """Goes on with any number of replicas: its positions are those of all ranks together."""

    def rest(self, start: int) -> list[int]:
        """Return this rank's part of what all ranks have left of the epoch at position `start`."""
        order = self.order()
        padded = self.even(order[start:])
        padding = len(padded) - (len(order) - start)
        if padding > 0:
            padded[-padding:] = [order[at % len(order)] for at in range(padding)]
        return self.mine(padded)

    def after(self, start: int, drawn: int) -> int:
        """Return the position that this many draws of every rank lead to from `start`."""
        return min(len(self.dataset), start + drawn * self.case.num_replicas)

    def arguments(self) -> dict[str, Any]:
        """Return what must be the same where a state is loaded, which ranks are not."""
        return self.data()
