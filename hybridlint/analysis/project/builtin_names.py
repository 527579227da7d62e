"""The meaning of names that a program does not bind: Python's own."""

from __future__ import annotations

from hybridlint.analysis.model.values import External, StaticValue, Value

_BUILTINS = {"Ellipsis": StaticValue(Ellipsis), "__debug__": StaticValue(True, certain=True)}


def builtin(name: str) -> Value:
    """Return the meaning of a name that the program does not bind: a builtin, or Unknown."""
    return _BUILTINS.get(name) or External(f"builtins.{name}")
