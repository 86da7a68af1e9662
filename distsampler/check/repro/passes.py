"""Endings of scripts about what all ranks draw in a case's epochs."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from distsampler.check.repro.setting import BeProcess, Drawn, Ending, Make


def coverage(drawn: Drawn, length: int, num_replicas: int, remainder: str) -> None:
    """Every index is drawn by some rank in every epoch."""
    allowed = length % num_replicas if remainder == "drop" else 0
    for epoch, ranks in drawn.items():
        missing = sorted(set(range(length)) - set(itertools.chain(*ranks)))
        assert len(missing) <= allowed, f"epoch {epoch}: no rank draws {missing}, expected at most {allowed}"


def disjointness(drawn: Drawn, length: int, num_replicas: int, remainder: str) -> None:
    """No index is drawn twice in an epoch."""
    allowed = -length % num_replicas if remainder == "pad" else 0
    for epoch, ranks in drawn.items():
        repeats = sum(map(len, ranks)) - len(set(itertools.chain(*ranks)))
        assert repeats <= allowed, (
            f"epoch {epoch}: {repeats} draws repeat an index, expected at most {allowed}"
        )


def equal_lengths(drawn: Drawn, remainder: str) -> None:
    """Every rank draws as many indices as the others."""
    for epoch, ranks in drawn.items():
        lengths = [len(indices) for indices in ranks]
        assert max(lengths) - min(lengths) <= (remainder == "uneven"), f"epoch {epoch}: {lengths} indices"


def minimal_padding(drawn: Drawn, length: int, num_replicas: int, remainder: str) -> None:
    """No more is drawn than equal lengths need, and no index is repeated twice before all are once."""
    whole = length // num_replicas * num_replicas
    total = {"pad": length + -length % num_replicas, "drop": whole, "uneven": length}[remainder]
    for epoch, ranks in drawn.items():
        counts = Counter(itertools.chain(*ranks))
        assert sum(counts.values()) <= total, f"epoch {epoch}: {sum(counts.values())} draws, expected {total}"
        most_often = max(counts.values(), default=0)
        assert most_often <= -(-total // max(1, length)), (
            f"epoch {epoch}: an index is drawn {most_often} times"
        )


def remainder(drawn: Drawn, length: int, num_replicas: int, remainder: str) -> None:
    """One policy deals with the remainder."""
    whole = length // num_replicas * num_replicas
    total = {"pad": length + -length % num_replicas, "drop": whole, "uneven": length}[remainder]
    for epoch, ranks in drawn.items():
        got = sum(map(len, ranks))
        assert got == total, f"epoch {epoch}: {got} draws of all ranks, expected {total} for {remainder}"


def no_crash(drawn: Drawn, most: int) -> None:
    """Every rank is constructed and iterated to its end without an exception."""
    for epoch, ranks in drawn.items():
        assert max(map(len, ranks)) < most, f"epoch {epoch}: still yields after {most} indices"


def index_type(drawn: Drawn) -> None:
    """Every index is an integer, Python's or numpy's."""
    for ranks in drawn.values():
        for index in itertools.chain(*ranks):
            assert type(index) is int or isinstance(index, np.integer), f"{index!r} is a {type(index)}"


def bounds(drawn: Drawn, length: int) -> None:
    """Every index lies in [0, length)."""
    for ranks in drawn.values():
        for index in itertools.chain(*ranks):
            assert 0 <= index < length, f"index {index}, expected a value in [0, {length})"


def order(drawn: Drawn, length: int, num_replicas: int, remainder: str) -> None:
    """Every rank's indices ascend; repeats that pad come last."""
    padding = -length % num_replicas if remainder == "pad" else 0
    for ranks in drawn.values():
        for indices in ranks:
            descents = [at for at in range(1, len(indices)) if indices[at] <= indices[at - 1]]
            assert not descents or len(indices) - descents[0] <= padding, f"{indices} do not ascend"


def reshuffle(drawn: Drawn) -> None:
    """Every epoch has an order of its own, and it is not the dataset's."""
    for epoch, ranks in drawn.items():
        assert list(drawn.values()).count(ranks) == 1, f"epoch {epoch}: the order of another epoch"
        assert any(indices != sorted(indices) for indices in ranks), f"epoch {epoch}: not shuffled"


def length(be_process: BeProcess, make: Make, epochs: list[int], num_replicas: int, most: int) -> None:
    """len() is the number of indices that a pass yields, before it, during it and after it."""
    for rank in range(num_replicas):
        be_process(rank)
        sampler = make(rank)
        for epoch in epochs:
            sampler.set_epoch(epoch)
            before = len(sampler)
            iterator = iter(sampler)
            drawn = list(itertools.islice(iterator, 1))
            during = len(sampler)
            drawn += itertools.islice(iterator, most)
            declared = [before, during, len(sampler)]
            print(f"epoch {epoch}, rank {rank}: yields {len(drawn)}, len() is {declared}")
            assert declared == [len(drawn)] * 3, "expected what it yields, before, during and after the pass"


ENDINGS: dict[str, Ending] = {
    "coverage": coverage,
    "disjointness": disjointness,
    "equal_lengths": equal_lengths,
    "minimal_padding": minimal_padding,
    "remainder": remainder,
    "no_crash": no_crash,
    "index_type": index_type,
    "bounds": bounds,
    "order": order,
    "reshuffle": reshuffle,
    "length": length,
}
