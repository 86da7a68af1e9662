"""The generated parts of a Markdown file, which are made anew and leave the rest alone.

A generated part stands between `<!-- generated: NAME -->` and `<!-- end: NAME -->`, each alone on its line.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_MARKER = re.compile(r"^<!-- (generated|end): (.+) -->$", re.MULTILINE)
_PART = re.compile(r"(^<!-- generated: (.+) -->\n).*?(^<!-- end: \2 -->$)", re.MULTILINE | re.DOTALL)


class MarkerError(ValueError):
    """The markers of a document do not fit together; the message is one sentence for its writer."""


def fill(text: str, parts: Mapping[str, Callable[[], str]]) -> str:
    """Return the document `text` with every generated part made anew by the function of its name.

    Raises MarkerError for a marker without its partner, a name that `parts` does not have, and a document
    without any generated part.
    """
    _check_markers(text, parts)
    return _PART.sub(lambda part: f"{part[1]}\n{parts[part[2]]()}\n{part[3]}", text)


def _check_markers(text: str, parts: Mapping[str, Callable[[], str]]) -> None:
    opened = ""
    markers = list(_MARKER.finditer(text))
    for marker in markers:
        line = text.count("\n", 0, marker.start()) + 1
        kind, name = marker.groups()
        if (kind, name) != ("end", opened) and (kind == "end" or opened):
            expected = f"<!-- end: {opened} -->" if opened else "<!-- generated: NAME -->"
            raise MarkerError(f"line {line} is {marker[0]}, expected {expected} before it; add that line")
        if name not in parts:
            raise MarkerError(
                f"line {line} asks for {name!r}, expected one of {', '.join(parts)}; correct it"
            )
        opened = name if kind == "generated" else ""
    if opened or not markers:
        expected = f"<!-- end: {opened} -->" if opened else "<!-- generated: NAME -->"
        raise MarkerError(
            f"the text ends without {expected}, expected it on a line of its own; add that line"
        )
