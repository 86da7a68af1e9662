"""What tests of several files need."""

import signal

import pytest


@pytest.fixture
def interruptible():
    """Let Ctrl-C reach what the test starts, even where it is ignored, as in a shell's background jobs."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
