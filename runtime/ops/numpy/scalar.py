"""Element-wise operators of an array and a number in numpy mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import hybridlint.runtime.ops.elementwise.scalar  # noqa: F401  (the operators that these are derived from)
from hybridlint.runtime.facts.registry import derive, op, sample
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.ops.elementwise.families import (
    scalar_dtype,
    store,
    zero_gradient,
)
from hybridlint.runtime.ops.numpy.promotion import (
    whole,
)

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


def _scalar_bits(name: str) -> None:
    def kernel(xp: Any, data: Any, /, *, scalar: float = 1.0, is_int: bool = True) -> Any:
        return getattr(xp, name)(data, xp.asarray(int(scalar)).astype(data.dtype))

    kernel.__name__ = f"_npi_{name}_scalar"
    kernel.__doc__ = f"`{name}` of an integer array and a number."
    op(infer=whole, grad=zero_gradient, samples=[sample((5,), low=0, high=8, dtypes=("int32",), scalar=5)])(kernel)


for _name in ("bitwise_and", "bitwise_or", "bitwise_xor", "lcm"):
    _scalar_bits(_name)


def _with_number(name: str, doc: str, compute: Callable[..., Any], grad: Callable[..., Any]) -> None:
    """Register an operator of an array and a number, with the dtypes of the legacy ones."""

    def kernel(xp: Any, data: Any, /, *, scalar: float = 1.0, is_int: bool = True, out: Any = None) -> Any:
        dtype = scalar_dtype(data.dtype.name, is_int)
        number = float(scalar) if dtype.startswith("float") else float(int(scalar))
        wide = data if data.dtype.kind == "f" else data.astype("float64")
        return store(xp, compute(xp, wide, number).astype(dtype, copy=False), out)

    def gradient(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, scalar: float) -> tuple[Any, ...]:
        return (grad(F, g, ins[0], outs[0], scalar),)

    derive(name, "_plus_scalar", kernel=_documented(kernel, doc), grad=gradient, differentiable_twice=False)


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
