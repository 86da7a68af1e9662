"""Scripts that reproduce a violation with torch and numpy, and without distsampler.

What a script does is written as functions, its `ENDINGS`, so that it is linted and typed like all else.
"""

from __future__ import annotations

import functools
import inspect
import textwrap
from typing import TYPE_CHECKING

from distsampler.check.loading import import_lines
from distsampler.check.printable import printable
from distsampler.check.repro import (
    costs,
    elastic,
    histories,
    passes,
    processes,
    repeats,
    resume,
    shuffles,
    wrappers,
)
from distsampler.check.repro.assembly import assemble, names_in
from distsampler.check.repro.making import constants, definition, wrapping

if TYPE_CHECKING:
    from collections.abc import Callable

    from distsampler.check.recipe import Recipe
    from distsampler.conformance import Case, Property, Violation

# By the name of the property and, where it can be broken in several ways, words of the sentence about that.
ENDINGS: dict[str, Callable[..., None]] = {
    **passes.ENDINGS,
    **repeats.ENDINGS,
    **histories.ENDINGS,
    **resume.ENDINGS,
    **elastic.ENDINGS,
    **processes.ENDINGS,
    **shuffles.ENDINGS,
    **costs.ENDINGS,
    **wrappers.ENDINGS,
}


def script(recipe: Recipe, prop: Property, case: Case, violation: Violation, *, plain: bool = False) -> str:
    """Return a script that ends with exit code 1 while the property is broken, and with 0 after.

    `plain` says that this is so without anybody asking for the length of a sampler.
    Empty where the target is no name in a module, as something made in a test is not.
    """
    first, dot, rest = recipe.target.name.partition(".")
    called = "target" if first in names_in(*ENDINGS.values()) else first
    lines, ending = import_lines(recipe.target, called), _ending(prop.name, violation.sentence)
    if not lines or ending is None:
        return ""
    told = [f"{recipe.target.name} breaks {prop.name}: {prop.promise}", str(case), violation.sentence]
    header = [f"# {line}" for text in told for line in textwrap.wrap(printable(text), 105)]
    values = constants(recipe.contract, case, violation)
    define = wrapping if "wrapped" in inspect.signature(ending).parameters else definition
    making = functools.partial(define, recipe, f"{called}{dot}{rest}", case)
    code = assemble(ending, lines, making, values, plain=plain)
    return "\n".join([*header, code, ""])


def _ending(name: str, sentence: str) -> Callable[..., None] | None:
    """Return the ending for how the property is broken, the most special one that there is."""
    fitting = [key for key in ENDINGS if key.partition(" ")[0] == name and key[len(name) + 1 :] in sentence]
    return ENDINGS[max(fitting, key=len)] if fitting else None
