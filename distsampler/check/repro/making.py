"""What is different from script to script: how a sampler is made, and the values that a case gives."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from distsampler.conformance.catalogue.bounds import HEAD, HUGE
from distsampler.conformance.catalogue.uniformity import EPOCHS_OF_A_SEED, EXPERIMENTS, FRESH
from distsampler.conformance.trace import limit

if TYPE_CHECKING:
    from collections.abc import Collection

    from distsampler.check.recipe import Recipe
    from distsampler.conformance import Case, Contract, Violation

_NOT_COMPARABLE = "orders that can be compared"
_VALUE = "True|False|[0-9]+"
_CASE = """@dataclass(frozen=True)
class Case:
    length: int
    num_replicas: int
    shuffle: bool
    seed: int
    remainder: str
    epochs: list
"""


def wrapping(_recipe: Recipe, called: str, case: Case, _overridden: Collection[str]) -> str:
    """Return the definition of `wrap(inner, rank)` for a subject that wraps samplers and is `called` so."""
    asked = f"Case(length, num_replicas, {case.shuffle}, {case.seed}, remainder, epochs)"
    return f"{_CASE}\ndef wrap(inner, rank):\n    return {called}.wrap(inner, {asked}, rank)"


def definition(recipe: Recipe, called: str, case: Case, overridden: Collection[str]) -> str:
    """Return the definition of `make(rank)`, with a keyword argument for what is `overridden`.

    What the sampler is made with is `called` so.
    """
    values = {
        "length": "length",
        "num_replicas": "num_replicas",
        "shuffle": repr(case.shuffle),
        "seed": repr(case.seed),
        "dataset": "range(length)",
    }
    parameters = ["rank", *(f"{name}={value}" for name, value in values.items() if name in overridden)]
    values |= {name: name for name in values if name in overridden}
    dataset = values.pop("dataset")
    if recipe.keywords is None:
        fields = ", ".join([*values.values(), "remainder", "epochs"])
        made = f"{called}.make({dataset}, Case({fields}), rank)"
        return f"{_CASE}\ndef make({', '.join(parameters)}):\n    return {made}"
    values["rank"] = "rank"
    values["drop_last"] = repr(case.remainder == "drop")
    values["make_even"] = repr(case.remainder != "uneven")
    arguments = ", ".join(f"{name}={values[name]}" for name in recipe.keywords)
    return f"def make({', '.join(parameters)}):\n    return {called}({dataset}, {arguments})"


def constants(contract: Contract, case: Case, violation: Violation) -> dict[str, str]:
    """Return the values that a script may start with, as source text."""
    cut = re.search(r"cut after (\d+)", violation.sentence)
    values: dict[str, Any] = {
        "length": case.length,
        "num_replicas": case.num_replicas,
        "epochs": list(case.epochs),
        "remainder": case.remainder,
        "numbered": contract.epochs,
        "seeded": contract.seed,
        "shuffled": case.shuffle,
        "most": limit(case) + 1 if case.length < HUGE else HEAD,
        "impossible": _impossible(contract),
        "mistaken": _mistaken(contract),
        "rank": violation.rank or 0,
        "cut": int(cut[1]) if cut else 0,
        "others": _others(violation.sentence),
    }
    expressions = {name: repr(value) for name, value in values.items()}
    for experiment in EXPERIMENTS:
        if experiment.length == case.length:
            numbers = [f"range({start}, {start + experiment.orders})" for start in (0, FRESH)]
            is_error = _NOT_COMPARABLE in violation.sentence
            expressions["numbers"] = f"[*{', *'.join(numbers)}]" if is_error else numbers[0]
            expressions["positions"] = repr(experiment.positions)
            expressions["step"] = repr(EPOCHS_OF_A_SEED)
    return expressions


def _impossible(contract: Contract) -> list[dict[str, int | None]]:
    pairs: list[tuple[int | None, int | None]] = [(4, 4), (4, -1), (0, 0), (-2, 0)]
    if contract.process_group:
        pairs += [(None, 0), (4, None)]
    return [{"num_replicas": count, "rank": rank} for count, rank in pairs]


def _mistaken(contract: Contract) -> list[dict[str, float]]:
    wrong: list[dict[str, float]] = [
        {"rank": 1.5},
        {"num_replicas": 4.0},
        {"rank": True},
        {"num_replicas": True},
    ]
    if contract.seed:
        wrong += [{"seed": 1.5}, {"seed": True}]
    if contract.epochs:
        wrong += [{"epoch": 1.5}, {"epoch": True}]
    return wrong


def _others(sentence: str) -> dict[str, int]:
    """Return what a violation says is different: of the ranks that load, or of the data that was saved."""
    told = re.search(rf" with (\w+)=({_VALUE}), then loaded with \w+=({_VALUE})", sentence)
    if told is None:
        return {}
    name, saved, loaded = told.groups()
    values: dict[str, int] = {"True": True, "False": False}
    value = loaded if name == "num_replicas" else saved
    return {name: values[value] if value in values else int(value)}
