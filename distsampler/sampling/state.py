"""The state of a sampler: plain JSON values that say where in which epoch of what order it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

State = dict[str, Any]

# What a state brings; everything else in it must be the same where it is loaded.
BROUGHT = ("epoch", "delivered")


def check_state(state: Mapping[str, Any], here: Mapping[str, Any]) -> None:
    """Raise unless `state` is one that a sampler with the settings `here` can go on from.

    Raises TypeError for what is no mapping, ValueError for other keys, another setting (it names both
    values), and an epoch or position that cannot be.
    """
    if not hasattr(state, "keys"):
        raise TypeError(f"state is a {type(state).__name__}, expected the dict that state_dict() returned")
    expected = {*here, *BROUGHT}
    if set(state.keys()) != expected:
        raise ValueError(
            f"state has the keys {sorted(map(str, state.keys()))}, expected {sorted(expected)}; "
            "load the dict that state_dict() of a distsampler sampler returned"
        )
    for name in here:
        if state[name] != here[name]:
            raise ValueError(
                f"state has {name}={state[name]!r}, expected {here[name]!r} as in this sampler; "
                "resume with the settings that the state was saved with, or start the epoch anew"
            )
    _check_integer("epoch", state["epoch"], None)
    _check_integer("delivered", state["delivered"], state["dataset_length"])


def _check_integer(name: str, value: Any, most: int | None) -> None:
    within = "0 or more" if most is None else f"a value in [0, {most}]"
    if type(value) is not int or value < 0 or (most is not None and value > most):
        raise ValueError(f"state has {name}={value!r}, expected {within}")
