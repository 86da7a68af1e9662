"""Numbers as a reader wants them: three significant digits and a unit that fits."""

from __future__ import annotations

_SCALES: dict[str, tuple[tuple[float, str], ...]] = {
    "s": ((1.0, " s"), (1e-3, " ms"), (1e-6, " µs"), (1e-9, " ns")),
    "B": ((1e9, " GB"), (1e6, " MB"), (1e3, " kB"), (1.0, " B")),
    "1/s": ((1e6, " M/s"), (1e3, " k/s"), (1.0, " /s")),
    "1": ((1.0, ""),),
}


def quantity(value: float, unit: str) -> str:
    """Return `value`, given in the base `unit` of a results CSV, such as `12.3 ms` for 0.01234 s."""
    rounded = float(f"{value:.2e}")
    scales = _SCALES[unit]
    scale, suffix = next((s for s in scales if rounded >= s[0]), scales[-1])
    return f"{significant(rounded / scale)}{suffix}"


def significant(value: float) -> str:
    """Return a number of at least 0 with three significant digits, such as `0.500` or `1230`."""
    text = f"{value:#.3g}".rstrip(".") if value else "0"
    return f"{float(text):g}" if "e+" in text else text
