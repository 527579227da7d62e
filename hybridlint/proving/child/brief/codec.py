"""The codec of the brief: its records become JSON objects, and are read again by the checks that they declare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.core import schema

if TYPE_CHECKING:
    from hybridlint.core.schema import Check

#: Most characters of a name or expression, and most items of a list.
_MOST_TEXT, _MOST_ITEMS = 1 << 16, 1 << 18
TEXT = schema.exact_text(_MOST_TEXT)
TEXTS = schema.items(TEXT, most=_MOST_ITEMS)


def to_json(value: Any) -> Any:
    """Return a record as JSON data: an object of its fields, but for those with their default values.

    Sets become sorted lists, and dictionaries whose keys are records lists of pairs.
    """
    if hasattr(value, "_asdict"):
        defaults = value._field_defaults
        told = {name: item for name, item in value._asdict().items() if name not in defaults or item != defaults[name]}
        return {name: to_json(item) for name, item in told.items()}
    if isinstance(value, dict):
        named = all(isinstance(name, str) for name in value)
        items = [(name if named else to_json(name), to_json(item)) for name, item in value.items()]
        return dict(items) if named else items
    if isinstance(value, (set, frozenset)):
        return [to_json(item) for item in sorted(value)]
    return [to_json(item) for item in value] if isinstance(value, (list, tuple)) else value


def record(kind: Any, /, **checks: Check) -> Check:
    """Check an object with the fields of a named tuple, which is the result."""
    required = {name: each for name, each in checks.items() if name not in kind._field_defaults}
    check = schema.fields(required, {name: each for name, each in checks.items() if name not in required})
    return lambda value: kind(**check(value))


def several(check: Check, kind: Any = tuple) -> Check:
    """Check a list, which becomes a tuple or a set."""
    items = schema.items(check, most=_MOST_ITEMS)
    return lambda value: kind(items(value))


def by_name(check: Check) -> Check:
    """Check an object whose keys are names."""
    return schema.table(TEXT, check, most=_MOST_ITEMS)


def pairs(first: Check, second: Check) -> Check:
    """Check a list of pairs, which becomes a dictionary."""
    items = schema.items(schema.parts(first, second), most=_MOST_ITEMS)
    return lambda value: dict(items(value))
