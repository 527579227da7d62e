"""State that functions of a block's pass keep between calls: in closures, defaults and attributes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import FunctionType
from typing import Any

#: What a function can keep that a call changes.
_CHANGING = (list, dict, set, int, float)


def keeping(names: Iterable[str], part: Any, namespace: Mapping[str, Any]) -> list[str]:
    """Return the names, of those that a pass of a part of a block reads, of functions that may keep something.

    A name is that of an attribute of the part, of a method, or of a function of the module.
    """
    return list(dict.fromkeys(name for name, function in _called(names, part, namespace) if _may_keep(function)))


def kept_state(part: Any, name: str, namespace: Mapping[str, Any]) -> list[Any]:
    """Return the state that a function keeps: the contents of its closure, its defaults, and its attributes."""
    function = _function(part, name, namespace)
    return [] if function is None else [*_closed(function), *_defaults(function), *vars(function).values()]


def is_own(part: Any, name: str) -> bool:
    """Whether a function is an attribute or method of a part, and not one of the module."""
    return name in vars(part) or name in vars(type(part))


def _called(names: Iterable[str], part: Any, namespace: Mapping[str, Any]) -> Iterator[tuple[str, FunctionType]]:
    for name in names:
        function = _function(part, name, namespace)
        if function is not None and function.__module__ == type(part).__module__:
            yield name, function


def _function(part: Any, name: str, namespace: Mapping[str, Any]) -> FunctionType | None:
    own = vars(part).get(name, vars(type(part)).get(name, namespace.get(name)))
    found = getattr(own, "__func__", own)
    return found if isinstance(found, FunctionType) else None


def _may_keep(function: FunctionType) -> bool:
    values = [*_closed(function), *_defaults(function), *vars(function).values()]
    return any(isinstance(value, _CHANGING) for value in values)


def _closed(function: FunctionType) -> list[Any]:
    return list(map(_content, function.__closure__ or ()))


def _content(cell: Any) -> Any:
    """Return the value in a closure's cell, None if the cell is empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _defaults(function: FunctionType) -> list[Any]:
    return [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
