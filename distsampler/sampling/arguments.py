"""What constructors accept: integers that are integers, flags that are flags, ranks that exist."""

from __future__ import annotations

import operator
from typing import Any, TypeVar, get_args

import torch.distributed as dist

T = TypeVar("T")


def flag(name: str, value: Any) -> bool:
    """Return `value` if it is a bool, else raise TypeError."""
    if not isinstance(value, bool):
        raise TypeError(f"{name} is {value!r}, expected True or False")
    return value


def integer(name: str, value: Any) -> int:
    """Return `value` as an int; raise TypeError for floats, bools and what else is no integer."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}, expected an integer")
    return operator.index(value)


def natural(name: str, value: Any, least: int = 0) -> int:
    """Return `value` as an int; raise TypeError if it is none, ValueError if it is below `least`."""
    number = integer(name, value)
    if number < least:
        raise ValueError(f"{name} is {number}, expected {least} or more")
    return number


def within(name: str, value: Any, most: int) -> int:
    """Return `value` as an int; raise TypeError if it is none, ValueError outside `[0, most]`."""
    number = integer(name, value)
    if not 0 <= number <= most:
        raise ValueError(f"{name} is {number}, expected a value in [0, {most}]")
    return number


def choice(name: str, value: T, allowed: Any) -> T:
    """Return `value` if the Literal type `allowed` has it, else raise ValueError."""
    if value not in get_args(allowed):
        raise ValueError(f"{name} is {value!r}, expected one of {list(get_args(allowed))}")
    return value


def length_of(dataset: Any) -> int:
    """Return the dataset's length, or raise TypeError if it has none."""
    if not hasattr(dataset, "__len__"):
        raise TypeError(
            f"dataset is a {type(dataset).__name__} without a length, expected a map-style dataset "
            "with __len__; an iterable dataset has to be split where it is read"
        )
    return len(dataset)


def replicas(num_replicas: int | None, rank: int | None) -> tuple[int, int]:
    """Return num_replicas and rank as given, or as in the default process group where they are None.

    Raises ValueError for None without a process group, TypeError for what is no integer.
    """
    count = _of_group("num_replicas") if num_replicas is None else integer("num_replicas", num_replicas)
    number = _of_group("rank") if rank is None else integer("rank", rank)
    return count, number


def _of_group(name: str) -> int:
    """Return `num_replicas` or `rank` of the default process group."""
    if not (dist.is_available() and dist.is_initialized()):
        raise ValueError(
            f"{name} is None and there is no process group, expected an integer; pass {name}= "
            "or call torch.distributed.init_process_group first"
        )
    return dist.get_world_size() if name == "num_replicas" else dist.get_rank()
