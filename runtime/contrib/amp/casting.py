"""Calls whose inputs are cast to the precision of their operator, as programs make them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridlint.runtime import ndarray as nd
from hybridlint.runtime import symbol as sym
from hybridlint.runtime.core.mixed_precision import WIDE, Precision
from hybridlint.runtime.facts.registry import Operator


class Casting:
    """Casts of the inputs of calls."""

    def __init__(self, precision: Precision) -> None:
        self._precision = precision
        narrow = precision.dtype
        # In main memory MXNet widens nothing: it casts only what is float32 there.
        self._floats = {"cpu": (WIDE,), "gpu": (WIDE, narrow)}

    def arrays(self, op: Operator, inputs: list[Any], params: Mapping[str, Any]) -> list[Any]:
        """Return arrays in the dtype that their operator computes in."""
        kind = self._precision.kind(op, params)
        if kind is None:
            return inputs
        if kind == "widest":
            names = {x.dtype.__name__ for x in inputs if x is not None}
            if not {WIDE, self._precision.dtype} <= names:
                return inputs
            return [self._array(x, WIDE, (self._precision.dtype,)) for x in inputs]
        target = self._precision.dtype if kind == "narrow" else WIDE
        return [self._array(x, target, None) for x in inputs]

    def _array(self, array: Any, target: str, floats: tuple[str, ...] | None) -> Any:
        if array is None or array.dtype.__name__ == target:
            return array
        known = floats or self._floats.get(array.context.device_type, (WIDE,))
        return nd.amp_cast(array, dtype=target) if array.dtype.__name__ in known else array

    def symbols(self, op: Operator, inputs: list[Any], params: Mapping[str, Any]) -> list[Any]:
        """Return symbols in the dtype that their operator computes in."""
        kind = self._precision.kind(op, params)
        given = [x for x in inputs if x is not None]
        if kind is None or not given:
            return inputs
        if kind == "widest":
            cast = iter(sym.amp_multicast(*given, num_outputs=len(given))) if len(given) > 1 else iter(given)
            return [None if x is None else next(cast) for x in inputs]
        target = self._precision.dtype if kind == "narrow" else WIDE
        return [None if x is None else sym.amp_cast(x, dtype=target) for x in inputs]
