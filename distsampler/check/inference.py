"""What a target promises, read from what it offers and from what it does in small cases."""

from __future__ import annotations

import dataclasses
import itertools
from numbers import Integral
from typing import TYPE_CHECKING, Any

from distsampler.check import remainders
from distsampler.check.convention import Construct, Signature, read_signature
from distsampler.check.loading import load, own_traceback
from distsampler.check.recipe import Promises, Recipe
from distsampler.check.refusal import TargetError
from distsampler.conformance import Case, Contract, Subject, record
from distsampler.conformance.case import LengthOnly
from distsampler.conformance.catalogue.order import order
from distsampler.conformance.trace import describe, has_length, limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distsampler.check.reporter import Reporter
    from distsampler.check.target import Given, Target

_FIRST_CASES = tuple(Case(8, 2, shuffle=shuffle, epochs=(0,)) for shuffle in (False, True))
_UNPADDED = Case(24, 2, shuffle=False, epochs=(0, 1, 2))
# For each keyword two cases that a sampler which does not know it cannot tell apart.
_EFFECTS = {
    "shuffle": (Case(23, 4, shuffle=False), Case(23, 4)),
    "seed": (Case(23, 4), Case(23, 4, seed=1)),
    "drop_last": (Case(23, 4), Case(23, 4, remainder="drop")),
    "make_even": (Case(23, 4), Case(23, 4, remainder="uneven")),
}


def infer(reporter: Reporter, asked: tuple[Target | Given, Promises]) -> None:
    """Report a `Recipe`, then, if its remainder policy is to be inferred, what is seen of that.

    Reports a TargetError instead if the target cannot be used at all.
    """
    target, promises = asked
    reporter.at(_FIRST_CASES[0])
    try:
        recipe = _recipe(target, promises)
    except TargetError as error:
        reporter.result(error)
        return
    reporter.result(recipe)
    if recipe.keywords is not None and promises.remainder is None:
        remainders.look(reporter, recipe.subject())


def _recipe(target: Target | Given, promises: Promises) -> Recipe:
    loaded = load(target)
    if isinstance(loaded, Subject):
        return Recipe(target, promises.narrow(loaded.contract))
    signature = read_signature(target)
    sampler = _first_sampler(Construct(target, signature.named))
    has_epochs = hasattr(sampler, "set_epoch") and promises.epochs
    keywords = (*signature.named, *_passed_on(target, signature, Contract(epochs=has_epochs)))
    contract = Contract(
        epochs=has_epochs,
        seed="seed" in keywords,
        length=has_length(sampler),
        process_group=signature.from_group,
        resume=hasattr(sampler, "state_dict") and hasattr(sampler, "load_state_dict"),
    )
    if "shuffle" not in keywords:
        subject = Subject(target.name, Construct(target, keywords), contract)
        contract = dataclasses.replace(contract, shuffles=(_always_shuffles(subject),))
    return Recipe(target, promises.narrow(contract), keywords)


def _first_sampler(construct: Construct) -> Any:
    """Return a sampler that can be iterated; raises TargetError if none can be made."""
    errors: list[BaseException] = []
    for case in _FIRST_CASES:
        try:
            first, second = (construct(LengthOnly(case.length), case, rank) for rank in (0, 1))
            drawn = list(itertools.islice(first, limit(case)))
        except BaseException as error:  # noqa: BLE001, PERF203  (told, unless another case goes well)
            errors.append(error)
        else:
            _check_fresh(construct, first, second)
            _check_single(construct, drawn)
            return first
    arguments = ", ".join(
        f"{name}={value}" for name, value in construct.arguments(_FIRST_CASES[0], 0).items()
    )
    raise TargetError(
        f"{construct.target}, called with {_FIRST_CASES[0].length} samples, which are integers, and "
        f"{arguments}, raises {describe(errors[0])}, expected a sampler that can be iterated",
        own_traceback(errors[0]),
    ) from errors[0]


def _check_fresh(construct: Construct, first: Any, second: Any) -> None:
    if first is second:
        raise TargetError(
            f"{construct.target} returns the same object for rank 0 and rank 1, "
            "expected a sampler of its own for every call"
        )


def _check_single(construct: Construct, drawn: list[Any]) -> None:
    if drawn and all(map(_is_batch, drawn)):
        raise TargetError(
            f"{construct.target} yields batches such as {drawn[0]}, expected indices; check the sampler that "
            "it takes them from, or a Subject whose `make` returns the indices one by one"
        )


def _is_batch(drawn: Any) -> bool:
    return (
        isinstance(drawn, (list, tuple)) and bool(drawn) and all(isinstance(each, Integral) for each in drawn)
    )


def _passed_on(target: Target | Given, signature: Signature, contract: Contract) -> Iterator[str]:
    """Yield the keywords that **kwargs take: those that a base class names, and those that do something."""
    for name in signature.open:
        construct = Construct(target, (*signature.named, name))
        traces = [record(Subject(name, construct, contract), case) for case in _EFFECTS[name]]
        works = not any(draws.error for trace in traces for _, _, draws in trace.passes())
        if works and (name in signature.inherited or traces[0].draws != traces[1].draws):
            yield name


def _always_shuffles(subject: Subject) -> bool:
    """Say whether a sampler that cannot be asked goes through the dataset in another order than its own."""
    return any(order(record(subject, _UNPADDED)))
