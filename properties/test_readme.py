"""The README's examples run, and its sessions exist."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_python_examples_run_in_order():
    """All Python blocks, one after the other in one namespace, run and their assertions hold."""
    blocks = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 5
    namespace = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), namespace)  # noqa: S102  (our own text)


def test_sessions_of_the_readme_exist():
    """Every `nox -s NAME` in the README is a session of the noxfile, and every session is in the README."""
    told = set(re.findall(r"nox (?:--[\w-]+ )*-s (\w+)", README))
    defined = set(
        re.findall(r"^@nox\.session(?:\(.*\))?\ndef (\w+)", (ROOT / "noxfile.py").read_text(), re.MULTILINE)
    )
    assert told == defined


def test_importing_the_package_needs_torch_and_numpy_only():
    """Neither the package nor its sampler imports what only the harness needs."""
    harness = ["click", "hypothesis", "pandas", "psutil", "rich", "scipy", "pytest"]
    code = f"""import distsampler, sys
distsampler.DistributedSampler, distsampler.distribute, distsampler.check_agreement
print([name for name in {harness} if name in sys.modules])"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert done.stdout.strip() == "[]"
