"""Files on the command line: one that cannot be read or written ends the program with a sentence."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Sequence

FILE = click.Path(path_type=Path)


class CommandError(click.ClickException):
    """Ends the program with one sentence on stderr and exit code 2."""

    exit_code = 2


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file, or end the program with the reason why not."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise CommandError(
            f"{path}: cannot be read ({error.strerror}), expected a text file; check the path"
        ) from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{path}: is no UTF-8 text, expected a text file; check the path") from error


def write_text(path: Path, text: str) -> None:
    """Write a UTF-8 file, or end the program with the reason why not; what has no encoding is escaped."""
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise _unwritable(path, str(error.strerror)) from error


def _unwritable(path: Path, reason: str) -> CommandError:
    return CommandError(
        f"{path}: cannot be written ({reason}), expected a file in an existing folder with space left; "
        "choose another path"
    )


def check_outputs(*outputs: Path | None, inputs: Sequence[Path] = ()) -> None:
    """Refuse to write over what was measured, or one output over the other, or where there is no folder."""
    taken = [path.resolve() for path in inputs]
    for output in outputs:
        if output and output.resolve() in taken:
            raise CommandError(f"{output}: is named twice, expected a file of its own; choose another name")
        if output and not output.resolve().parent.is_dir():
            raise _unwritable(output, os.strerror(errno.ENOENT))
        if output:
            taken.append(output.resolve())
