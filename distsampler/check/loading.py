"""Loading a target: from a module, or from a file wherever it is and whatever it is called."""

from __future__ import annotations

import difflib
import functools
import importlib
import importlib.util
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Any

from distsampler.check.refusal import TargetError
from distsampler.check.target import Given, Target, is_importable
from distsampler.conformance.trace import describe

if TYPE_CHECKING:
    from types import ModuleType

_OURS = (str(Path(__file__).parents[1]), "<frozen importlib", str(Path(importlib.__file__).parent))


def load(target: Target | Given) -> Any:
    """Return the object that `target` stands for; raises TargetError if there is none."""
    return target.value if isinstance(target, Given) else _load(target)


@functools.cache
def _load(target: Target) -> Any:
    try:
        found = _file_module(Path(target.place)) if target.is_file else _named_module(target.place)
        return functools.reduce(functools.partial(_part, target), target.name.split("."), found)
    except TargetError:
        raise
    except BaseException as error:
        raise TargetError(
            f"{target.place} cannot be imported: {describe(error)}; {_expected(target, error)}",
            own_traceback(error),
        ) from error


def _expected(target: Target, error: BaseException) -> str:
    """Return what is expected instead of a module whose import raises `error`."""
    if not isinstance(error, ModuleNotFoundError):
        return "expected a module that can be imported without running a program"
    if not target.is_file and f"{target.place}.".startswith(f"{error.name}."):
        return (
            f"expected a module that is installed or lies in {Path.cwd()}; check the spelling and the folder"
        )
    return "expected a module that finds all that it imports; install what is missing, or check the folder"


def _part(target: Target, found: Any, name: str) -> Any:
    """Return what is called `name` in what was found so far."""
    if not hasattr(found, name):
        raise TargetError(_not_there(target, found, name))
    return getattr(found, name)


def import_lines(target: Target | Given, called: str = "") -> list[str]:
    """Return the statements with which a program elsewhere gets at a target; none if it has no place.

    What they define, the first part of the target's name, is `called` so if that is given. They may use
    `sys`, `importlib` and `runpy`.
    """
    first = target.name.partition(".")[0]
    called = called or first
    if isinstance(target, Given):
        module = str(getattr(target.value, "__module__", ""))
        is_there = getattr(sys.modules.get(module), first, None) is target.value
        return [_import_line(module, first, called)] if is_there and is_importable(first) else []
    if not target.is_file:
        return [_path_line(Path.cwd()), _import_line(target.place, first, called)]
    path = Path(target.place).resolve()
    root, name = _placed(path)
    if f"{root.name}.{name}" in sys.modules:
        root, name = root.parent, f"{root.name}.{name}"
    if "." in path.stem or not _is_free(name, path):
        return [f"{called} = runpy.run_path({str(path)!r})[{first!r}]"]
    return [_path_line(root), _import_line(name, first, called)]


def _import_line(module: str, name: str, called: str) -> str:
    if not is_importable(module):
        return f"{called} = importlib.import_module({module!r}).{name}"
    return f"from {module} import {name}" + (f" as {called}" if called != name else "")


def _path_line(folder: Path) -> str:
    return f"sys.path.insert(0, {str(folder)!r})"


def own_traceback(error: BaseException) -> str:
    """Return the traceback of `error` from the first frame on that is not this program's."""
    frame = error.__traceback__
    while frame and frame.tb_frame.f_code.co_filename.startswith(_OURS):
        frame = frame.tb_next
    return "".join(traceback.format_exception(type(error), error, frame, chain=False))


def _named_module(name: str) -> ModuleType:
    """Import a module as `python -m` would find it: in the working directory first."""
    _put_on_path(Path.cwd())
    return importlib.import_module(name)


def _file_module(path: Path) -> ModuleType:
    """Import a file as part of its package if it lies in one, else as a program in its folder would be."""
    path = path.resolve()
    if not path.is_file():
        raise TargetError(f"{path} is no file, expected the path of a Python file; check the path")
    root, name = _placed(path)
    _put_on_path(root)
    if "." in path.stem or not _is_free(name, path):
        return _module_by_another_name(path)
    try:
        return importlib.import_module(name)
    except ImportError as error:
        if "no known parent package" not in str(error) or "." in root.name:
            raise
    # A relative import without an __init__.py: the folder is a namespace package to its neighbours.
    _put_on_path(root.parent)
    return importlib.import_module(f"{root.name}.{name}")


def _placed(path: Path) -> tuple[Path, str]:
    """Return the folder that a file's outermost package lies in, and the file's name from there on."""
    root, name = path.parent, path.stem
    while (root / "__init__.py").is_file() and "." not in root.name:
        root, name = root.parent, f"{root.name}.{name}"
    return root, name


def _module_by_another_name(path: Path) -> ModuleType:
    """Import a file whose own name cannot be imported or means another module."""
    name = f"distsampler_target_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise TargetError(f"{path} is no Python file, expected one; its name has to end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _is_free(name: str, path: Path) -> bool:
    """Say whether importing `name` gives the file at `path`, not a module that has the name already."""
    try:
        spec = importlib.util.find_spec(name)
    except ValueError:
        return False
    return spec is not None and spec.origin is not None and Path(spec.origin) == path


def _put_on_path(folder: Path) -> None:
    """Let modules of `folder` be found first."""
    sys.path[:] = [str(folder), *(entry for entry in sys.path if entry != str(folder))]


def _not_there(target: Target, found: Any, part: str) -> str:
    """Return the sentence for a name that is not there: what is, the most alike first."""
    there = {name: value for name, value in vars(found).items() if callable(value) and name[0] != "_"}
    own = [name for name, value in there.items() if getattr(value, "__module__", "") == found.__name__]
    alike = difflib.get_close_matches(part, own or there, n=8, cutoff=0.0)
    listed = f"one of {', '.join(alike)}" if alike else "a class or a function, and it has none"
    return f"{target.place} has no {part!r}, expected {listed}"
