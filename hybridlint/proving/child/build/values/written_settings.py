"""Values of settings that a module itself writes down, in a dictionary or object among its globals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite
from types import ModuleType
from typing import Any


def written_settings(namespace: Mapping[str, Any], fields: Sequence[str]) -> dict[str, str]:
    """Return an expression for each field, from the first global that holds all of them; empty if none does."""
    for value in namespace.values():
        held = value if isinstance(value, dict) else vars(value) if _is_object(value) else {}
        if fields and all(field in held and _is_literal(held[field]) for field in fields):
            return {field: repr(held[field]) for field in fields}
    return {}


def _is_object(value: Any) -> bool:
    return hasattr(value, "__dict__") and not isinstance(value, (type, ModuleType))


def _is_literal(value: Any) -> bool:
    """Whether an expression can be written for a value: a number, text or None, or a container of such."""
    if type(value) is dict:
        return all(map(_is_literal, (*value, *value.values())))
    if type(value) in (list, tuple, set):
        return bool(value or type(value) is not set) and all(map(_is_literal, value))
    # Infinity and nan are names.
    return value is None or type(value) in (bool, int, str, bytes) or (type(value) is float and isfinite(value))
