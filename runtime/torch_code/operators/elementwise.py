"""Operators of single elements: arithmetic, comparisons, functions of one number, casts."""

from __future__ import annotations

from collections.abc import Callable

from hybridlint.runtime.torch_code.call import OperatorCall
from hybridlint.runtime.torch_code.table import Translate, translates
from hybridlint.runtime.torch_code.texts import as_condition, floated, infix, literal, negative, receiver

#: Functions of one number that `torch` has by the same meaning.
_FUNCTIONS = {
    "abs": "abs", "arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan",
    "arctanh": "atanh", "ceil": "ceil", "cos": "cos", "cosh": "cosh", "degrees": "rad2deg", "erf": "erf",
    "erfinv": "erfinv", "exp": "exp", "expm1": "expm1", "fix": "trunc", "floor": "floor", "gammaln": "lgamma",
    "log": "log", "log10": "log10", "log1p": "log1p", "log2": "log2", "radians": "deg2rad",
    "reciprocal": "reciprocal", "rsqrt": "rsqrt", "sigmoid": "sigmoid", "sign": "sign", "sin": "sin", "sinh": "sinh",
    "sqrt": "sqrt", "square": "square", "tan": "tan", "tanh": "tanh", "trunc": "trunc",
}  # fmt: skip

#: Python's operators: of arrays of one shape and of broadcast ones, then of an array and a number.
_ARITHMETIC = {
    "+": (("elemwise_add", "broadcast_add"), "_plus_scalar", None),
    "-": (("elemwise_sub", "broadcast_sub"), "_minus_scalar", "_rminus_scalar"),
    "*": (("elemwise_mul", "broadcast_mul"), "_mul_scalar", None),
    "/": (("elemwise_div", "broadcast_div"), "_div_scalar", "_rdiv_scalar"),
    "%": (("_mod", "broadcast_mod"), "_mod_scalar", "_rmod_scalar"),
    "**": (("_power", "broadcast_power"), "_power_scalar", "_rpower_scalar"),
}
_COMPARISONS = {
    "==": (("_equal", "broadcast_equal"), "_equal_scalar"),
    "!=": (("_not_equal", "broadcast_not_equal"), "_not_equal_scalar"),
    ">": (("_greater", "broadcast_greater"), "_greater_scalar"),
    ">=": (("_greater_equal", "broadcast_greater_equal"), "_greater_equal_scalar"),
    "<": (("_lesser", "broadcast_lesser"), "_lesser_scalar"),
    "<=": (("_lesser_equal", "broadcast_lesser_equal"), "_lesser_equal_scalar"),
}
_LOGIC = {
    "logical_and": ("broadcast_logical_and", "_logical_and"),
    "logical_or": ("broadcast_logical_or", "_logical_or"),
    "logical_xor": ("broadcast_logical_xor", "_logical_xor"),
}
#: dtype -> the method that casts to it.
CASTS = {
    "float32": "float", "float64": "double", "float16": "half", "int32": "int", "int64": "long", "bool": "bool",
}  # fmt: skip


def _function(name: str) -> Translate:
    def translated(call: OperatorCall) -> str:
        text = f"torch.{name}({call.arg(0)})"
        return cast(text, str(call.dtypes[0])) if call.is_whole() else text

    return translated


def _arrays(sign: str) -> Translate:
    return lambda call: _applied(call, call.arg(0), sign, call.arg(1))


def _with_number(sign: str) -> Translate:
    return lambda call: _applied(call, _of_number(call), sign, _number(call))


def _number_first(sign: str) -> Translate:
    return lambda call: _applied(call, _number(call), sign, _of_number(call))


def _applied(call: OperatorCall, left: str, sign: str, right: str) -> str:
    """Return an operation: MXNet's quotients of whole numbers are whole, rounded towards zero."""
    if sign == "/" and call.is_whole() and _keeps_whole(call):
        return f'torch.div({left}, {right}, rounding_mode="trunc")'
    return infix(left, sign, right)


def _keeps_whole(call: OperatorCall) -> bool:
    """Whether the result of whole numbers is whole: MXNet's users say so of the number, or say nothing."""
    return bool(call.value("is_int")) if "is_int" in call.operator.params else True


def _of_number(call: OperatorCall) -> str:
    """Return the array that a number is applied to."""
    return cast(call.arg(0), "float64") if call.is_whole() and not _keeps_whole(call) else call.arg(0)


def _number(call: OperatorCall) -> str:
    """Return the number, cut off where the result is whole."""
    return literal(int(call.value("scalar"))) if call.is_whole() and _keeps_whole(call) else call.text("scalar")


def _compared(translate: Translate) -> Translate:
    """Return a comparison, which has the dtype of its first input in MXNet."""
    return lambda call: cast(translate(call), str(call.dtypes[0])) if call.is_whole() else floated(translate(call))


def _logic(name: str) -> Callable[[OperatorCall], str]:
    sign = {"logical_and": "&", "logical_or": "|", "logical_xor": "^"}[name]
    return lambda call: floated(infix(as_condition(call.arg(0)), sign, as_condition(call.arg(1))))


for _name, _torch in _FUNCTIONS.items():
    translates(_name)(_function(_torch))
for _sign, (_both, _scalar, _reverse) in _ARITHMETIC.items():
    translates(*_both)(_arrays(_sign))
    translates(_scalar)(_with_number(_sign))
    if _reverse is not None:
        translates(_reverse)(_number_first(_sign))
for _sign, (_both, _scalar) in _COMPARISONS.items():
    translates(*_both)(_compared(_arrays(_sign)))
    translates(_scalar)(_compared(_with_number(_sign)))
for _name, _both in _LOGIC.items():
    translates(*_both)(_logic(_name))


@translates("negative")
def _negative(call: OperatorCall) -> str:
    return negative(call.arg(0))


@translates("logical_not")
def _logical_not(call: OperatorCall) -> str:
    return floated(infix(call.arg(0), "==", "0"))


@translates("rint")
def _rint(call: OperatorCall) -> str:
    return f"torch.round({call.arg(0)})"


@translates("rcbrt")
def _rcbrt(call: OperatorCall) -> str:
    return infix(call.arg(0), "**", "(-1 / 3)")


@translates("_copy", "_identity_with_attr_like_rhs")
def _copy(call: OperatorCall) -> str:
    return call.arg(0)


@translates("BlockGrad")
def _block_gradient(call: OperatorCall) -> str:
    return f"{call.x}.detach()"


@translates("make_loss", "MakeLoss")
def _make_loss(call: OperatorCall) -> str:
    if call.operator.name == "MakeLoss":
        call.only_default("grad_scale", "normalization")
    return call.arg(0)


@translates("amp_multicast")
def _multicast(call: OperatorCall) -> str:
    """Return the inputs: PyTorch's functions cast inputs of several dtypes to the widest themselves."""
    return f"({', '.join(call.arg(k) for k in range(len(call.inputs)))},)"


@translates("Cast", "amp_cast")
def _cast(call: OperatorCall) -> str:
    return cast(call.arg(0), call.value("dtype"))


def cast(text: str, dtype: str) -> str:
    """Return an expression in another dtype."""
    method = CASTS.get(dtype)
    return f"{receiver(text)}.{method}()" if method else f"{receiver(text)}.to(torch.{dtype})"


@translates("_maximum", "broadcast_maximum")
def _maximum(call: OperatorCall) -> str:
    return _extreme(call, "maximum", "min")


@translates("_minimum", "broadcast_minimum")
def _minimum(call: OperatorCall) -> str:
    return _extreme(call, "minimum", "max")


def _extreme(call: OperatorCall, function: str, bound: str) -> str:
    """Return the larger or smaller of two tensors, or of a tensor and a number."""
    for k, other in ((0, 1), (1, 0)):
        found = call.inputs[k]
        if found is not None and found.known:
            return f"{receiver(call.arg(other))}.clamp({bound}={found.text})"
    return f"torch.{function}({call.arg(0)}, {call.arg(1)})"


@translates("_maximum_scalar")
def _maximum_scalar(call: OperatorCall) -> str:
    return f"{call.x}.clamp(min={call.text('scalar')})"


@translates("_minimum_scalar")
def _minimum_scalar(call: OperatorCall) -> str:
    return f"{call.x}.clamp(max={call.text('scalar')})"


@translates("broadcast_hypot", "_hypot")
def _hypot(call: OperatorCall) -> str:
    return f"torch.hypot({call.arg(0)}, {call.arg(1)})"


@translates("clip")
def _clip(call: OperatorCall) -> str:
    return f"{call.x}.clamp({call.text('a_min')}, {call.text('a_max')})"


@translates("add_n")
def _add_n(call: OperatorCall) -> str:
    texts = [call.arg(k) for k in range(len(call.inputs))]
    if len(texts) == 1 and texts[0].startswith(("[", "*")):
        return f"sum({texts[0].removeprefix('*')})"
    total = texts[0]
    for text in texts[1:]:
        total = infix(total, "+", text)
    return total


@translates("where")
def _where(call: OperatorCall) -> str:
    condition, rank = as_condition(call.arg(0)), call.rank(1)
    if call.rank() == 1 and rank is not None and rank > 1:
        # One condition for each row.
        condition = f"{receiver(condition)}.reshape(-1{', 1' * (rank - 1)})"
    return f"torch.where({condition}, {call.arg(1)}, {call.arg(2)})"


@translates("smooth_l1")
def _smooth_l1(call: OperatorCall) -> str:
    scalar = call.text("scalar")
    beta = "" if scalar in ("1", "1.0") else f", beta=1 / {receiver(scalar)} ** 2"
    if beta and call.params["scalar"].known:
        beta = f", beta={1 / call.value('scalar') ** 2:.6g}"
    data = call.arg(0)
    return f'F.smooth_l1_loss({data}, torch.zeros_like({data}), reduction="none"{beta})'


@translates("_contrib_quadratic")
def _quadratic(call: OperatorCall) -> str:
    squared = infix(call.text("a"), "*", infix(call.arg(0), "**", "2"))
    return infix(infix(squared, "+", infix(call.text("b"), "*", call.arg(0))), "+", call.text("c"))


@translates("_contrib_div_sqrt_dim")
def _div_sqrt_dim(call: OperatorCall) -> str:
    return infix(call.arg(0), "/", f"math.sqrt({call.x}.shape[-1])")
