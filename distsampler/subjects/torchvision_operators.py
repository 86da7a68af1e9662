"""What torchvision's wheel needs for its import beside a torch that it was not built for."""

from __future__ import annotations

import functools
from typing import Any

import torch

_BOXES = "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"


@functools.cache
def declare() -> Any:
    """Declare the operators that torchvision registers fakes for, where its own library can't be loaded.

    No sampler calls one. Does nothing where torchvision is whole or not installed. The library that is
    returned has to stay alive, which the cache sees to.
    """
    try:
        import torchvision  # noqa: F401  (only whether it can be)
    except ImportError:
        return None
    except RuntimeError:
        library: Any = torch.library.Library("torchvision", "DEF")  # type: ignore[no-untyped-call]
        library.define(f"nms{_BOXES}")
        library.define(f"qnms{_BOXES}")
        return library
    return None
