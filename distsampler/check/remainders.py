"""How a target deals with a remainder: what is seen of it in small cases, and what that amounts to."""

from __future__ import annotations

import dataclasses
import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from distsampler.conformance import Case, Property, Subject, Trace, Violation, record
from distsampler.conformance.catalogue.partition import expected_total
from distsampler.sampling.partition import Remainder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from distsampler.check.recipe import Recipe
    from distsampler.check.reporter import Reporter

_LENGTHS = (1, 2, 3, 5, 7, 8, 10, 13, 23)
_REPLICAS = (2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Seen:
    """What was done with the remainder in one case; `policy` is None where it was none of the three.

    `error` is what a pass ended with, if one failed.
    """

    case: Case
    policy: Remainder | None
    error: str = ""


def look(reporter: Reporter, subject: Subject) -> None:
    """Report what is `Seen` where nothing asks for a policy."""
    for length, replicas in itertools.product(_LENGTHS, _REPLICAS):
        if length % replicas:
            case = Case(length, replicas, shuffle=subject.contract.shuffles[0], epochs=(0,))
            reporter.at(case)
            trace = record(subject, case)
            error = next((draws.error for _, _, draws in trace.passes() if draws.error), "")
            reporter.result(Seen(case, policy(trace), error))


def policy(trace: Trace) -> Remainder | None:
    """Return the policy under which all ranks together draw as many indices as they do."""
    (ranks,) = trace.draws
    if any(draws.error for draws in ranks):
        return None
    return _policies(trace.case).get(sum(len(draws.indices) for draws in ranks))


def _policies(case: Case) -> dict[int, Remainder]:
    """Return the policy by how many indices all ranks together draw under it, where there is a remainder."""
    names: tuple[Remainder, ...] = get_args(Remainder)
    return {expected_total(dataclasses.replace(case, remainder=name)): name for name in names}


def remainder(trace: Trace) -> Iterator[Violation]:
    """One policy, pad, drop or uneven, deals with the remainder in all cases with the same arguments."""
    expected = expected_total(trace.case)
    for epoch, ranks in trace.by_epoch():
        drawn = sum(len(draws.indices) for draws in ranks)
        other = _policies(trace.case).get(drawn)
        if other and other != trace.case.remainder and not any(draws.error for draws in ranks):
            yield Violation(
                f"epoch {epoch}: all ranks together draw {drawn} indices as {other} does, "
                f"expected {expected} as {trace.case.remainder} does, as in other cases with these arguments",
                epoch,
                got=drawn,
                expected=expected,
            )


def decide(recipe: Recipe, seen: Iterable[Seen]) -> tuple[Recipe, str]:
    """Return the recipe with its remainder policies, and a sentence if they are in doubt.

    What drop_last and make_even mean is torch's convention, and what is done without them is inferred.
    """
    cases: dict[Remainder, list[Case]] = {}
    seen = list(seen)
    errors = [each.error for each in seen if each.error]
    for each in seen:
        if each.policy:
            cases.setdefault(each.policy, []).append(each.case)
    if recipe.keywords is None:
        return recipe, ""
    keywords = recipe.keywords
    usual: Remainder = max(cases, key=lambda name: len(cases[name]), default="pad")
    if "make_even" in keywords or (usual == "drop" and "drop_last" in keywords):
        usual = "pad"
    policies: dict[Remainder, str] = {"drop": "drop_last", "uneven": "make_even"}
    asked = [name for name, keyword in policies.items() if keyword in keywords]
    contract = dataclasses.replace(recipe.contract, remainders=tuple(dict.fromkeys((usual, *asked))))
    return dataclasses.replace(recipe, contract=contract), _doubt(usual, cases, errors)


def _doubt(usual: Remainder, cases: dict[Remainder, list[Case]], errors: list[str]) -> str:
    judged = f"it is checked as {usual} unless --remainder says otherwise"
    if not cases and errors:
        return f"shows no remainder policy, since its passes fail ({errors[0]}); {judged}"
    if not cases:
        return f"deals with a remainder in none of the ways pad, drop and uneven; {judged}"
    if len(cases) == 1 and usual in cases:
        return ""
    told = [
        f"{name} in {len(found)} (length={found[0].length} num_replicas={found[0].num_replicas})"
        for name, found in cases.items()
    ]
    return f"keeps no one remainder policy in small cases: {', '.join(told)}; {judged}"


# Only a contract that was inferred can be in doubt, so this is no part of the catalogue.
REMAINDER = Property(
    "remainder",
    remainder,
    promised=lambda contract: contract.covers,
    exercises=lambda case: case.length % case.num_replicas > 0,
)
