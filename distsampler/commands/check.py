"""`distsampler check TARGET`: whether a sampler keeps the promises that training code relies on."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

import click

from distsampler.check.refusal import TargetError
from distsampler.check.request import Request
from distsampler.check.row import as_csv
from distsampler.commands.exits import Command
from distsampler.commands.files import FILE, CommandError, check_outputs, write_text
from distsampler.commands.terminal import print_document

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from distsampler.check.report import Report
    from distsampler.sampling.partition import Remainder


@click.command(
    "check",
    cls=Command,
    codes={
        0: "every core property holds",
        1: "a core property is broken; with --strict, any property",
        2: "TARGET or the options cannot be used; one sentence on stderr says why",
    },
)
@click.argument("target")
@click.option(
    "--remainder",
    type=click.Choice(["pad", "drop", "uneven"]),
    help="What TARGET does when the dataset length is no multiple of num_replicas.",
)
@click.option("--no-shuffle", is_flag=True, help="TARGET is asked for shuffle=False only.")
@click.option("--no-epoch", is_flag=True, help="Epochs have no numbers; each pass may have its own order.")
@click.option("--quick", is_flag=True, help="Answer in about 10 seconds, from fewer cases.")
@click.option("--deep", is_flag=True, help="Explore many more cases, new ones every time.")
@click.option("--seed", type=click.IntRange(0), help="With --deep: the cases of the run that had this seed.")
@click.option("--strict", is_flag=True, help="Exit with 1 when a quality property is broken, too.")
@click.option("--only", "only", multiple=True, metavar="PROPERTY", help="Check this one; may be repeated.")
@click.option("--json", type=FILE, help="Write the report to this file, as JSON.")
@click.option("--csv", type=FILE, help="Write the verdicts to this file, as CSV.")
@click.option(
    "--repro",
    type=FILE,
    metavar="FILE",
    help="Write a script for each broken property, core ones first, that shows it without distsampler: to "
    "FILE, then to FILE with the property's name at its end, such as repro-latency.py.",
)
@click.option("--traceback", is_flag=True, help="When TARGET cannot be used, show where in its own code.")
def command(
    target: str,
    remainder: Remainder | None,
    no_shuffle: bool,
    no_epoch: bool,
    quick: bool,
    deep: bool,
    seed: int | None,
    strict: bool,
    only: tuple[str, ...],
    json: Path | None,
    csv: Path | None,
    repro: Path | None,
    traceback: bool,
) -> None:
    """Check the distributed sampler TARGET, and say in which smallest case it breaks a promise.

    TARGET is package.module:NAME or path/to/file.py:NAME. NAME is a class or a factory that is called as
    torch's DistributedSampler is, with a dataset and num_replicas, rank and as many of shuffle, seed,
    drop_last and make_even as it has; or a distsampler.conformance.Subject for anything else.

    What TARGET promises is read from what it offers, such as set_epoch or state_dict, and from how it deals
    with a remainder. What it does not offer is n/a. It runs in processes of its own, each ended when it
    hangs or needs too much memory.
    """
    from distsampler.check.report_document import STYLES, blocks
    from distsampler.check.scripts import scripts

    _check_modes(quick=quick, deep=deep, seed=seed)
    check_outputs(json, csv, repro)
    request = Request(
        target,
        remainder,
        shuffle=not no_shuffle,
        epochs=not no_epoch,
        properties=only,
        mode="quick" if quick else "deep" if deep else "default",
        seed=(secrets.randbelow(2**32) if seed is None else seed) if deep else None,
    )
    report = _report(request, traceback=traceback)
    again = [] if request.seed is None else [f"To check the same cases again, add --seed {request.seed}."]
    written = scripts(report, repro) if repro else {}
    try:
        print_document([*blocks(report), *again], STYLES)
    finally:
        for path, text in [(json, report.as_json()), (csv, as_csv(report.rows)), *written.items()]:
            if path:
                write_text(path, text)
    if repro:
        print_document([f"\n{_told(repro, list(written))}"], STYLES)
    click.get_current_context().exit(report.exit_code(strict=strict))


def _check_modes(*, quick: bool, deep: bool, seed: int | None) -> None:
    if quick and deep:
        raise CommandError("--quick and --deep were given, expected at most one of them")
    if seed is not None and not deep:
        raise CommandError(
            f"--seed {seed} was given without --deep, expected both; other checks need no seed"
        )


def _report(request: Request, *, traceback: bool) -> Report:
    from distsampler.check.client import check
    from distsampler.check.progress import following
    from distsampler.check.target import parse

    try:
        parse(request.target)  # before there is much to wait for
        with following(request) as progress:
            return check(request, progress)
    except TargetError as error:
        if traceback:
            click.echo(error.traceback, err=True)
        hint = "; --traceback shows where" if error.traceback and not traceback else ""
        raise CommandError(f"{error}{hint}") from error


def _told(repro: Path, written: Sequence[Path]) -> str:
    """Return where the scripts are."""
    names = ", ".join(map(str, written))
    return f"To reproduce: {names}." if written else f"Nothing to reproduce; {repro} was not written."
