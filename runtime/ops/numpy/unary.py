"""Element-wise operators of one array in numpy mode; most compute the same as legacy operators."""

from __future__ import annotations

from typing import Any

import hybridlint.runtime.ops.elementwise.unary  # noqa: F401  (the operators that these are derived from)
from hybridlint.runtime.facts.registry import Facts, derive, op, sample
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.elementwise.families import (
    zero_gradient,
)
from hybridlint.runtime.ops.numpy.promotion import (
    whole,
)

#: Operators that compute as their legacy twins do.
_UNARY = [
    "reciprocal",
    "square",
    "sqrt",
    "cbrt",
    "exp",
    "expm1",
    "log",
    "log10",
    "log2",
    "log1p",
    "sin",
    "cos",
    "tan",
    "arcsin",
    "arccos",
    "arctan",
    "sinh",
    "cosh",
    "tanh",
    "arcsinh",
    "arccosh",
    "arctanh",
    "degrees",
    "radians",
    "negative",
    "sign",
    "rint",
    "ceil",
    "floor",
    "trunc",
    "fix",
]


#: Their other names in ``np``.
_OTHER_NAMES = {"degrees": ("rad2deg",), "radians": ("deg2rad",)}

for _name in _UNARY:
    derive(f"_npi_{_name}", _name, facts=Facts(numpy_names=(_name, *_OTHER_NAMES.get(_name, ()))))


derive("_npi_absolute", "abs", facts=Facts(numpy_names=("abs", "absolute", "fabs")), aliases=("_npi_abs",))


derive("_npx_relu", "relu")


derive("_npx_sigmoid", "sigmoid")


_INTEGERS = [sample((2, 3), low=0, high=8, dtypes=("int32",))]


@op(infer=whole, grad=zero_gradient, samples=_INTEGERS, facts=Facts(numpy_names=("bitwise_not", "invert")))
def _npi_bitwise_not(xp: Any, x: Any, /) -> Any:
    """Invert every bit; for bool, logical not."""
    return xp.invert(x)


def _test(name: str) -> None:
    """Register a predicate of one array, whose result is bool."""

    def kernel(xp: Any, x: Any, /) -> Any:
        return getattr(xp, name)(x)

    kernel.__name__ = f"_npi_{name}"
    kernel.__doc__ = f"Whether {name.replace('_', ' ')} holds for each number."
    op(
        infer=lambda x, /: x.with_dtype("bool"),
        grad=zero_gradient,
        samples=[sample((2, 3)), sample((4,), low=-2, dtypes=("int32",))],
        facts=Facts(numpy_names=(name,)),
    )(kernel)


for _name in ("isnan", "isinf", "isfinite", "isposinf", "isneginf", "logical_not"):
    _test(_name)


@op(
    infer=lambda x, /, *, decimals: _number(x),
    grad=zero_gradient,
    samples=[sample((2, 3)), sample((2, 3), decimals=1)],
    facts=Facts(numpy_names=("around", "round")),
)
def _npi_around(xp: Any, x: Any, /, *, decimals: int = 0) -> Any:
    """Round to a number of decimals, halves to the even one."""
    return xp.round(x, decimals)


def _number(x: TensorType) -> TensorType:
    if x.dtype == "bool":
        raise InferError("x", "dtype bool is not supported")
    return x


@op(
    infer=lambda data, /: data,
    grad=lambda F, g, ins, outs: (g * F._equal(ins[0], outs[0]),),
    samples=[sample((2, 3))],
    facts=Facts(numpy_names=("nan_to_num",)),
)
def _npi_nan_to_num(
    xp: Any,
    data: Any,
    /,
    *,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
) -> Any:
    """Replace nan and infinities by numbers."""
    return xp.nan_to_num(data, nan=nan, posinf=posinf, neginf=neginf)
