"""A script made of functions: what an ending does, after what its names ask to be defined before."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import textwrap
from typing import TYPE_CHECKING, Any

from distsampler.check.repro import setting

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_LONGEST_LINE = 130
_STANDARD = (
    "contextlib",
    "copy",
    "gc",
    "importlib",
    "itertools",
    "json",
    "math",
    "multiprocessing",
    "os",
    "pickle",
    "random",
    "runpy",
    "subprocess",
    "sys",
    "tempfile",
    "time",
    "tracemalloc",
)
_IMPORTS = {
    "Counter": "from collections import Counter",
    "dataclass": "from dataclasses import dataclass",
    "Path": "from pathlib import Path",
    "np": "import numpy as np",
    "torch": "import torch",
    "dist": "import torch.distributed as dist",
    **{
        name: f"from torch.utils.data import {name}"
        for name in ("DataLoader", "RandomSampler", "Sampler", "WeightedRandomSampler")
    },
}


def assemble(
    ending: Callable[..., None],
    getting: Sequence[str],
    make: Callable[[set[str]], str],
    constants: dict[str, str],
    *,
    plain: bool,
) -> str:
    """Return a script: imports, statements for `getting` at the sampler, values, functions, the ending.

    `make` returns the definition of the function of that name, which has to take some keyword arguments.
    `constants` are values by name, as source text; epochs are not set if "numbered" is False. In `plain`
    passes nobody asks for the length.
    """
    parts, asked = [_body(ending)], _parameters(ending)
    for name, drawing in setting.INLINE.items():
        if name in asked:
            parts.insert(0, _body(drawing))
            asked |= _parameters(drawing)
    for provided in reversed(setting.PROVIDED):
        if provided.__name__ in asked:
            is_pass = provided is setting.one_pass
            function: Callable[..., Any] = setting.plain_pass if plain and is_pass else provided
            parts.insert(0, _definition(function, provided.__name__))
            asked |= set(inspect.getfullargspec(function).kwonlyargs)
    if constants["numbered"] == "False":
        parts = [_WithoutEpochs().visit(part) for part in parts]
    making = ast.parse(make(_overridden(*parts)))
    asked |= _names(making) - {"rank"}
    used = {name: value for name, value in constants.items() if name in asked}
    values = f"{', '.join(used)} = {', '.join(used.values())}"
    imports = _imports(_names(ast.parse("\n".join(getting)), making, *parts))
    return "\n".join([*imports, *getting, "", values, *map(_source, [making, *parts])])


def _imports(names: set[str]) -> list[str]:
    standard = ", ".join(name for name in _STANDARD if name in names)
    others = [line for name, line in _IMPORTS.items() if name in names]
    return [f"import {standard}", *others] if standard else others


def _source(part: ast.Module) -> str:
    """Return source text; a short function is a line, and all else has space before it."""
    (first, *more) = part.body
    if isinstance(first, ast.FunctionDef) and not more and all(map(_is_simple, first.body)):
        line = f"def {first.name}({ast.unparse(first.args)}): {'; '.join(map(ast.unparse, first.body))}"
        if len(line) <= _LONGEST_LINE:
            return line
    return "\n" + ast.unparse(part).strip()


def _is_simple(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr | ast.Return)


def _body(function: Callable[..., None]) -> ast.Module:
    """Return what a function does, as a program."""
    return ast.Module(_parsed(function).body[1:], [])


def _definition(function: Callable[..., Any], name: str) -> ast.Module:
    """Return a function, called `name`, that finds its keyword arguments as globals."""
    parsed = _parsed(function)
    parsed.name = name
    parsed.args.kwonlyargs, parsed.args.kw_defaults = [], []
    parsed.body = parsed.body[1:]
    return ast.Module([parsed], [])


def _parsed(function: Callable[..., Any]) -> ast.FunctionDef:
    """Return a function without types, which a script of some lines reads better without."""
    tree = _WithoutTypes().visit(ast.parse(textwrap.dedent(inspect.getsource(function))))
    parsed: ast.FunctionDef = ast.fix_missing_locations(tree).body[0]
    return parsed


class _WithoutTypes(ast.NodeTransformer):
    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns = None
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        return node if node.value is None else ast.Assign([node.target], node.value)


class _WithoutEpochs(ast.NodeTransformer):
    def visit_If(self, node: ast.If) -> ast.AST | None:
        self.generic_visit(node)
        return node if node.body else None

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        called = getattr(node.value, "func", None)
        return None if getattr(called, "attr", "") == "set_epoch" else node


def _parameters(function: Callable[..., Any]) -> set[str]:
    return set(inspect.signature(function).parameters)


@functools.cache
def names_in(*endings: Callable[..., None]) -> frozenset[str]:
    """Return all names that mean something in scripts with these endings, or in Python."""
    functions = (*endings, *setting.PROVIDED, *setting.INLINE.values())
    parts = [ast.Module([_parsed(function)], []) for function in functions]
    nodes = [node for part in parts for node in ast.walk(part)]
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    arguments = {node.arg for node in nodes if isinstance(node, ast.arg)}
    written = {"Case", *setting.OVERRIDABLE, *_STANDARD, *_IMPORTS, *dir(builtins)}
    return frozenset(written | defined | arguments | _names(*parts))


def _names(*parts: ast.Module) -> set[str]:
    """Return all names that are used or set in some code."""
    return {node.id for part in parts for node in ast.walk(part) if isinstance(node, ast.Name)}


def _overridden(*parts: ast.Module) -> set[str]:
    """Return the keyword arguments of the calls of `make`; ** stands for all that there can be."""
    nodes = (node for part in parts for node in ast.walk(part) if isinstance(node, ast.Call))
    calls = (node for node in nodes if getattr(node.func, "id", "") == "make")
    names = {keyword.arg for call in calls for keyword in call.keywords}
    return set(setting.OVERRIDABLE) if None in names else {name for name in names if name}
