"""Documents on the standard output."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from distsampler.commands.files import CommandError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from distsampler.documents.document import Block


def print_document(document: Sequence[Block], styles: Mapping[str, str]) -> None:
    """Print the blocks of a document, or end the program with the reason why not."""
    from rich.console import Console

    from distsampler.documents.document import show

    console = Console(markup=False, highlight=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        # A pipe has no width of its own, and folded lines are hard to search.
        console.width = 200
    try:
        if console.is_terminal:
            show(document, console, styles)
        else:
            with console.capture() as captured:
                show(document, console, styles)
            console.file.write("\n".join(line.rstrip() for line in captured.get().split("\n")))
        console.file.flush()
    except OSError as error:
        raise CommandError(
            f"the standard output cannot be written ({error.strerror}), expected a terminal, pipe or file "
            "with space left; send it elsewhere"
        ) from error
