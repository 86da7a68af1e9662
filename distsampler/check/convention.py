"""torch's constructor convention: which of its keywords a class or factory takes, and how to call it."""

from __future__ import annotations

import functools
import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from distsampler.check.loading import load
from distsampler.check.refusal import TargetError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from distsampler.check.target import Given, Target
    from distsampler.conformance import Case

KEYWORDS = ("num_replicas", "rank", "shuffle", "seed", "drop_last", "make_even")
_RANKS = ("num_replicas", "rank")
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_POSITIONAL = (
    inspect.Parameter.POSITIONAL_ONLY,
    inspect.Parameter.POSITIONAL_OR_KEYWORD,
    inspect.Parameter.VAR_POSITIONAL,
)
_WRAP = (
    "write def make(dataset, num_replicas, rank, shuffle, seed) that returns the sampler, "
    "with the keywords that it has, and check that"
)


@dataclass(frozen=True, slots=True)
class Signature:
    """What a class or factory can be called with.

    `named` are the keywords of the convention that it has to take, `open` those that its **kwargs would
    take, of which `inherited` are named by a base class. `from_group` says that num_replicas and rank may be
    left to the process group.
    """

    named: tuple[str, ...]
    open: tuple[str, ...] = ()
    inherited: tuple[str, ...] = ()
    from_group: bool = False


@dataclass(frozen=True, slots=True)
class Construct:
    """Makes one rank's sampler for a case: `target(dataset, **keywords)`, loaded where it is called."""

    target: Target | Given
    keywords: tuple[str, ...]

    def __call__(self, dataset: Any, case: Case, rank: int) -> Any:
        """Return the sampler of `rank`."""
        return load(self.target)(dataset, **self.arguments(case, rank))

    def arguments(self, case: Case, rank: int | None) -> dict[str, Any]:
        """Return the keyword arguments that ask for `case`."""
        values = {
            "num_replicas": case.num_replicas,
            "rank": rank,
            "shuffle": case.shuffle,
            "seed": case.seed,
            "drop_last": case.remainder == "drop",
            "make_even": case.remainder != "uneven",
        }
        return {name: values[name] for name in self.keywords}


def read_signature(target: Target | Given) -> Signature:
    """Return how the target can be called; raises TargetError if it cannot be by the convention."""
    called = load(target)
    if not callable(called):
        raise TargetError(
            f"{target} is of type {type(called).__name__} and cannot be called, "
            "expected a class or a factory that makes a sampler, or a Subject"
        )
    try:
        own: Mapping[str, inspect.Parameter] = inspect.signature(called).parameters
    except (TypeError, ValueError) as error:
        raise TargetError(f"{target} tells no signature, expected torch's; {_WRAP}") from error
    if isinstance(called, functools.partial):
        own = {name: value for name, value in own.items() if name not in called.keywords}
    _check_own(target, own)
    every = _with_inherited(called, own)
    for name in _RANKS:
        if name not in every and not _is_open(every):
            raise TargetError(f"{target} takes no {name}, expected num_replicas and rank; {_WRAP}")
    named = tuple(name for name in KEYWORDS if name in own or name in _RANKS)
    left = tuple(name for name in KEYWORDS if name not in named and (name in every or _is_open(every)))
    return Signature(
        named,
        open=left,
        inherited=tuple(name for name in left if name in every),
        from_group=all(name in every and every[name].default is None for name in _RANKS),
    )


def _check_own(target: Target | Given, own: Mapping[str, inspect.Parameter]) -> None:
    """Refuse a first argument that is no dataset, and arguments that nobody would pass."""
    first = next(iter(own.values()), None)
    if first is None or first.kind not in _POSITIONAL or first.name in KEYWORDS:
        raise TargetError(f"{target} does not take the dataset as its first argument, expected that; {_WRAP}")
    for name, parameter in own.items():
        needed = parameter.default is parameter.empty and parameter.kind not in _VARIABLE
        if needed and parameter is not first and name not in KEYWORDS:
            raise TargetError(f"{target} needs {name}, expected what torch's constructor has; {_WRAP}")


def _with_inherited(
    called: Callable[..., Any], own: Mapping[str, inspect.Parameter]
) -> Mapping[str, inspect.Parameter]:
    """Return the parameters, with those of the base classes that **kwargs reach."""
    parameters = dict(own)
    for base in inspect.getmro(called)[1:-1] if inspect.isclass(called) else ():
        if not _is_open(parameters):
            break
        if "__init__" in vars(base):
            inherited = inspect.signature(base).parameters
            closed = {name: value for name, value in parameters.items() if value.kind not in _VARIABLE}
            parameters = {**inherited, **closed}
    return parameters


def _is_open(parameters: Mapping[str, inspect.Parameter]) -> bool:
    return any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters.values())
