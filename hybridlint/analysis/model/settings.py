"""Settings that are tuples of sizes, of which only their number is known."""

from __future__ import annotations

from hybridlint.analysis.model.values import STATIC_UNKNOWN, ContainerValue, StaticValue, Value

#: Sequences of more than so many numbers are no sizes.
_MOST_SIZES = 6


def length_of(setting: object) -> int | None:
    """Return how many sizes a tuple or list is that is written as an argument's default; None for anything else."""
    if not isinstance(setting, tuple | list) or not 0 < len(setting) <= _MOST_SIZES:
        return None
    return len(setting) if all(type(size) is int for size in setting) else None


def items_of(setting: Value | None) -> ContainerValue | None:
    """Return the sizes of a setting of which only their number is known, each unknown; None for any other value."""
    if not isinstance(setting, StaticValue) or setting.length is None:
        return None
    return ContainerValue("tuple", (StaticValue(STATIC_UNKNOWN),) * setting.length)
