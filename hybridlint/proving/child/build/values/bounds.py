"""Constructor arguments that are the two ends of a range, such as `low` and `high`: guesses of them must differ."""

from __future__ import annotations

import re
from collections.abc import Mapping

#: Words in the names of the lower and the upper end of a range.
_ENDS = [
    tuple(pair.split("-"))
    for pair in [
        "low-high",
        "lo-hi",
        "lower-upper",
        "min-max",
        "minimum-maximum",
        "start-stop",
        "start-end",
        "begin-end",
    ]
]
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def order_bounds(chosen: Mapping[str, str], defaults: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return guessed arguments in which the upper end of a range is larger than the lower end.

    A range whose ends are equal hides what the code draws from it or how it scales by its width. An end that is not
    chosen has the value in `defaults`, and only the other end changes.
    """
    found = dict(chosen)
    known = {**(defaults or {}), **chosen}
    for lower, text in known.items():
        for upper in _uppers(lower):
            other = known.get(upper, "")
            if not _NUMBER.fullmatch(text) or not _NUMBER.fullmatch(other) or float(text) < float(other):
                continue
            if upper in chosen:
                found[upper] = _times(text, 2)
            elif lower in chosen and float(other):
                found[lower] = _times(other, 0.5)
    return found


def _times(text: str, factor: float) -> str:
    """Return a number, as text, times a factor; a whole number stays one if it can."""
    product = float(text) * factor
    return str(int(product)) if "." not in text and product.is_integer() else repr(product)


def _uppers(name: str) -> list[str]:
    """Return the possible names of the upper end of a range whose lower end has this name.

    The name may be dotted, as that of a field of a settings object.
    """
    owner, dot, field = name.rpartition(".")
    return [
        owner + dot + "_".join([*parts[:place], upper, *parts[place + 1 :]])
        for parts in [field.split("_")]
        for place, part in enumerate(parts)
        for lower, upper in _ENDS
        if part == lower
    ]
