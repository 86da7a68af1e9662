"""Distributed sampling for torch that can be checked: a sampler, a conformance suite and a benchmark.

The sampler is imported when it is asked for, so that comparing results needs no torch.
"""

import importlib
from importlib import metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distsampler.sampling.agreement import check_agreement
    from distsampler.sampling.distributed import distribute
    from distsampler.sampling.sampler import DistributedSampler

__all__ = ["DistributedSampler", "check_agreement", "distribute"]
__version__ = metadata.version("distsampler")

_HOME = {"DistributedSampler": "sampler", "check_agreement": "agreement", "distribute": "distributed"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'distsampler' has no attribute {name!r}, expected one of {__all__}")
    return getattr(importlib.import_module(f"distsampler.sampling.{_HOME[name]}"), name)
