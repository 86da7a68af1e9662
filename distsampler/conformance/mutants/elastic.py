"""Passes that do not go on with another number of replicas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from distsampler.conformance.designs import RESUMES, Elastic, Resumable
from distsampler.conformance.mutants.mutant import Mutant

if TYPE_CHECKING:
    from collections.abc import Mapping


class Counting(Elastic):
    """Knows for how many replicas its state was saved; wrong only in what is made of that."""

    before = 0

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "before": self.case.num_replicas}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        super().load_state_dict(state)
        self.before = state["before"]

    @property
    def moved(self) -> bool:
        return self.before not in (0, self.case.num_replicas)


class KeepsOwnPosition(Resumable):
    """Skips as many of its own indices as a rank of before had drawn."""

    def arguments(self) -> dict[str, Any]:
        return self.data()


class AssertsWholeRounds(Elastic):
    """Expects that what is left can be dealt out without a remainder."""

    def rest(self, start: int) -> list[int]:
        left = len(self.dataset) - start
        assert not start or left % self.case.num_replicas == 0, "number of indices does not match total_size"
        return super().rest(start)


class StaysLarger(Counting):
    """Draws one index more in later epochs, because its size was recalculated for good."""

    def rest(self, start: int) -> list[int]:
        rest = super().rest(start)
        return rest + rest[:1] if self.moved and start == 0 else rest


class ForgetsLostRanks(Counting):
    """Knows of the draws of those ranks only that are still there."""

    def rest(self, start: int) -> list[int]:
        if not self.moved:
            return super().rest(start)
        count, order = self.case.num_replicas, self.order()
        known = (order[at] for at in range(start) if at % self.before < count)
        return self.mine(self.even(sorted(set(order).difference(known), key=order.index)))


class StartsOver(Counting):
    """Begins the epoch again when the number of replicas has changed."""

    def rest(self, start: int) -> list[int]:
        return super().rest(0 if self.moved else start)


class KnowsOldRanksOnly(Elastic):
    """Refuses on ranks that there were not before."""

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "before": self.case.num_replicas}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        if self.rank >= state["before"]:
            raise ValueError(f"rank is {self.rank}, expected one of the {state['before']} that have a state")
        super().load_state_dict(state)


class TakesRankFromState(Elastic):
    """Becomes the rank whose state it loads, which is rank 0's for all."""

    def state_dict(self) -> dict[str, Any]:
        return {**super().state_dict(), "rank": self.rank}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        super().load_state_dict(state)
        self.rank = state["rank"]


class LeavesOutLastRound(Elastic):
    """Ends the epoch when fewer samples are left than there are ranks."""

    def rest(self, start: int) -> list[int]:
        short = start > 0 and len(self.dataset) - start < self.case.num_replicas
        return [] if short else super().rest(start)


MUTANTS = (
    Mutant("elastic_resume", KeepsOwnPosition, ("B227",), RESUMES),
    Mutant("elastic_resume", AssertsWholeRounds, ("B032",), RESUMES),
    Mutant("elastic_resume", StaysLarger, ("B033",), RESUMES),
    Mutant("elastic_resume", ForgetsLostRanks, ("B037",), RESUMES),
    Mutant("elastic_resume", StartsOver, ("B038", "B231"), RESUMES),
    Mutant("elastic_resume", KnowsOldRanksOnly, ("B040", "B227"), RESUMES),
    Mutant("elastic_resume", TakesRankFromState, ("B229",), RESUMES),
    Mutant("elastic_resume", LeavesOutLastRound, (), RESUMES),
)
