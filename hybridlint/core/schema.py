"""Checks of data that another process or a file gives: a check returns the declared data, or raises MalformedError.

The codec of a message declares its check next to the type that it reads. Data may come from an enemy: a check reads no
more than it declares, drops other fields, and bounds numbers, lengths and texts.
This module also runs under Python 3.8, because a proof's process does.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    #: Returns the declared data, or raises MalformedError.
    Check = Callable[[Any], Any]

#: Characters of a text that is shown; longer texts are cut.
MOST_TEXT = 2_000
#: Items of a list, unless a check says otherwise.
MOST_ITEMS = 10_000
#: Digits of a number in JSON; more take Python quadratic time.
_MOST_DIGITS = 400
_MOST_PATH = 4_096
#: Characters that move a terminal's cursor or that no encoding can write.
_UNSHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class MalformedError(ValueError):
    """Raised for data that differs from its declaration; the text names the field and says what it must be."""


def parse_json(data: bytes | str) -> Any:
    """Return the value of a JSON text, in bounded time. Raises MalformedError."""
    try:
        return json.loads(data, parse_int=_short_int)
    except (ValueError, RecursionError, MemoryError):
        raise MalformedError(" is not JSON") from None


def _short_int(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise MalformedError(" has a number of too many digits")
    return int(digits)


def text(most: int = MOST_TEXT) -> Check:
    """Check a text for people: it is cut to `most` characters and freed of control characters."""

    def check(value: Any) -> str:
        _expect(type(value) is str, "a text")
        short = value if len(value) <= most else f"{value[:most]}..."
        return _UNSHOWN.sub("\ufffd", short)

    return check


def exact_text(most: int) -> Check:
    """Check a text that programs read, which is never cut."""

    def check(value: Any) -> Any:
        _expect(type(value) is str and len(value) <= most, f"a text of at most {most} characters")
        return value

    return check


def file_path(value: Any) -> Any:
    """Check an absolute path."""
    _expect(type(value) is str and len(value) <= _MOST_PATH, "a path")
    try:
        _expect(os.path.isabs(value) and b"\0" not in os.fsencode(value), "an absolute path")
    except UnicodeEncodeError:
        raise MalformedError(" must be a path that the system can have") from None
    return value


def whole(low: int = 0, high: int = 1 << 53) -> Check:
    """Check a whole number of a range."""

    def check(value: Any) -> Any:
        _expect(type(value) is int and low <= value <= high, f"a whole number from {low} to {high}")
        return value

    return check


def number(value: Any) -> float:
    """Check a number, which may be infinite."""
    _expect(type(value) is float or (type(value) is int and abs(value) < 1 << 53), "a number")
    return float(value)


def seconds(value: Any) -> float:
    """Check a finite number of at least 0."""
    found = number(value)
    _expect(math.isfinite(found) and found >= 0, "a number of seconds")
    return found


def flag(value: Any) -> Any:
    """Check a truth value."""
    _expect(type(value) is bool, "true or false")
    return value


def optional(check: Check) -> Check:
    """Check data that may be None."""
    return lambda value: None if value is None else check(value)


def one_of(*values: str) -> Check:
    """Check one of a few texts."""

    def check(value: Any) -> Any:
        _expect(type(value) is str and value in values, f"one of {', '.join(values)}")
        return value

    return check


def items(check: Check, most: int = MOST_ITEMS, least: int = 0) -> Check:
    """Check a list, or a tuple in data of this process; the result is a list."""

    def checked(value: Any) -> list[Any]:
        _expect(isinstance(value, (list, tuple)) and least <= len(value) <= most, f"a list of {least} to {most} items")
        return [_within(f"[{k}]", check, item) for k, item in enumerate(value)]

    return checked


def parts(*checks: Check) -> Check:
    """Check a list with a declaration for each item."""

    def checked(value: Any) -> list[Any]:
        _expect(isinstance(value, (list, tuple)) and len(value) == len(checks), f"a list of {len(checks)} items")
        return [_within(f"[{k}]", check, item) for k, (check, item) in enumerate(zip(checks, value))]  # noqa: B905

    return checked


def table(key: Check, check: Check, most: int = MOST_ITEMS) -> Check:
    """Check an object whose keys are data too."""

    def checked(value: Any) -> dict[Any, Any]:
        _expect(isinstance(value, Mapping) and len(value) <= most, f"an object of at most {most} entries")
        return {_within("[name]", key, name): _within("[value]", check, item) for name, item in value.items()}

    return checked


def fields(required: Mapping[str, Check], more: Mapping[str, Check] | None = None) -> Check:
    """Check an object with required fields, and with others that may be absent; all others are dropped."""
    further = more or {}

    def checked(value: Any) -> dict[str, Any]:
        _expect(isinstance(value, Mapping), "an object")
        missing = [name for name in required if name not in value]
        if missing:
            raise MalformedError(f" has no `{missing[0]}`")
        declared = {**required, **{name: check for name, check in further.items() if name in value}}
        return {name: _within(f".{name}", check, value[name]) for name, check in declared.items()}

    return checked


def both(check: Check, *, holds: Callable[[Any], bool], what: str) -> Check:
    """Check data, and then a relation between its parts; `what` says what they must be."""

    def checked(value: Any) -> Any:
        found = check(value)
        _expect(holds(found), what)
        return found

    return checked


def merge_fields(*checks: Check) -> Check:
    """Check an object by several declarations of fields, and return the fields of all."""

    def checked(value: Any) -> dict[str, Any]:
        return {name: item for check in checks for name, item in check(value).items()}

    return checked


def by_event(checks: Mapping[str, Check]) -> Check:
    """Check a message by its field `event`, which the result keeps."""

    def checked(value: Any) -> dict[str, Any]:
        _expect(isinstance(value, Mapping), "an object")
        event = value.get("event")
        if type(event) is not str or event not in checks:
            raise MalformedError(".event must be one of " + ", ".join(checks))
        return {"event": event, **checks[event](value)}

    return checked


def _expect(holds: bool, what: str) -> None:
    if not holds:
        raise MalformedError(f" must be {what}")


def _within(name: str, check: Check, value: Any) -> Any:
    try:
        return check(value)
    except MalformedError as error:
        raise MalformedError(f"{name}{error}") from None


def in_words(error: MalformedError) -> str:
    """Return the fault of a message, with the name of its field in backticks."""
    place, _, rest = str(error).partition(" ")
    return f"`{place.lstrip('.')}` {rest}" if place.startswith((".", "[")) else f"it {str(error).strip()}"
