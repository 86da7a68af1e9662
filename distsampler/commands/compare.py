"""`distsampler compare OLD NEW`: whether anything got worse between two results CSVs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import click

from distsampler.commands.exits import Command
from distsampler.commands.files import FILE, CommandError, check_outputs, write_text
from distsampler.commands.terminal import print_document
from distsampler.results.compare import CHANGES

if TYPE_CHECKING:
    from pathlib import Path

    from distsampler.results.compare import Comparison


def _threshold(_context: click.Context, _parameter: click.Parameter, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise CommandError(
            f"--threshold is {text!r}, expected a finite number of at least 0; for 10 % write 0.10"
        )
    return value


@click.command(
    "compare",
    cls=Command,
    codes={
        0: "no cell is worse or broken",
        1: "a cell is worse or broken",
        2: "the files or options cannot be used; one sentence on stderr says why",
    },
    sections={"What a cell can be": CHANGES},
)
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@click.option(
    "--threshold",
    default="0.10",
    show_default=True,
    callback=_threshold,
    metavar="SHARE",
    help="How much more a cell may cost before it is worse.",
)
@click.option("--all", "everything", is_flag=True, help="List the cells that did not change, too.")
@click.option("--csv", type=FILE, help="Write every cell of both files, as numbers, to this CSV.")
@click.option("--markdown", type=FILE, help="Write what the terminal shows to this file, for GitHub.")
def command(
    old: Path, new: Path, threshold: float, everything: bool, csv: Path | None, markdown: Path | None
) -> None:
    """Compare the results CSVs OLD and NEW, cell by cell.

    A cell is one combination of parameters. Its value is the median of its ok rounds; its cost is new / old
    for times and memory and old / new for rates, so that above 1 is worse; 0 / 0 is 1. Its spread is the
    range of its rounds as a share of the median, without a fifth of the rounds at either end (of five rounds
    or fewer, with all). Where the ranges of OLD and NEW overlap, a difference may be chance and does not
    count. Cells that only one file has are listed and do not count.
    """
    from distsampler.documents.document import as_markdown
    from distsampler.results.compare import tidy
    from distsampler.results.comparison_document import STYLES, blocks

    check_outputs(csv, markdown, inputs=(old, new))
    comparison = _compared(old, new, threshold)
    document = [f"OLD is {old}, NEW is {new}.", *blocks(comparison, everything=everything)]
    if csv:
        write_text(csv, tidy(comparison).to_csv(index=False))
    if markdown:
        write_text(markdown, as_markdown(document))
    print_document(document, STYLES)
    click.get_current_context().exit(comparison.exit_code)


def _compared(old: Path, new: Path, threshold: float) -> Comparison:
    from distsampler.results import ResultsError, read
    from distsampler.results.compare import CompareError, compare

    try:
        return compare(read(old), read(new), threshold)
    except ResultsError as error:
        raise CommandError(str(error)) from error
    except CompareError as error:
        raise CommandError(f"{old}, {new}: {error}") from error
