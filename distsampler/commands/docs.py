"""`python -m distsampler.results.report FILE...`: make the generated parts of Markdown files anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from distsampler.commands.exits import Command
from distsampler.commands.files import FILE, CommandError, read_text, write_text

if TYPE_CHECKING:
    from pathlib import Path


@click.command(
    cls=Command,
    codes={
        0: "all files are up to date",
        1: "with --check: a file is stale",
        2: "a file cannot be used; one sentence on stderr says why",
    },
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.argument("files", nargs=-1, required=True, type=FILE)
@click.option(
    "--results", type=FILE, default="results/reference.csv", show_default=True, help="What to tell of."
)
@click.option("--check", is_flag=True, help="Write nothing, only look.")
def command(files: tuple[Path, ...], results: Path, check: bool) -> None:
    """Make the generated parts of Markdown FILES anew."""
    stale = [path for path in files if _is_stale(path, results, write=not check)]
    for path in files:
        was = "stale" if check else "updated"
        click.echo(f"{path}: {was if path in stale else 'up to date'}")
    if check and stale:
        click.get_current_context().exit(1)


def _is_stale(path: Path, results: Path, *, write: bool) -> bool:
    """Return whether a generated part is not what it would be if made now, and make it so on `write`."""
    from distsampler.documents.generated import MarkerError, fill
    from distsampler.results import ResultsError
    from distsampler.results.report import parts

    text = read_text(path)
    try:
        filled = fill(text, parts(results))
    except (MarkerError, ResultsError) as error:
        raise CommandError(f"{path}: {error}") from error
    if write and filled != text:
        write_text(path, filled)
    return filled != text
