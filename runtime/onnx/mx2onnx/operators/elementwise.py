"""Operators of one array, element by element."""

from __future__ import annotations

import math
from collections.abc import Callable

from hybridlint.runtime.onnx.dtypes import is_float
from hybridlint.runtime.onnx.mx2onnx.call import OnnxCall
from hybridlint.runtime.onnx.mx2onnx.translation import translates

#: A curve: from the call, a value with fractions, and the dtype of that, to the result in this dtype.
Curve = Callable[[OnnxCall, str, str], str]


def curve(name: str, compute: Curve) -> None:
    """Register an operator that is computed with fractions; whole numbers are converted, and the result cut off."""

    def translate(call: OnnxCall) -> str:
        value, wide = call.floats()
        return call.cast(compute(call, value, wide), call.dtype, wide)

    translates(name)(translate)


def _named(kind: str) -> Curve:
    return lambda call, value, wide: call.emit(kind, value)


for _operator, _kind in {
    "exp": "Exp",
    "log": "Log",
    "sqrt": "Sqrt",
    "sin": "Sin",
    "cos": "Cos",
    "tan": "Tan",
    "arcsin": "Asin",
    "arccos": "Acos",
    "arctan": "Atan",
    "sinh": "Sinh",
    "cosh": "Cosh",
    "tanh": "Tanh",
    "arcsinh": "Asinh",
    "arccosh": "Acosh",
    "arctanh": "Atanh",
    "sigmoid": "Sigmoid",
    "relu": "Relu",
    "_npx_relu": "Relu",
    "_npx_sigmoid": "Sigmoid",
    "softsign": "Softsign",
    "erf": "Erf",
    "reciprocal": "Reciprocal",
}.items():
    curve(_operator, _named(_kind))


def _scaled(kind: str | None, factor: float) -> Curve:
    """Return a curve: a function of ONNX, or the value itself, times a number."""

    def compute(call: OnnxCall, value: str, wide: str) -> str:
        return call.emit("Mul", value if kind is None else call.emit(kind, value), call.array(factor, wide))

    return compute


curve("log2", _scaled("Log", 1 / math.log(2)))
curve("log10", _scaled("Log", 1 / math.log(10)))
curve("degrees", _scaled(None, 180 / math.pi))
curve("radians", _scaled(None, math.pi / 180))


def _expm1(call: OnnxCall, value: str, wide: str) -> str:
    """(exp(x) + 1) * tanh(x / 2), which is precise near 0."""
    half = call.emit("Tanh", call.emit("Mul", value, call.array(0.5, wide)))
    return call.emit("Mul", half, call.emit("Add", call.emit("Exp", value), call.array(1, wide)))


def _log1p(call: OnnxCall, value: str, wide: str) -> str:
    """2 * artanh(x / (x + 2)), which is precise near 0."""
    ratio = call.emit("Div", value, call.emit("Add", value, call.array(2, wide)))
    return call.emit("Mul", call.emit("Atanh", ratio), call.array(2, wide))


def _cbrt(call: OnnxCall, value: str, wide: str) -> str:
    size = call.emit("Pow", call.emit("Abs", value), call.array(1 / 3, wide))
    return call.emit("Mul", call.emit("Sign", value), size)


def _half_away(call: OnnxCall, value: str, wide: str) -> str:
    size = call.emit("Floor", call.emit("Add", call.emit("Abs", value), call.array(0.5, wide)))
    return call.emit("Mul", call.emit("Sign", value), size)


def _towards_zero(call: OnnxCall, value: str, wide: str) -> str:
    return call.emit("Mul", call.emit("Sign", value), call.emit("Floor", call.emit("Abs", value)))


curve("expm1", _expm1)
curve("log1p", _log1p)
curve("cbrt", _cbrt)
curve("rcbrt", lambda call, value, wide: call.emit("Reciprocal", _cbrt(call, value, wide)))
curve("rsqrt", lambda call, value, wide: call.emit("Reciprocal", call.emit("Sqrt", value)))
curve("round", _half_away)
curve("_contrib_round_ste", _half_away)
curve("rint", lambda call, value, wide: call.emit("Ceil", call.emit("Sub", value, call.array(0.5, wide))))
curve("fix", _towards_zero)
curve("trunc", _towards_zero)
curve("floor", _named("Floor"))
curve("ceil", _named("Ceil"))


@translates("abs")
def _abs(call: OnnxCall) -> str:
    return call.emit("Abs", call.data)


@translates("negative")
def _negative(call: OnnxCall) -> str:
    return call.emit("Neg", call.data)


@translates("sign", "_contrib_sign_ste")
def _sign(call: OnnxCall) -> str:
    return call.emit("Sign", call.data)


@translates("square")
def _square(call: OnnxCall) -> str:
    return call.emit("Mul", call.data, call.data)


@translates("logical_not")
def _not(call: OnnxCall) -> str:
    return call.cast(call.emit("Not", call.truth(0)), call.dtype, "bool")


@translates(
    "_copy",
    "BlockGrad",
    "make_loss",
    "MakeLoss",
    "_contrib_gradientmultiplier",
    "IdentityAttachKLSparseReg",
    "Dropout",
    "_identity_with_attr_like_rhs",
)
def _same(call: OnnxCall) -> str:
    """Return the data itself: what the operator adds concerns gradients, or train mode."""
    if call.params.get("mode") == "always":
        call.refuse("dropout in predict mode (mode='always') draws random numbers")
    return call.data


@translates("Cast", "amp_cast")
def _cast(call: OnnxCall) -> str:
    return call.cast(call.data, call.dtype, call.ins[0].dtype)


@translates("clip")
def _clip(call: OnnxCall) -> str:
    low, high = call.params["a_min"], call.params["a_max"]
    return call.emit("Min", call.emit("Max", call.data, call.array(_bound(call, low))), call.array(_bound(call, high)))


def _bound(call: OnnxCall, number: float) -> float:
    return number if is_float(call.dtype) else int(number)


@translates("hard_sigmoid")
def _hard_sigmoid(call: OnnxCall) -> str:
    return call.emit("HardSigmoid", call.data, alpha=call.params["alpha"], beta=call.params["beta"])


@translates("smooth_l1")
def _smooth_l1(call: OnnxCall) -> str:
    square = call.params["scalar"] ** 2
    size = call.emit("Abs", call.data)
    near = call.emit("Mul", call.emit("Mul", call.data, call.data), call.array(0.5 * square))
    far = call.emit("Sub", size, call.array(0.5 / square))
    return call.emit("Where", call.emit("Less", size, call.array(1 / square)), near, far)


@translates("_contrib_quadratic")
def _quadratic(call: OnnxCall) -> str:
    a, b, c = (call.array(call.params[name]) for name in "abc")
    slope = call.emit("Add", call.emit("Mul", call.data, a), b)
    return call.emit("Add", call.emit("Mul", slope, call.data), c)


@translates("_contrib_div_sqrt_dim")
def _div_sqrt_dim(call: OnnxCall) -> str:
    (size,) = call.static(call.shape[-1:])
    value, wide = call.floats()
    return call.cast(call.emit("Div", value, call.array(math.sqrt(size), wide)), call.dtype, wide)
