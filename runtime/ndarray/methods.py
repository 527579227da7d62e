"""Methods of NDArray that call one operator: arithmetic, comparisons, and those that definitions of operators name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hybridlint.runtime import autograd
from hybridlint.runtime.core import mixed_precision
from hybridlint.runtime.core.binding import bind, require_given
from hybridlint.runtime.core.imperative import invoke
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.fluent import TAKING_INPLACE, fluent
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.ndarray.ndarray import NDArray


def _arithmetic(both: str, scalar: str, reflected: str | None = None) -> Callable[[NDArray, Any], Any]:
    """Make a method for ``array <op> other``: operators for two arrays, for a number, and for the number in front."""

    def method(self: NDArray, other: Any) -> Any:
        if isinstance(other, NDArray):
            return _with_array(self, other, both)
        return _with_scalar(self, other, scalar)

    def swapped(self: NDArray, other: Any) -> Any:
        if isinstance(other, NDArray):
            return _with_array(other, self, both)
        return _with_scalar(self, other, reflected or scalar)

    method.swapped = swapped  # type: ignore[attr-defined]
    return method


def _with_array(left: NDArray, right: NDArray, name: str) -> Any:
    op = registry.get(name)
    inputs: list[Any] = [left, right]
    if mixed_precision.arrays is not None:
        inputs = mixed_precision.arrays(op, inputs, {})
    return invoke(op, inputs, {})


def _with_scalar(array: NDArray, other: Any, name: str) -> NDArray:
    op = registry.get(name)
    return invoke(op, [array], normalize(op, {"scalar": _number(other)}))  # type: ignore[no-any-return]


def _number(other: Any) -> float:
    """Return a number to combine an array with. Raises TypeError for anything else."""
    if not isinstance(other, (float, int, np.generic)):
        raise TypeError(f"type {type(other)} not supported")
    return float(other)


def _in_place(method: Callable[[NDArray, Any], Any], both: str, scalar: str) -> Callable[[NDArray, Any], NDArray]:
    def change(self: NDArray, other: Any) -> NDArray:
        if isinstance(other, NDArray):
            return invoke(registry.get(both), [self, other], {}, out=self)  # type: ignore[no-any-return]
        op = registry.get(scalar)
        return invoke(op, [self], normalize(op, {"scalar": _number(other)}), out=self)  # type: ignore[no-any-return]

    return change


#: Python operator -> operators for two arrays, for a scalar, and for a scalar in front.
ARITHMETIC = {
    "add": ("broadcast_add", "_plus_scalar", "_plus_scalar"),
    "sub": ("broadcast_sub", "_minus_scalar", "_rminus_scalar"),
    "mul": ("broadcast_mul", "_mul_scalar", "_mul_scalar"),
    "truediv": ("broadcast_div", "_div_scalar", "_rdiv_scalar"),
    "mod": ("broadcast_mod", "_mod_scalar", "_rmod_scalar"),
    "pow": ("broadcast_power", "_power_scalar", "_rpower_scalar"),
}
COMPARISONS = {
    "eq": ("broadcast_equal", "_equal_scalar"),
    "ne": ("broadcast_not_equal", "_not_equal_scalar"),
    "gt": ("broadcast_greater", "_greater_scalar"),
    "ge": ("broadcast_greater_equal", "_greater_equal_scalar"),
    "lt": ("broadcast_lesser", "_lesser_scalar"),
    "le": ("broadcast_lesser_equal", "_lesser_equal_scalar"),
}


def _fluent(op: Operator, name: str) -> Callable[..., Any]:
    def method(self: NDArray, *args: Any, **kwargs: Any) -> Any:
        out = kwargs.pop("out", None)
        views = name in TAKING_INPLACE and bool(kwargs.pop("inplace", False))
        inputs, given = bind(op, (self, *args), kwargs, NDArray, "have NDArray type")
        if op.facts.traced_required and autograd.mode.recording and self._entry:
            require_given(op, given, op.name)
        return invoke(op, inputs, normalize(op, given), out, views=views)

    method.__name__ = name
    method.__qualname__ = f"NDArray.{name}"
    method.__doc__ = op.doc
    return method


def _install_methods() -> None:
    for name, (both, scalar, reflected) in ARITHMETIC.items():
        method = _arithmetic(both, scalar, reflected)
        setattr(NDArray, f"__{name}__", method)
        setattr(NDArray, f"__r{name}__", method.swapped)  # type: ignore[attr-defined]
        if name != "pow":
            setattr(NDArray, f"__i{name}__", _in_place(method, both, scalar))
    for name, (both, scalar) in COMPARISONS.items():
        setattr(NDArray, f"__{name}__", _arithmetic(both, scalar))
    for name, op in fluent().items():
        if name not in vars(NDArray):
            setattr(NDArray, name, _fluent(op, name))


_install_methods()
