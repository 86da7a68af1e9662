"""Do all ranks draw from the same order? What decides it, compared in one small collective."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import TYPE_CHECKING, Any, Protocol

import torch
import torch.distributed as dist

if TYPE_CHECKING:
    from collections.abc import Mapping

# Numbers below travel as they are and can be named; the rest travels as a hash above it.
LARGEST_NUMBER = 2**62

ADVICE = {
    "dataset_length": "list the same files on every rank",
    "identity": "bring the data into the same order on every rank, for example by sorting the file list",
    "seed": "give every rank the same seed",
    "epoch": "call set_epoch with the same epoch on every rank",
    "delivered": "load the same state on every rank",
    "num_replicas": "give every rank the size of the group",
}


class Agreeing(Protocol):
    """A sampler that can say what decides its order."""

    num_replicas: int
    rank: int

    def decisive(self) -> Mapping[str, Any]:
        """Return everything that decides the order and must be the same on every rank, as JSON values."""


def fingerprint(sampler: Agreeing, identity: Any = None) -> str:
    """Return 16 hex digits that are equal where `sampler` and `identity` give the same global order."""
    text = json.dumps({**sampler.decisive(), "identity": _canonical(identity)}, sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def check_agreement(sampler: Agreeing, identity: Any = None, group: dist.ProcessGroup | None = None) -> str:
    """Return the fingerprint if all ranks of `group` have the same, else raise on every rank alike.

    `identity` is any value of text, bytes, numbers and lists of them that must agree too, such as a hash of
    the file list. `group` holds the ranks that share the dataset, the default group if None. Call it on every
    rank, after `set_epoch` and `load_state_dict`: it gathers a few integers once.

    Raises RuntimeError that names the rank that differs and in what, or two processes that draw as the same
    rank; ValueError if the size of the group is not `num_replicas`.
    """
    if not (dist.is_available() and dist.is_initialized()):
        if sampler.num_replicas == 1:
            return fingerprint(sampler, identity)
        raise ValueError(
            f"num_replicas is {sampler.num_replicas} and there is no process group, expected one to compare "
            "the ranks in; call torch.distributed.init_process_group first"
        )
    decisive = {**sampler.decisive(), "identity": _canonical(identity)}
    gathered = _gather([sampler.rank, *map(_number, decisive.values())], group)
    ranks, *columns = zip(*gathered, strict=True)
    for name, values in zip(decisive, columns, strict=True):
        _check_equal(name, values)
    if sampler.num_replicas != len(ranks):
        raise ValueError(
            f"num_replicas is {sampler.num_replicas}, expected {len(ranks)}, the size of the process group; "
            "pass group= with the ranks that share the dataset"
        )
    for rank, often in Counter(ranks).items():
        if often > 1:
            members = [member for member, other in enumerate(ranks) if other == rank]
            raise RuntimeError(f"processes {members} all draw as rank {rank}, expected each rank once")
    return fingerprint(sampler, identity)


def _check_equal(name: str, values: tuple[int, ...]) -> None:
    """Raise RuntimeError unless the values of all members of the group are the same."""
    usual, often = Counter(values).most_common(1)[0]
    if often == len(values):
        return
    odd = next(member for member, value in enumerate(values) if value != usual)
    other = values.index(usual)
    got, expected = (
        f"{name}={value}" if value < LARGEST_NUMBER else f"another {name}" for value in (values[odd], usual)
    )
    than = f", rank {other} has {expected}" if usual < LARGEST_NUMBER else f" than rank {other}"
    advice = ADVICE.get(name, f"construct every rank's sampler with the same {name}")
    raise RuntimeError(f"rank {odd} has {got}{than}; expected the same on every rank: {advice}")


def _gather(numbers: list[int], group: dist.ProcessGroup | None) -> list[list[int]]:
    """Return the numbers of every member of the group, in one collective."""
    device = torch.device("cuda") if dist.get_backend(group) == "nccl" else torch.device("cpu")
    mine = torch.tensor(numbers, dtype=torch.int64, device=device)
    everyone = [torch.empty_like(mine) for _ in range(dist.get_world_size(group))]
    dist.all_gather(everyone, mine, group=group)
    return [row.tolist() for row in everyone]


def _number(value: Any) -> int:
    """Return `value` as an int64: itself if it is a small number, else a hash above all of these."""
    if isinstance(value, int) and 0 <= value < LARGEST_NUMBER:
        return int(value)
    digest = hashlib.blake2b(json.dumps(value).encode(), digest_size=8).digest()
    return LARGEST_NUMBER + int.from_bytes(digest, "little") % LARGEST_NUMBER


def _canonical(identity: Any) -> Any:
    """Return `identity` as JSON values, or raise TypeError if two processes could see it differently."""
    if isinstance(identity, bytes):
        return {"bytes": identity.hex()}
    if isinstance(identity, (list, tuple)):
        return [_canonical(part) for part in identity]
    if identity is None or isinstance(identity, (str, int, float)):
        return identity
    raise TypeError(
        f"identity is a {type(identity).__name__}, expected text, bytes, numbers or lists of them; "
        "a hash of what must agree will do"
    )
