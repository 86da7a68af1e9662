"""End-to-end training benchmark: samples per second of real training, under every strategy and sampler."""

from bench.training.runner import run

__all__ = ["run"]
