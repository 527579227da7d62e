"""Element-wise operators of two arrays in numpy mode, which broadcast and promote dtypes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridlint.runtime.facts.registry import Facts, op, sample
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.ops.elementwise.arithmetic import hypot, modulo, power
from hybridlint.runtime.ops.elementwise.families import (
    BinaryGrad,
    Compute,
    native,
    through_float,
    zero_gradient,
)
from hybridlint.runtime.ops.numpy.promotion import (
    broadcast,
    is_floating,
    one,
    one_float,
    one_integer,
    one_number,
    quotient,
    wider,
    wider_float,
    wider_integer,
)

Promote = Callable[["str | None", "str | None"], "str | None"]


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
    apart: Promote | None = None,
    result: str | None = None,
    symbol: str | None = None,
    numpy_names: tuple[str, ...] = (),
    low: float = -2.0,
    dtype: str = "float32",
) -> None:
    """Register an operator of two arrays that broadcasts.

    `promote` returns the dtype in which it computes; `apart`, unless None, replaces it for arrays of different shapes.
    `result` is the dtype of the output if that is fixed.
    """

    def rule(left: Any, right: Any) -> Promote:
        return promote if apart is None or (left is not None and left == right) else apart

    def infer(lhs: TensorType, rhs: TensorType, /) -> TensorType:
        common = rule(lhs.shape, rhs.shape)(lhs.dtype, rhs.dtype)
        return TensorType(broadcast(lhs, rhs), result or common)

    def kernel(xp: Any, lhs: Any, rhs: Any, /, *, out: Any = None) -> Any:
        common = rule(lhs.shape, rhs.shape)(lhs.dtype.name, rhs.dtype.name)
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
    apart=wider_integer,
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


def _mod_grad(F: Any, g: Any, a: Any, b: Any, y: Any) -> tuple[Any, Any]:
    if not is_floating(y):
        return g * 0, g * 0
    return g, -(g * F.floor(a / b))


_binary(
    "_npi_mod",
    "Remainder of two arrays, with the sign of the divisor.",
    modulo,
    wider_float,
    _mod_grad,
    apart=wider_integer,
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
    """Return the quotient of two arrays; float32 for integers."""
    dtype = quotient(lhs.dtype.name, rhs.dtype.name)
    return xp.true_divide(lhs.astype(dtype, copy=False), rhs.astype(dtype, copy=False), out=out)
