"""Distributed sampling for torch that can be checked: a sampler, a conformance suite and a benchmark.

The sampler is imported when it is asked for, so that comparing results needs no torch.
"""

from importlib import metadata
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from distsampler.sampler import DistributedSampler

__all__ = ["DistributedSampler"]
__version__ = metadata.version("distsampler")


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'distsampler' has no attribute {name!r}, expected one of {__all__}")
    from distsampler import sampler

    return getattr(sampler, name)
