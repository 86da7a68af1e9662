"""Sessions to test, measure, compare, document and lint; what follows `--` is passed on.

Environments are reused. `nox --no-venv --no-install -s bench` runs in the environment that nox itself is in,
with the torch that is there, and installs nothing.
"""

from __future__ import annotations

from pathlib import Path

import nox

nox.needs_version = ">=2024.10.9"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.reuse_venv = "yes"
nox.options.sessions = ["lint", "properties"]

PYPROJECT = nox.project.load_toml(Path(__file__).parent / "pyproject.toml")


def install(session: nox.Session, *groups: str) -> None:
    """Install distsampler in place with its harness, torch included, and the dependency groups."""
    session.install("-e", ".[harness]", *nox.project.dependency_groups(PYPROJECT, *groups))


def install_without_torch(session: nox.Session) -> None:
    """Install what reads and compares results, which takes seconds; torch is not needed for that."""
    session.install(*PYPROJECT["project"]["optional-dependencies"]["harness"])
    session.install("--no-deps", "-e", ".")


@nox.session
def properties(session: nox.Session) -> None:
    """Run the property tests; pytest's arguments go after `--`."""
    install(session, "properties", "bench")
    session.run("python", "-m", "pytest", "--numprocesses=auto", "--maxprocesses=4", *session.posargs)


@nox.session
def scale(session: nox.Session) -> None:
    """Check samplers of up to 10^12 samples, which takes minutes; pytest's arguments go after `--`."""
    install(session, "properties", "bench")
    session.run("python", "-m", "pytest", "-m", "scale", *session.posargs)


@nox.session
def bench(session: nox.Session) -> None:
    """Measure and write a results CSV; `-- --help` lists the arguments."""
    install(session, "bench")
    session.run("python", "-m", "bench", *session.posargs)


@nox.session
def compare(session: nox.Session) -> None:
    """Compare two results CSVs: `-- OLD.csv NEW.csv`; exit code 1 when something got slower."""
    install_without_torch(session)
    session.run("python", "-m", "distsampler", "compare", *session.posargs)


@nox.session(venv_backend="virtualenv")
def matrix(session: nox.Session) -> None:
    """Put other projects' samplers to the test and write results/conformance.csv; `-- NAME` only some."""
    session.install("pip<24.1")  # later ones refuse the metadata of catalyst
    session.install("-r", "results/peers.txt")
    session.install("--no-deps", "-r", "results/peers-alone.txt")
    install(session)
    session.run("python", "-m", "distsampler.matrix", *session.posargs)


@nox.session
def docs(session: nox.Session) -> None:
    """Write the generated parts of the documentation; `-- --check` only says whether they are current."""
    install_without_torch(session)
    session.run(
        "python", "-m", "distsampler.results.report", "README.md", "results/README.md", *session.posargs
    )


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, types and formatting; ruff's arguments go after `--`."""
    install(session, "lint", "properties", "bench")
    session.run("ruff", "check", *session.posargs)
    session.run("ruff", "format", "--check")
    session.run("mypy")
