"""`python -m distsampler.matrix`: examine the samplers that are installed, and write the matrix."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from distsampler.check.family import adopt_orphans, end_descendants
from distsampler.commands.exits import Command
from distsampler.conformance import PROPERTIES
from distsampler.matrix.examination import examined
from distsampler.matrix.rows import read, write
from distsampler.results import ResultsError
from distsampler.subjects import SUBJECTS
from distsampler.subjects.entry_points import discovered

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.progress import Progress

    from distsampler.check.row import Row

_NAMES = [subject.name for subject in (*SUBJECTS, *discovered())]
_SPEED = {subject.name: -subject.slow for subject in SUBJECTS}
_PLACE = {
    (name, prop.name): place for place, (name, prop) in enumerate((n, p) for n in _NAMES for p in PROPERTIES)
}


@click.command(
    cls=Command,
    codes={
        0: "every property is kept, known to be broken or not promised",
        1: "something else is broken",
        2: "the arguments cannot be used",
    },
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("samplers", nargs=-1, metavar="[SAMPLER]...")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    default="results/conformance.csv",
    show_default=True,
    help="The matrix; other samplers' rows stay as they are.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=os.cpu_count(),
    show_default="one a core",
    help="How many samplers are examined at a time.",
)
def command(samplers: tuple[str, ...], out: Path, workers: int) -> None:
    """Examine the SAMPLERs whose names contain one of these words, all if there are none."""
    names = [name for name in _NAMES if not samplers or any(word in name for word in samplers)]
    if not names:
        raise click.UsageError(f"no sampler is named like {' or '.join(samplers)}, expected e.g. {_NAMES[1]}")
    fresh = _examine(names, workers, out)
    unexpected = [row for row in fresh if row.is_broken]
    for row in _in_order(unexpected):
        click.echo(f"{row.subject}: {row.property}: {row.verdict}: {row.counterexample}: {row.reason}")
    click.echo(f"{out}: {len(fresh)} verdicts on {len(names)} samplers, {len(unexpected)} unexpected")
    sys.exit(1 if unexpected else 0)


def _examine(names: list[str], workers: int, out: Path) -> list[Row]:
    """Return the rows of the samplers; each is written, with a word on it, as it gets ready."""
    kept = _kept(out, names)
    fresh: list[Row] = []
    adopt_orphans()
    try:
        with _progress() as bars:
            bar = bars.add_task("", total=len(names))
            slow_first = sorted(names, key=lambda name: _SPEED.get(name, 0))
            for rows in examined(slow_first, workers):
                fresh += rows
                write(out, _in_order([*kept, *fresh]))
                broken = [row.property for row in rows if row.is_broken]
                told = f"unexpected: {', '.join(broken)}" if broken else "as expected"
                bars.console.print(
                    f"{rows[0].subject} {rows[0].version}: {told}", highlight=False, soft_wrap=True
                )
                bars.advance(bar)
    finally:
        end_descendants()
    return fresh


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    console = Console(stderr=True, markup=False)
    return Progress(BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=console, transient=True)


def _kept(out: Path, names: Iterable[str]) -> list[Row]:
    """Return the rows of an earlier matrix that are about other samplers and properties that still exist."""
    try:
        earlier = read(out) if out.exists() else []
    except ResultsError as error:
        raise click.ClickException(str(error)) from error
    return [row for row in earlier if row.subject not in names and (row.subject, row.property) in _PLACE]


def _in_order(rows: Iterable[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: _PLACE[row.subject, row.property])


if __name__ == "__main__":
    command()
