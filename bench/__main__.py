"""`python -m bench`: runs the benchmark into one results CSV and says what came out.

Exit code 0 when every row is ok or skipped, 1 when one is an error or a timeout or the disk is full, 2 for
arguments that cannot be used, 130 after Ctrl-C.
"""

from __future__ import annotations

import contextlib
import errno
import pkgutil
import shlex
import sys
from pathlib import Path

import click
from rich.console import Console

from bench import summary
from distsampler import results
from distsampler.documents.document import show

ROOT = Path(__file__).parents[1]
PARTS: dict[str, str] = {"index": "bench.index_generation.runner:run", "training": "bench.training:run"}
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@click.command()
@click.option("--smoke", is_flag=True, help="Run the smallest cells only, to see that all works.")
@click.option("--only", type=click.Choice(list(PARTS)), help="Run one part of the benchmark.")
@click.option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="The CSV to write, which must not exist yet.  [default: results/RUN.csv]",
)
def main(*, smoke: bool, only: str | None, output: Path | None) -> None:
    """Measure what samplers cost, and write one results CSV."""
    console = Console()
    writer = _open(output)
    console.print(f"Writing {writer.path}", soft_wrap=True, highlight=False)
    try:
        with contextlib.closing(writer):
            for part in [only] if only else PARTS:
                pkgutil.resolve_name(PARTS[part])(writer, smoke=smoke, console=console)
    except KeyboardInterrupt:
        click.echo(f"Interrupted; what was measured until now is in {writer.path}", err=True)
        sys.exit(130)
    except OSError as error:
        if error.errno not in DISK_FULL:
            raise
        click.echo(
            f"{error.strerror}; make room and start again; what was measured until now is in {writer.path}",
            err=True,
        )
        sys.exit(1)
    sys.exit(_report(writer.path, console))


def _open(output: Path | None) -> results.ResultsWriter:
    """Create the results CSV, or raise a click error that says why that does not work."""
    run = results.new_run_id()
    path = output or ROOT / "results" / f"{run}.csv"
    environment = results.environment(run)
    try:
        return results.ResultsWriter(path, environment)
    except OSError as error:
        raise click.UsageError(
            f"{path} cannot be created ({error.strerror}), expected a new file in a folder that can be "
            "written to; give another one with --output"
        ) from error


def _report(path: Path, console: Console) -> int:
    """Print what the file holds and how to go on; return the exit code."""
    frame = results.read(path)
    show(list(summary.blocks(frame)), console, {})
    failures = summary.failures(frame)
    lines = [
        *failures,
        f"{path}: {summary.counts(frame)}",
        f"Compare: nox -s compare -- results/reference.csv {shlex.quote(str(_from_root(path)))}",
    ]
    console.print("\n".join(lines), soft_wrap=True, markup=False, highlight=False)
    return 1 if failures else 0


def _from_root(path: Path) -> Path:
    """Return a path as nox sees it, which runs in the repository root."""
    absolute = path.resolve()
    return absolute.relative_to(ROOT) if absolute.is_relative_to(ROOT) else absolute


if __name__ == "__main__":
    main(prog_name="python -m bench")
