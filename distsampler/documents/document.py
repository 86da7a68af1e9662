"""Text made of paragraphs, lists and tables, to be written as GitHub Markdown or shown on a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console
    from rich.table import Table as RichTable


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under a header; the columns named in `numbers` are set to the right."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: Sequence[str] = ()

    def __str__(self) -> str:
        """Return the table in GitHub Markdown."""
        rule = ["---:" if name in self.numbers else "---" for name in self.header]
        lines = [self.header, rule, *self.rows]
        return "\n".join(f"| {' | '.join(_escaped(text) for text in line)} |" for line in lines)


@dataclass(frozen=True, slots=True)
class Bullets:
    """A list of short texts."""

    items: Sequence[str]

    def __str__(self) -> str:
        """Return the list in Markdown."""
        return "\n".join(f"- {item}" for item in self.items)


# `str` of a block is its Markdown.
Block = str | Table | Bullets


def as_markdown(blocks: Sequence[Block]) -> str:
    """Return the Markdown of all blocks."""
    return "\n\n".join(map(str, blocks)) + "\n"


def show(blocks: Sequence[Block], console: Console, styles: Mapping[str, str]) -> None:
    """Print the blocks; a field of a table that is a key of `styles` has that style."""
    for number, block in enumerate(blocks):
        if number:
            console.print()
        if isinstance(block, Table):
            console.print(_rich_table(block, styles))
        elif isinstance(block, Bullets):
            console.print(
                _rich_table(Table(("-", ""), [("-", item) for item in block.items]), {}, header=False)
            )
        else:
            console.print(block)


def _rich_table(block: Table, styles: Mapping[str, str], *, header: bool = True) -> RichTable:
    import rich.table
    from rich.text import Text

    table = rich.table.Table(box=None, padding=(0, 1), pad_edge=False, show_header=header)
    for name in block.header:
        table.add_column(name, justify="right" if name in block.numbers else "left", overflow="fold")
    for row in block.rows:
        table.add_row(*(Text(text, style=styles.get(text, "")) for text in row))
    return table


def _escaped(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
