"""The codec of the brief: its records become JSON objects, and are read again as their annotations declare."""

from __future__ import annotations

import sys
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from hybridlint.core import schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.core.schema import Check

#: Most characters of a name or expression, most items of a list, and the largest whole number.
_MOST_TEXT, _MOST_ITEMS, _LARGEST = 1 << 16, 1 << 18, 1 << 53


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


@lru_cache(maxsize=64)
def check_of(kind: Any) -> Check:
    """Return the check of a named tuple: an object of its fields, whose annotations declare them. The result is one.

    An annotation consists of str, int, float, bool, None, named tuples of its module, ``tuple``, ``frozenset`` and
    ``Mapping``.
    """
    of_module = vars(sys.modules[kind.__module__]).items()
    records = {name: _Type(partial(_checked, other)) for name, other in of_module if hasattr(other, "_field_defaults")}
    written = {name: getattr(each, "__forward_arg__", each) for name, each in kind.__annotations__.items()}
    types = {name: eval(text, {**records, **_TYPES}) for name, text in written.items()}
    required = {name: each for name, each in types.items() if name not in kind._field_defaults}
    fields = schema.fields(required, {name: each for name, each in types.items() if name not in required})
    return lambda value: kind(**fields(value))


def _checked(kind: Any, value: Any) -> Any:
    # A record may hold one of its own kind.
    return check_of(kind)(value)


class _Type:
    """A type in an annotation, as the check of its data."""

    def __init__(self, check: Check, *, named: bool = False) -> None:
        self.check = check
        #: Whether its data are the keys of an object.
        self.named = named

    def __call__(self, value: Any) -> Any:
        return self.check(value)

    def __or__(self, other: _Type | None) -> _Type:
        if other is None:
            return _Type(schema.optional(self.check))
        return _Type(lambda value: self.check(value) if type(value) is str else other.check(value))


class _Generic:
    """A type of several parts, as a function from the checks of these to its own."""

    def __init__(self, check: Callable[[Any], Check]) -> None:
        self._check = check

    def __getitem__(self, parts: Any) -> _Type:
        return _Type(self._check(parts))


def _several(kind: Any, check: Check) -> Check:
    items = schema.items(check, most=_MOST_ITEMS)
    return lambda value: kind(items(value))


def _tuple(parts: Any) -> Check:
    if parts[-1] is ...:
        return _several(tuple, parts[0])
    check = schema.parts(*parts)
    return lambda value: tuple(check(value))


def _mapping(parts: Any) -> Check:
    key, item = parts
    return schema.table(key, item, most=_MOST_ITEMS) if key.named else _several(dict, schema.parts(key, item))


_TYPES = {
    "str": _Type(schema.exact_text(_MOST_TEXT), named=True),
    "int": _Type(schema.whole(-_LARGEST, _LARGEST)),
    "float": _Type(schema.number),
    "bool": _Type(schema.flag),
    "tuple": _Generic(_tuple),
    "frozenset": _Generic(partial(_several, frozenset)),
    "Mapping": _Generic(_mapping),
}
