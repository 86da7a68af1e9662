"""Which samplers the timed tests of this folder run over, and on how many threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from bench.index_generation.samplers import TABLE, cells

if TYPE_CHECKING:
    from collections.abc import Iterator


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a table of other samplers be measured."""
    parser.addoption(
        "--samplers", metavar="MODULE:TABLE", default=TABLE, help="candidates, by default %(default)s"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run every timed test in every cell of the table."""
    if "cell" in metafunc.fixturenames:
        # The option is unknown when pytest was started on a folder above this one.
        table = metafunc.config.getoption("--samplers", default=TABLE)
        metric = metafunc.function.__name__.removeprefix("test_")
        measured = [cell for cell in cells(table) if metric in cell.candidate.metrics]
        metafunc.parametrize("cell", measured, ids=str)


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Keep torch on one thread, as a sampler shares its machine with everything else in training."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)
