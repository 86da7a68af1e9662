"""What a contract offers, in words."""

from __future__ import annotations

import dataclasses
import itertools
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distsampler.check.recipe import Recipe
    from distsampler.conformance import Contract, Property

_WORDS = {
    "epochs": "set_epoch",
    "seed": "a seed",
    "length": "len()",
    "process_group": "None for num_replicas and rank",
    "resume": "state_dict and load_state_dict",
    "wraps": "to wrap another sampler",
    "covers": "to go through the whole dataset",
    "weighted": "to draw by weights",
    "ranks": "num_replicas and rank as arguments",
}
# Of the others there is nothing to tell when nobody says otherwise.
_TOLD = ("epochs", "seed", "length", "process_group", "resume")
_ASKED = {
    "drop": ("drop_last", "drop with drop_last=True"),
    "uneven": ("make_even", "uneven with make_even=False"),
}
_SHUFFLES = {(False,): "never", (True,): "always", (False, True): "on request"}


def offered(recipe: Recipe) -> dict[str, str]:
    """Return what the sampler is taken to promise: a word and how it does that."""
    contract = recipe.contract
    remainders = [
        text if name in _ASKED and keyword in (recipe.keywords or ()) else name
        for name in contract.remainders
        for keyword, text in [_ASKED.get(name, ("", ""))]
    ]
    flags = [(_WORDS[name], getattr(contract, name)) for name in _TOLD]
    return {
        "remainder": ", ".join(remainders),
        "shuffle": _SHUFFLES.get(contract.shuffles, str(contract.shuffles)),
        "offers": ", ".join(word for word, has in flags if has),
        "does not offer": ", ".join(word for word, has in flags if not has),
    }


def lacking(prop: Property, contract: Contract) -> str:
    """Return what would have to be offered for the property to be promised."""
    changes: dict[str, Any] = {name: not getattr(contract, name) for name in _WORDS}
    changes["shuffles"] = (False, True)
    words = {**_WORDS, "shuffles": f"shuffle={not contract.shuffles[0]}"}
    for count in (1, 2, 3):
        for names in itertools.combinations(changes, count):
            offering = dataclasses.replace(contract, **{name: changes[name] for name in names})
            if prop.promised(offering):
                return f"not offered: {', '.join(words[name] for name in names)}"
    return "not promised"
