"""Running a program in fresh processes: what it printed, or the one sentence that says why it failed."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import signal
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import psutil

if TYPE_CHECKING:
    from bench.training.cells import Cell

ROOT = Path(__file__).parents[2]  # where `bench` is imported from
MARK = "DISTSAMPLER_CELL"
# A line of a traceback that names the exception; torchrun adds one of its own.
EXCEPTION = re.compile(r"^(?!.*ChildFailedError)[\w.]*(?:Error|Exception)\b.*", re.MULTILINE)
# What torchrun prints last: the rank that failed first, and the signal if one killed it.
ROOT_CAUSE = re.compile(r"Root Cause.*?rank +: (\d+).*?traceback : (?:Signal \d+ \((\w+)\))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a cell ended: its status, why it failed in one sentence, and what it reported."""

    status: Literal["ok", "skipped", "error", "timeout"]
    error: str = ""
    reports: tuple[dict[str, Any], ...] = ()


def command(cell: Cell, corpus: Path) -> list[str]:
    """Return the command line that trains `cell`, under torchrun for ddp."""
    program = ["-m", "bench.training.program", json.dumps(asdict(cell)), str(corpus.resolve())]
    if cell.strategy != "ddp":
        return [sys.executable, *program]
    # Without an address torchrun looks up this machine's name, which takes long or fails without a network.
    ranks = ["--standalone", "--local-addr=127.0.0.1", f"--nproc-per-node={cell.processes}"]
    return [sys.executable, "-m", "torch.distributed.run", *ranks, *program]


def launch(arguments: list[str], timeout_seconds: float, device: str = "cpu") -> Outcome:
    """Run a command line in fresh processes, and end all of them when it ends or takes too long."""
    mark = secrets.token_hex(8)
    environment = {**os.environ, "OMP_NUM_THREADS": "1", MARK: mark}
    if device == "cpu":
        environment["CUDA_VISIBLE_DEVICES"] = ""  # else DataParallel takes the GPUs that it sees
    process = subprocess.Popen(
        arguments,
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    with process:
        try:
            output, errors = process.communicate(timeout=timeout_seconds)
        except subprocess.TimeoutExpired:
            return Outcome("timeout", f"took longer than {timeout_seconds:g} s")
        finally:
            _end(mark)
    if process.returncode != 0:
        return Outcome("error", _sentence(process.returncode, errors))
    reports = (json.loads(line) for line in output.splitlines() if line.startswith("{"))  # NCCL may print too
    return Outcome("ok", reports=tuple(reports))


def _end(mark: str) -> None:
    """Kill every process with `mark` in its environment.

    The group of the process that was started would not do: torchrun gives each rank a session of its own.
    """
    while marked := [process for process in psutil.process_iter() if _has(process, mark)]:
        for process in marked:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(marked, timeout=1)


def _has(process: psutil.Process, mark: str) -> bool:
    try:
        return process.environ().get(MARK) == mark
    except (psutil.Error, OSError):  # gone meanwhile, or another user's
        return False


def _sentence(returncode: int, errors: str) -> str:
    """Return why a program failed: the signal that killed it, or the exception that it printed.

    Under torchrun it is that of the rank that failed first; the others fail too, since their peer is gone.
    """
    if returncode < 0:
        return f"killed by {signal.Signals(-returncode).name}"
    if not (root := ROOT_CAUSE.search(errors)):
        last_line = (errors.strip().splitlines() or ["it printed nothing"])[-1]
        return f"exit status {returncode}: {(EXCEPTION.findall(errors) or [last_line])[-1]}"
    rank, killed_by = root.groups()
    if killed_by:
        return f"rank {rank} was killed by {killed_by}"
    printed = errors.replace(f"[rank{rank}]: ", "")
    return f"rank {rank}: {(EXCEPTION.findall(printed) or ['it ended without an exception'])[-1]}"
