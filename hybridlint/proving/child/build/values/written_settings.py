"""Values of settings that a module itself writes down, in a dictionary or object among its globals."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any


def written_settings(namespace: Mapping[str, Any], fields: Sequence[str]) -> dict[str, str]:
    """Return an expression for each field, from the first global that holds all of them; empty if none does."""
    for value in namespace.values():
        held = value if isinstance(value, dict) else vars(value) if _is_object(value) else {}
        if fields and all(field in held for field in fields):
            texts = {field: repr(held[field]) for field in fields}
            if all(map(_is_literal, texts.values())):
                return texts
    return {}


def _is_object(value: Any) -> bool:
    return hasattr(value, "__dict__") and not isinstance(value, (type, ModuleType))


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
