"""Operators as functions of ``mx.nd``, in MXNet's calling conventions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridlint.runtime import autograd
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.context import named
from hybridlint.runtime.core import mixed_precision
from hybridlint.runtime.core.binding import bind, require_given
from hybridlint.runtime.core.imperative import invoke
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.ndarray.ndarray import NDArray


def legacy_only(operator: str) -> TypeError:
    """Return the error of an operator of the legacy interface on an array of numpy mode."""
    return TypeError(
        f"Operator `{operator}` takes arrays of the legacy interface only, but got an mx.np.ndarray: "
        "call as_nd_ndarray() on it"
    )


def make_function(op: Operator, public_name: str) -> Callable[..., Any]:
    """Return the function of ``mx.nd`` that runs an operator on NDArrays.

    It takes inputs and parameters by position or by keyword, ``out=`` to write into an array, and ignores ``name=``.
    """
    places = len(op.inputs) + len(op.params)
    needed = op.facts.traced_required

    def function(*args: Any, out: Any = None, name: str | None = None, **kwargs: Any) -> Any:
        if not op.variadic and len(args) > places:
            args, out = args[:places], args[places]
        ctx = kwargs.pop("ctx", None)
        if isinstance(ctx, str) and (ctx := named(given_ctx := ctx)) is None:
            raise MXNetError(f"Invalid context string {given_ctx}")
        if op.random and isinstance(out, NDArray) and "shape" in op.params and not op.inputs:
            kwargs.setdefault("shape", out.shape)
        inputs, given = bind(op, args, kwargs, NDArray, "have NDArray type")
        for array in inputs:
            if array is not None and array._scalars:
                raise legacy_only(op.name)
        if needed and autograd.mode.recording and any(array is not None and array._entry for array in inputs):
            require_given(op, given, op.name)
        if inputs or out is not None:
            params = normalize(op, given)
            if mixed_precision.arrays is not None:
                inputs = mixed_precision.arrays(op, inputs, params)
            return invoke(op, inputs, params, out)
        return invoke(op, inputs, normalize(op, given), ctx=ctx)

    function.__name__ = function.__qualname__ = public_name
    function.__doc__ = op.doc
    return function
