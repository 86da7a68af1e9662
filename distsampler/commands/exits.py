"""How commands end: what their exit codes mean, and Ctrl-C."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

_INTERRUPTED = 130  # as a shell has it for a program that Ctrl-C ended; click's own 1 would be a verdict


class Command(click.Command):
    """A command whose help ends with sections of words and what they mean, its exit codes among them."""

    def __init__(
        self,
        *arguments: Any,
        codes: Mapping[int, str],
        sections: Mapping[str, Mapping[Any, str]] = MappingProxyType({}),
        **more: Any,
    ) -> None:
        super().__init__(*arguments, **more)
        self.codes, self.sections = codes, sections

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the sections."""
        super().format_epilog(ctx, formatter)
        codes = {str(code): meaning for code, meaning in self.codes.items()}
        codes[str(_INTERRUPTED)] = "interrupted by Ctrl-C"
        for title, meanings in {**self.sections, "Exit codes": codes}.items():
            with formatter.section(title):
                formatter.write_dl(list(meanings.items()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, which Ctrl-C ends with an exit code of its own."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("Interrupted", err=True)
            ctx.exit(_INTERRUPTED)
