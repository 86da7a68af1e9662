"""The program `distsampler`, also as `python -m distsampler`."""

import sys
from importlib.util import find_spec
from io import TextIOWrapper

_NEEDED = ("click", "pandas", "rich")


def main() -> None:
    """Run the command line, or say what it needs if that is not installed."""
    if not all(find_spec(name) for name in _NEEDED):
        sys.stderr.write(
            "distsampler compare needs click, pandas and rich; "
            "run: python -m pip install 'distsampler[harness]'\n"
        )
        sys.exit(2)

    from distsampler.cli import cli

    # Not every terminal can write a micro sign, which is no reason to say nothing.
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    cli(prog_name="distsampler")


if __name__ == "__main__":
    main()
