"""Peak memory of a sampler's epoch, each cell in a new process."""

from __future__ import annotations

import dataclasses
import gc
import multiprocessing
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.index_generation import samplers
from bench.index_generation.outcome import Outcome
from bench.index_generation.process import measuring

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from multiprocessing.connection import Connection

    from bench.index_generation.samplers import Cell

METRIC = "peak_memory"
# What the first epoch of any length needs, such as pages of torch's code, is not the sampler's. A short one
# does not run all the code of a long one, and a long one may leave memory behind that counts beside a short
# one's: the lengths of warm-ups, and from what dataset length on they take place.
_WARM_UPS = {64: 0, 5_000: 100_000}


def measure(cells: Iterable[Cell], table: str, seconds: float) -> Iterator[Outcome]:
    """Yield the peak memory of every cell; one that takes longer than `seconds` is ended."""
    cells = [cell for cell in cells if METRIC in cell.candidate.metrics]
    if sys.platform == "win32":
        reason = "needs the peak resident memory from /proc or getrusage, which Windows does not have"
        yield from (Outcome(cell, METRIC, status="skipped", error=reason) for cell in cells)
        return
    # The server imports torch once and runs no sampler, so that every fork of it starts alike, and soon.
    multiprocessing.get_context("forkserver").set_forkserver_preload([__name__])
    for cell in cells:
        with measuring("forkserver", send_peak_memory, table, str(cell)) as process:
            try:
                process.receive()
                yield Outcome(cell, METRIC, **process.receive(seconds))
            except TimeoutError as error:
                yield Outcome(cell, METRIC, status="timeout", error=str(error))
            except EOFError as error:
                yield Outcome(cell, METRIC, status="error", error=str(error))


def send_peak_memory(connection: Connection, table: str, name: str) -> None:
    """Send None when all is imported, then the outcome of the cell called `name`."""
    (cell,) = (cell for cell in samplers.cells(table) if str(cell) == name)
    connection.send(None)
    try:
        outcome = peak_memory(cell)
    except Exception as error:  # noqa: BLE001  (becomes a row of the results)
        outcome = {"status": "error", "error": f"{type(error).__name__}: {error}"}
    connection.send(outcome)


def peak_memory(cell: Cell) -> dict[str, Any]:
    """Return by how many bytes this process grows at most while `cell` draws an epoch and keeps no index."""
    for length, least in _WARM_UPS.items():
        if cell.dataset_length >= least:
            warm_up = dataclasses.replace(cell, dataset_length=length)
            warm_up.count_draws(warm_up.prepare())
    source = cell.prepare()
    gc.collect()
    note = "" if _reset_high_water() else "an earlier peak could not be reset and may hide a lower one"
    before = _high_water_bytes()
    draws = cell.count_draws(source)
    return {"values": (_high_water_bytes() - before,), "draws": draws, "note": note}


def _reset_high_water() -> bool:
    """Set this process's peak back to what it holds now, where the system can do that."""
    try:
        # 5 resets the peak: https://www.kernel.org/doc/html/latest/filesystems/proc.html
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return False
    return True


def _high_water_bytes() -> int:
    """Return the most resident memory that this process has had, in bytes."""
    if sys.platform == "linux":
        status = Path("/proc/self/status").read_text(encoding="utf-8")
        return int(re.findall(r"VmHWM:\s*(\d+) kB", status)[0]) * 1024
    import resource  # Windows does not have it

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
