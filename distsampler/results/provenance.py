"""Which run, machine and software a measurement comes from: the environment columns of a results CSV."""

from __future__ import annotations

import datetime as dt
import os
import platform
import secrets
import subprocess
import sys
from importlib import metadata
from pathlib import Path


def new_run_id() -> str:
    """Return an identifier that sorts by time and does not repeat, such as `20261130T141134Z-3f9a`."""
    now = dt.datetime.now(dt.timezone.utc)
    return f"{now:%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"


def environment(run: str) -> dict[str, str]:
    """Return the environment columns of this process, `time_utc` aside, as text."""
    import numpy as np
    import torch

    commit, dirty = _git_state()
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else ""
    return {
        "run": run,
        "commit": commit,
        "dirty": dirty,
        "os": f"{platform.system()} {platform.machine()}",
        "cpu": _cpu_model(),
        "gpu": gpu,
        "cores": str(_usable_cores()),
        "threads": str(torch.get_num_threads()),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
        "distsampler": metadata.version("distsampler"),
    }


def _git_state() -> tuple[str, str]:
    """Return commit and dirty flag of the checkout that this package lies in, or two empty strings."""
    folder = Path(__file__).parent

    def git(*arguments: str) -> str:
        done = subprocess.run(  # noqa: S603  (fixed arguments)
            ["git", "-C", str(folder), *arguments],  # noqa: S607  (the user's git)
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.strip()

    try:
        git("ls-files", "--error-unmatch", Path(__file__).name)
        return git("rev-parse", "HEAD"), str(bool(git("status", "--porcelain", "-uno"))).lower()
    except (OSError, subprocess.CalledProcessError):
        return "", ""


def _cpu_model() -> str:
    """Return the CPU's model name as the operating system gives it."""
    if sys.platform == "linux":
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _usable_cores() -> int:
    """Return the number of cores that this process may run on."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
