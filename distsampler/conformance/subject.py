"""A sampler under test: how to make it, what it promises, and what it is known to break."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from distsampler.conformance.case import Case, LengthOnly
    from distsampler.sampling.partition import Remainder


@dataclass(frozen=True, slots=True)
class Contract:
    """What a subject offers. A property of what is not offered is `n/a`, never a pass.

    `epochs` says that `set_epoch` numbers the epochs; without it each pass may draw its own order, the same
    for a fresh sampler. `covers` says that an epoch goes through the whole dataset, which drawing with
    replacement does not. `process_group` says that None finds rank and world size, `resume` that there are
    `state_dict` and `load_state_dict`, `wraps` that another sampler is split over the ranks, `weighted`
    that this can be one that draws by weights and nothing else. `ranks` says that rank and number of replicas
    are arguments, not only taken from a process group.
    """

    remainders: tuple[Remainder, ...] = ("pad", "drop")
    shuffles: tuple[bool, ...] = (False, True)
    epochs: bool = True
    seed: bool = True
    length: bool = True
    covers: bool = True
    process_group: bool = True
    resume: bool = False
    wraps: bool = False
    weighted: bool = False
    ranks: bool = True

    def offers(self, case: Case) -> bool:
        """Say whether the subject promises anything for `case`."""
        return case.remainder in self.remainders and case.shuffle in self.shuffles


@dataclass(frozen=True, slots=True)
class Known:
    """A violation that is known: `case` must still break the property, outside `when` it must hold."""

    property: str
    case: Case
    when: Callable[[Case], bool]
    reason: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Subject:
    """A sampler under test.

    `make(dataset, case, rank)` returns what one rank iterates for `case`: an object with `__iter__`, and
    `__len__`, `set_epoch` and more where its contract says so. `wrap(inner, case, rank)` returns the same for
    the sampler `inner` instead of a dataset, where the contract says that there can be one. `package` is the
    distribution that ships the sampler and `url` where it is documented; what is needed to make one is
    imported by `make` alone. Of the cases of a property one in `slow` is tried.

    A `make` that can be pickled is called in a fresh interpreter, too; for others that part is left out.
    """

    name: str
    make: Callable[[LengthOnly, Case, int], Any]
    contract: Contract = Contract()
    known: tuple[Known, ...] = ()
    wrap: Callable[[Any, Case, int], Any] | None = None
    package: str = ""
    url: str = ""
    slow: int = 1
