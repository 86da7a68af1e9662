"""How far a check is, on a terminal."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from distsampler.check.request import Request


@contextlib.contextmanager
def following(request: Request) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Yield a function that shows each event of a check; all is gone from the terminal afterwards."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from distsampler.check.printable import printable

    console = Console(stderr=True)
    told = TextColumn("{task.description}", markup=False)
    columns = (SpinnerColumn(), told, MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        bar = bars.add_task(f"importing {printable(request.target)}", total=None)

        def show(event: dict[str, Any]) -> None:
            if event["event"] == "started":
                bars.update(bar, description="checking", total=len(event["properties"]))
            elif event["event"] == "row":
                row = event["row"]
                done = 0 if row["drawing"] else 1
                bars.update(bar, description=f"{row['property']}: {row['verdict']}", advance=done)

        yield show
