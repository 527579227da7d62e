"""Texts that values are formatted into: whether they differ between the runs."""

from __future__ import annotations

import re

from hybridlint.analysis import semantics
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    TEXT,
    ContainerValue,
    DataDependentValue,
    StaticValue,
    Value,
)

_NUMBERS = re.compile(r"%[^a-zA-Z%]*[diouxXeEfFgGc]")


def writes_texts(format_: str) -> bool:
    """Return whether ``format_ % values`` formats values as text only, never as numbers."""
    return _NUMBERS.search(format_) is None


def text_with(*values: Value) -> Value:
    """Return the text that results from formatting values into another text."""
    parts = [item for v in values for item in (v.items or (v.each,) if isinstance(v, ContainerValue) else (v,))]
    is_text = any(
        isinstance(part, DataDependentValue) and part.reason == TEXT for part in map(semantics.library.text_of, parts)
    )
    return DataDependentValue(TEXT) if is_text else StaticValue(STATIC_UNKNOWN)
