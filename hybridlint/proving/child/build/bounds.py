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


def bounded(chosen: Mapping[str, str]) -> dict[str, str]:
    """Return guessed arguments in which the upper end of a range is larger than the lower end.

    A range whose ends are equal hides what the code draws from it or how it scales by its width.
    """
    found = dict(chosen)
    for name, text in chosen.items():
        if _NUMBER.fullmatch(text) is None:
            continue
        for upper in _uppers(name):
            if chosen.get(upper) == text:
                found[upper] = repr(2 * float(text)) if "." in text else str(2 * int(text))
    return found


def _uppers(name: str) -> list[str]:
    """Return the possible names of the upper end of a range whose lower end has this name."""
    return [
        "_".join([*parts[:place], upper, *parts[place + 1 :]])
        for parts in [name.split("_")]
        for place, part in enumerate(parts)
        for lower, upper in _ENDS
        if part == lower
    ]
