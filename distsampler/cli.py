"""The command line: a group that every command is added to."""

import click

from distsampler.commands import check, compare


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="distsampler")
def cli() -> None:
    """Check distributed samplers, and compare what they cost."""


cli.add_command(check.command)
cli.add_command(compare.command)
