"""Operands that NDArray's Python operators accept and Symbol's do not, and why they fail."""

from __future__ import annotations

from hybridlint.analysis.model.shapes import mismatch
from hybridlint.analysis.model.values import EagerTracePair, Mode, Outputs, StaticValue, Tensor, Value
from hybridlint.runtime.facts import surface

_DUNDERS = {"&": "__and__", "|": "__or__", "^": "__xor__", "@": "__matmul__", "~": "__invert__"}


def operator_failure(mode: Mode, symbol: str, left: Value, right: Value) -> str | None:
    """Return why a binary operator fails at the trace, or None."""
    for value in (v.traced if isinstance(v, EagerTracePair) else v for v in (left, right)):
        if isinstance(value, StaticValue) and value.may_be_boolean and mode == "legacy":
            return "Symbol takes no bool as a scalar"
    if isinstance(left, Outputs) or isinstance(right, Outputs):
        return "several outputs are a list eagerly and one Symbol at the trace"
    if mode == "np":
        dunder = _DUNDERS.get(symbol)
        lack = surface.tensor_lack(dunder, mode) if dunder else None
        return None if lack is None else f"the Symbol of numpy mode has no `{symbol}`"
    if not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return None
    return mismatch(left, right)
