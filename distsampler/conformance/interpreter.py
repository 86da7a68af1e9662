"""Calling a function in a fresh Python interpreter, in which strings have other hashes."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 120.0

# Prints of the subject go to stderr, so that they don't mix with the answer.
_PROGRAM = """
import os, pickle, sys
answer = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
sys.path[:] = pickle.load(sys.stdin.buffer)
function, arguments = pickle.load(sys.stdin.buffer)
pickle.dump(function(*arguments), answer)
"""


def call_in_fresh_interpreter(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return `function(*arguments)`, both pickled to an interpreter with another hash seed.

    Raises ChildProcessError if it ends without an answer or gives none within two minutes.
    """
    hash_seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    try:
        done = subprocess.run(  # noqa: S603  (this interpreter, a constant program)
            [sys.executable, "-c", _PROGRAM],
            input=pickle.dumps(sys.path) + pickle.dumps((function, arguments)),
            capture_output=True,
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise ChildProcessError(f"a fresh interpreter gave no answer within {SECONDS:.0f} s") from None
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["no message"]
        raise ChildProcessError(f"a fresh interpreter ended with {done.returncode}: {last[0]}")
    return pickle.loads(done.stdout)  # noqa: S301  (our own answer)
