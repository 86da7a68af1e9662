"""A target with all that is needed to make a `Subject` of it, as data that travels between processes."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING

from distsampler.check.convention import Construct
from distsampler.check.loading import load
from distsampler.conformance import Contract, Known, Subject

if TYPE_CHECKING:
    from distsampler.check.target import Given, Target
    from distsampler.sampling.partition import Remainder


@dataclass(frozen=True, slots=True)
class Promises:
    """What somebody promises of a target; what is left open is inferred.

    `remainder` is the policy that it keeps and the only one that it is asked for. Without `shuffle` it is
    asked for `shuffle=False` only, without `epochs` its epochs have no numbers.
    """

    remainder: Remainder | None = None
    shuffle: bool = True
    epochs: bool = True

    def narrow(self, contract: Contract) -> Contract:
        """Return what is left of a contract."""
        return dataclasses.replace(
            contract,
            remainders=(self.remainder,) if self.remainder else contract.remainders,
            shuffles=contract.shuffles if self.shuffle else (False,),
            epochs=contract.epochs and self.epochs,
        )


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to make a subject of `target`; `keywords` is None where that is a `Subject` already."""

    target: Target | Given
    contract: Contract
    keywords: tuple[str, ...] | None = None
    known: tuple[Known, ...] = ()

    def subject(self) -> Subject:
        """Return the subject, with the pins of its own and those in `known`."""
        if self.keywords is None:
            subject: Subject = load(self.target)
            return dataclasses.replace(subject, contract=self.contract, known=(*subject.known, *self.known))
        return Subject(self.target.name, Construct(self.target, self.keywords), self.contract, self.known)

    def version(self) -> str:
        """Return the version of the distribution that the sampler comes from, empty if it comes from none."""
        loaded = load(self.target)
        if isinstance(loaded, Subject):
            name = loaded.package
        else:
            name = str(getattr(loaded, "__module__", "")).partition(".")[0]
        try:
            return metadata.version(name) if name else ""
        except metadata.PackageNotFoundError:
            return ""
