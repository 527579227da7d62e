"""The attributes that an object itself has, as opposed to those of its class; no code of its class runs."""

from __future__ import annotations

from collections.abc import Iterator
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any


def attributes(value: Any) -> dict[str, Any]:
    """Return the attributes that an object itself has, those in slots too."""
    slots = {name: raw_attribute(value, name) for kind in type(value).__mro__ for name in _slots(kind)}
    held = {name: inner for name, inner in slots.items() if inner is not _ABSENT}
    return {**held, **raw_attribute(value, "__dict__", {})}


#: Functions, whose attributes are also those of what they are bound to.
_CODE = (FunctionType, BuiltinFunctionType, MethodType)
#: What an attribute that is not there is.
_ABSENT = object()


def raw_attribute(value: Any, name: str, default: Any = _ABSENT) -> Any:
    """Return an attribute as Python finds it without the class's own ``__getattribute__`` and ``__getattr__``."""
    try:
        if isinstance(value, _CODE):
            return getattr(value, name)
        return (type if isinstance(value, type) else object).__getattribute__(value, name)
    except Exception:
        return default


def _slots(kind: type) -> Iterator[str]:
    named = vars(kind).get("__slots__", ())
    yield from (name for name in ([named] if isinstance(named, str) else named) if not name.startswith("__"))
