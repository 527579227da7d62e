"""The attributes that an object itself has, as opposed to those of its class."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def attributes(value: Any) -> dict[str, Any]:
    """Return the attributes that an object itself has, those in slots too."""
    slots = [name for kind in type(value).__mro__ for name in _slots(kind)]
    held = {name: getattr(value, name) for name in slots if hasattr(value, name)}
    return {**held, **getattr(value, "__dict__", {})}


def _slots(kind: type) -> Iterator[str]:
    named = vars(kind).get("__slots__", ())
    yield from (name for name in ([named] if isinstance(named, str) else named) if not name.startswith("__"))
