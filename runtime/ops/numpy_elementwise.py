"""Element-wise operators of numpy mode.

Those of one array, and those of an array and a number, compute as their legacy twins do. Those of two arrays always
broadcast and mix dtypes; comparisons give bool.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hybridlint.runtime.ops.scalar
import hybridlint.runtime.ops.unary  # noqa: F401  (the operators that these are derived from)
from hybridlint.runtime.ops.arithmetic import hypot, modulo, power
from hybridlint.runtime.ops.elementwise import (
    BinaryGrad,
    Compute,
    native,
    scalar_dtype,
    store,
    through_float,
    zero_gradient,
)
from hybridlint.runtime.ops.numpy_types import (
    broadcast,
    one,
    one_float,
    one_integer,
    one_number,
    quotient,
    wider,
    wider_float,
)
from hybridlint.runtime.registry import Facts, derive, op, sample
from hybridlint.runtime.types import InferError, TensorType

Promote = Callable[["str | None", "str | None"], "str | None"]

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
for _name in _UNARY:
    derive(f"_npi_{_name}", _name, facts=Facts(numpy_names=(_name,)))
derive("_npi_absolute", "abs", facts=Facts(numpy_names=("abs", "absolute", "fabs")), aliases=("_npi_abs",))
derive("_npx_relu", "relu")
derive("_npx_sigmoid", "sigmoid")

for _numpy, _legacy in (
    ("add", "plus"),
    ("subtract", "minus"),
    ("rsubtract", "rminus"),
    ("multiply", "mul"),
    ("mod", "mod"),
    ("rmod", "rmod"),
    ("power", "power"),
    ("rpower", "rpower"),
):
    derive(f"_npi_{_numpy}_scalar", f"_{_legacy}_scalar")
derive("_npi_hypot_scalar", "_hypot_scalar")


def _cast_back(F: Any, gradient: Any, x: Any) -> Any:
    summed = F._hl_sum_to(gradient, x)
    return summed if summed.dtype == x.dtype else F._hl_cast_like(summed, x)


def _binary(
    name: str,
    doc: str,
    compute: Compute,
    promote: Promote,
    grad: BinaryGrad | None = None,
    *,
    result: str | None = None,
    symbol: str | None = None,
    numpy_names: tuple[str, ...] = (),
    low: float = -2.0,
    dtype: str = "float32",
) -> None:
    """Register an operator of two arrays that broadcasts. `result` is the dtype of its output, where that is fixed."""

    def infer(lhs: TensorType, rhs: TensorType, /) -> TensorType:
        common = promote(lhs.dtype, rhs.dtype)
        return TensorType(broadcast(lhs, rhs), result or common)

    def kernel(xp: Any, lhs: Any, rhs: Any, /, *, out: Any = None) -> Any:
        common = promote(lhs.dtype.name, rhs.dtype.name)
        return compute(xp, lhs.astype(common, copy=False), rhs.astype(common, copy=False), out)

    def gradient(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
        assert grad is not None
        y = outs[0]
        lhs, rhs = (x if x.dtype == y.dtype else F._hl_cast_like(x, y) for x in ins)
        return tuple(_cast_back(F, d, x) for d, x in zip(grad(F, g, lhs, rhs, y), ins, strict=True))

    kernel.__name__, kernel.__doc__ = name, doc
    kinds = (dtype, dtype)
    op(
        infer=infer,
        grad=zero_gradient if grad is None else gradient,
        samples=[
            sample((2, 3), (1, 3), low=low, dtypes=kinds),
            sample((), (2, 3), low=low, dtypes=kinds),
            sample((2, 1, 3), (2, 4, 1), low=low, dtypes=kinds),
        ],
        facts=Facts(operator=symbol, numpy_names=numpy_names or (name.removeprefix("_npi_"),)),
    )(kernel)


def _divided(F: Any, g: Any, a: Any, b: Any, y: Any) -> tuple[Any, Any]:
    share = g / b
    return share, -(share * y)


def _raised(F: Any, g: Any, a: Any, b: Any, y: Any) -> tuple[Any, Any]:
    return g * b * F.broadcast_power(a, b - 1), g * y * F.log(a)


def _chosen(predicate: str) -> BinaryGrad:
    def gradients(F: Any, g: Any, a: Any, b: Any, y: Any) -> tuple[Any, Any]:
        left = getattr(F, predicate)(a, b)
        return g * left, g * (1 - left)

    return gradients


def _on_circle(F: Any, g: Any, a: Any, b: Any, y: Any) -> tuple[Any, Any]:
    scaled = g / (a * a + b * b)
    return scaled * b, -(scaled * a)


@through_float
def _arctan2(xp: Any, lhs: Any, rhs: Any, out: Any) -> Any:
    return xp.arctan2(lhs, rhs, out=out)


@through_float
def _copysign(xp: Any, lhs: Any, rhs: Any, out: Any) -> Any:
    return xp.copysign(lhs, rhs, out=out)


@through_float
def _ldexp(xp: Any, lhs: Any, rhs: Any, out: Any) -> Any:
    return xp.multiply(lhs, xp.exp2(rhs), out=out)


_binary("_npi_add", "Sum of two arrays.", native("add"), wider, lambda F, g, a, b, y: (g, g), symbol="+")
_binary(
    "_npi_subtract",
    "Difference of two arrays.",
    native("subtract"),
    wider_float,
    lambda F, g, a, b, y: (g, -g),
    symbol="-",
)
_binary(
    "_npi_multiply",
    "Product of two arrays.",
    native("multiply"),
    wider,
    lambda F, g, a, b, y: (g * b, g * a),
    symbol="*",
)
_binary(
    "_npi_mod",
    "Remainder of two arrays, with the sign of the divisor.",
    modulo,
    wider_float,
    lambda F, g, a, b, y: (g, -(g * F.floor(a / b))),
    symbol="%",
    numpy_names=("mod", "remainder"),
    low=0.5,
)
_binary(
    "_npi_power",
    "The left array to the power of the right.",
    power,
    wider,
    _raised,
    symbol="**",
    low=0.5,
    numpy_names=("power", "pow"),
)
_binary(
    "_npi_copysign",
    "The size of the left array with the sign of the right.",
    _copysign,
    one_number,
    lambda F, g, a, b, y: (g * F.sign(a) * F.sign(y), F.zeros_like(g)),
)
_binary(
    "_npi_arctan2",
    "The angle of the point (right, left).",
    _arctan2,
    one_float,
    _on_circle,
    numpy_names=("arctan2", "atan2"),
    low=0.5,
)
_binary(
    "_npi_hypot",
    "Length of the hypotenuse over two legs.",
    hypot,
    one_float,
    lambda F, g, a, b, y: (g * a / y, g * b / y),
    low=0.5,
)
_binary(
    "_npi_ldexp",
    "The left array times two to the power of the right.",
    _ldexp,
    one_number,
    lambda F, g, a, b, y: (g * F._rpower_scalar(b, scalar=2.0), g * y * 0.6931471805599453),
)
_binary("_npi_lcm", "The least common multiple.", native("lcm"), one_integer, low=1, dtype="int32")
for _name, _function in (("bitwise_and", "&"), ("bitwise_or", "|"), ("bitwise_xor", "^")):
    _binary(
        f"_npi_{_name}",
        f"`{_function}` of two integers, bit by bit.",
        native(_name),
        one_integer,
        low=0,
        dtype="int32",
        symbol=_function,
    )
for _name, _function, _symbol in (
    ("equal", "equal", "=="),
    ("not_equal", "not_equal", "!="),
    ("greater", "greater", ">"),
    ("greater_equal", "greater_equal", ">="),
    ("less", "less", "<"),
    ("less_equal", "less_equal", "<="),
):
    _binary(
        f"_npi_{_name}",
        f"Whether {_function.replace('_', ' ')} holds for two arrays.",
        native(_function),
        one,
        result="bool",
        symbol=_symbol,
    )


def _infer_quotient(lhs: TensorType, rhs: TensorType, /) -> TensorType:
    return TensorType(broadcast(lhs, rhs), quotient(lhs.dtype, rhs.dtype))


def _quotient_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    y = outs[0]
    lhs, rhs = (x if x.dtype == y.dtype else F._hl_cast_like(x, y) for x in ins)
    return tuple(_cast_back(F, d, x) for d, x in zip(_divided(F, g, lhs, rhs, y), ins, strict=True))


@op(
    infer=_infer_quotient,
    grad=_quotient_grad,
    samples=[
        sample((2, 3), (1, 3), low=0.5),
        sample((2, 3), (3,), low=1, dtypes=("int32", "int32")),
        sample((2,), (2,), low=1, dtypes=("int32", "float64")),
    ],
    facts=Facts(operator="/", numpy_names=("divide", "true_divide")),
)
def _npi_true_divide(xp: Any, lhs: Any, rhs: Any, /, *, out: Any = None) -> Any:
    """Quotient of two arrays; of integers it is float32."""
    dtype = quotient(lhs.dtype.name, rhs.dtype.name)
    return xp.true_divide(lhs.astype(dtype, copy=False), rhs.astype(dtype, copy=False), out=out)


def _infer_quotient_scalar(data: TensorType, /) -> TensorType:
    return data if data.dtype is None or data.dtype.startswith("float") else data.with_dtype("float32")


for _name, _legacy, _swapped in (
    ("_npi_true_divide_scalar", "_div_scalar", False),
    ("_npi_rtrue_divide_scalar", "_rdiv_scalar", True),
):

    def _make(swapped: bool) -> Callable[..., Any]:
        def kernel(xp: Any, data: Any, /, *, scalar: float = 1.0, is_int: bool = True, out: Any = None) -> Any:
            number = float(scalar)
            if data.dtype.kind != "f":
                data = data.astype("float32")
            return xp.true_divide(number, data, out=out) if swapped else xp.true_divide(data, number, out=out)

        return kernel

    derive(_name, _legacy, kernel=_make(_swapped), infer=_infer_quotient_scalar)


def _predicate(name: str, legacy: str) -> None:
    """Register a comparison with a number, whose result is bool."""

    def kernel(xp: Any, data: Any, /, *, scalar: float = 1.0, is_int: bool = True, out: Any = None) -> Any:
        number = int(scalar) if is_int and data.dtype.kind != "f" else scalar
        return getattr(xp, name)(data, number, out=out)

    derive(
        f"_npi_{name}_scalar",
        f"_{legacy}_scalar",
        kernel=kernel,
        infer=lambda data, /: data.with_dtype("bool"),
        grad=zero_gradient,
    )


for _name, _legacy in (
    ("equal", "equal"),
    ("not_equal", "not_equal"),
    ("greater", "greater"),
    ("greater_equal", "greater_equal"),
    ("less", "lesser"),
    ("less_equal", "lesser_equal"),
):
    _predicate(_name, _legacy)


def _whole(data: TensorType, /) -> TensorType:
    if data.dtype is not None and data.dtype.startswith("float"):
        raise InferError("data", f"expected bool or an integer dtype, got {data.dtype}")
    return data


_INTEGERS = [sample((2, 3), low=0, high=8, dtypes=("int32",))]


@op(infer=_whole, grad=zero_gradient, samples=_INTEGERS, facts=Facts(numpy_names=("bitwise_not", "invert")))
def _npi_bitwise_not(xp: Any, x: Any, /) -> Any:
    """Flip every bit; of bool, the opposite."""
    return xp.invert(x)


def _scalar_bits(name: str) -> None:
    def kernel(xp: Any, data: Any, /, *, scalar: float = 1.0, is_int: bool = True) -> Any:
        return getattr(xp, name)(data, xp.asarray(int(scalar)).astype(data.dtype))

    kernel.__name__ = f"_npi_{name}_scalar"
    kernel.__doc__ = f"`{name}` of an integer array and a number."
    op(infer=_whole, grad=zero_gradient, samples=[sample((5,), low=0, high=8, dtypes=("int32",), scalar=5)])(kernel)


for _name in ("bitwise_and", "bitwise_or", "bitwise_xor", "lcm"):
    _scalar_bits(_name)


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


def _with_number(name: str, doc: str, compute: Callable[..., Any], grad: Callable[..., Any]) -> None:
    """Register an operator of an array and a number, with the dtypes of the legacy ones."""

    def kernel(xp: Any, data: Any, /, *, scalar: float = 1.0, is_int: bool = True, out: Any = None) -> Any:
        dtype = scalar_dtype(data.dtype.name, is_int)
        number = float(scalar) if dtype.startswith("float") else float(int(scalar))
        wide = data if data.dtype.kind == "f" else data.astype("float64")
        return store(xp, compute(xp, wide, number).astype(dtype, copy=False), out)

    def gradient(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, scalar: float) -> tuple[Any, ...]:
        return (grad(F, g, ins[0], outs[0], scalar),)

    derive(name, "_plus_scalar", kernel=_documented(kernel, doc), grad=gradient)


def _documented(kernel: Callable[..., Any], doc: str) -> Callable[..., Any]:
    kernel.__doc__ = doc
    return kernel


_with_number(
    "_npi_arctan2_scalar",
    "The angle of the point (number, array).",
    lambda xp, x, s: xp.arctan2(x, s),
    lambda F, g, x, y, s: g * s / (x * x + s * s),
)
_with_number(
    "_npi_rarctan2_scalar",
    "The angle of the point (array, number).",
    lambda xp, x, s: xp.arctan2(s, x),
    lambda F, g, x, y, s: g * -s / (x * x + s * s),
)
_with_number(
    "_npi_copysign_scalar",
    "The size of the array with the sign of a number.",
    lambda xp, x, s: xp.copysign(x, s),
    lambda F, g, x, y, s: g * F.sign(x) * F.sign(y),
)
_with_number(
    "_npi_rcopysign_scalar",
    "The size of a number with the sign of the array.",
    lambda xp, x, s: xp.copysign(xp.asarray(s, dtype=x.dtype), x),
    lambda F, g, x, y, s: F.zeros_like(x),
)
_with_number(
    "_npi_ldexp_scalar",
    "The array times two to the power of a number.",
    lambda xp, x, s: x * 2.0**s,
    lambda F, g, x, y, s: g * 2.0**s,
)
_with_number(
    "_npi_rldexp_scalar",
    "A number times two to the power of the array.",
    lambda xp, x, s: s * xp.exp2(x),
    lambda F, g, x, y, s: g * y * 0.6931471805599453,
)


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
    """Replace what is no finite number."""
    return xp.nan_to_num(data, nan=nan, posinf=posinf, neginf=neginf)
