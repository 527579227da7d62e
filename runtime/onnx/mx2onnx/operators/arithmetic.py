"""Operators of two arrays, or of an array and a number: arithmetic and comparisons, all of which broadcast in ONNX."""

from __future__ import annotations

from collections.abc import Callable

from hybridlint.runtime.onnx.dtypes import is_float
from hybridlint.runtime.onnx.mx2onnx.call import OnnxCall
from hybridlint.runtime.onnx.mx2onnx.translation import translates

#: From the call and two values of one dtype to the result: in this dtype, or a truth value for a comparison.
Pair = Callable[[OnnxCall, str, str, str], str]


def _named(kind: str) -> Pair:
    return lambda call, left, right, dtype: call.emit(kind, left, right)


def _modulo(call: OnnxCall, left: str, right: str, dtype: str) -> str:
    """Return the remainder with the sign of the divisor, which `Mod` gives for whole numbers only."""
    if not is_float(dtype):
        return call.emit("Mod", left, right)
    times = call.emit("Floor", call.emit("Div", left, right))
    return call.emit("Sub", left, call.emit("Mul", times, right))


def _hypot(call: OnnxCall, left: str, right: str, dtype: str) -> str:
    wide = dtype if is_float(dtype) else "float64"
    squares = [
        call.emit("Mul", value, value) for value in (call.cast(left, wide, dtype), call.cast(right, wide, dtype))
    ]
    return call.cast(call.emit("Sqrt", call.emit("Add", *squares)), dtype, wide)


def _unequal(call: OnnxCall, left: str, right: str, dtype: str) -> str:
    return call.emit("Not", call.emit("Equal", left, right))


#: The arrays of equal shape, those that broadcast, numpy mode's, and the array and a number.
_ARITHMETIC: dict[str, tuple[Pair, tuple[str, ...]]] = {
    "add": (_named("Add"), ("elemwise_add", "broadcast_add", "_npi_add")),
    "sub": (_named("Sub"), ("elemwise_sub", "broadcast_sub", "_npi_subtract")),
    "mul": (_named("Mul"), ("elemwise_mul", "broadcast_mul", "_npi_multiply")),
    "div": (_named("Div"), ("elemwise_div", "broadcast_div", "_npi_true_divide")),
    "mod": (_modulo, ("_mod", "broadcast_mod", "_npi_mod")),
    "power": (_named("Pow"), ("_power", "broadcast_power", "_npi_power")),
    "maximum": (_named("Max"), ("_maximum", "broadcast_maximum")),
    "minimum": (_named("Min"), ("_minimum", "broadcast_minimum")),
    "hypot": (_hypot, ("_hypot", "broadcast_hypot", "_npi_hypot")),
}
_WITH_NUMBER: dict[str, tuple[str, ...]] = {
    "add": ("_plus_scalar", "_npi_add_scalar"),
    "sub": ("_minus_scalar", "_npi_subtract_scalar"),
    "mul": ("_mul_scalar", "_npi_multiply_scalar"),
    "div": ("_div_scalar", "_npi_true_divide_scalar"),
    "mod": ("_mod_scalar", "_npi_mod_scalar"),
    "power": ("_power_scalar", "_npi_power_scalar"),
    "maximum": ("_maximum_scalar",),
    "minimum": ("_minimum_scalar",),
    "hypot": ("_hypot_scalar", "_npi_hypot_scalar"),
}
_NUMBER_FIRST: dict[str, tuple[str, ...]] = {
    "sub": ("_rminus_scalar", "_npi_rsubtract_scalar"),
    "div": ("_rdiv_scalar", "_npi_rtrue_divide_scalar"),
    "mod": ("_rmod_scalar", "_npi_rmod_scalar"),
    "power": ("_rpower_scalar", "_npi_rpower_scalar"),
}
_COMPARISONS: dict[str, tuple[Pair, str]] = {
    "equal": (_named("Equal"), "equal"),
    "not_equal": (_unequal, "not_equal"),
    "greater": (_named("Greater"), "greater"),
    "greater_equal": (_named("GreaterOrEqual"), "greater_equal"),
    "lesser": (_named("Less"), "less"),
    "lesser_equal": (_named("LessOrEqual"), "less_equal"),
}
_LOGIC = {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}


def _of_two(pair: Pair) -> Callable[[OnnxCall], str]:
    def translate(call: OnnxCall) -> str:
        left, right = (call.cast(call.input(k), call.dtype, call.ins[k].dtype) for k in (0, 1))
        return pair(call, left, right, call.dtype)

    return translate


def _number(call: OnnxCall, dtype: str) -> str:
    number = call.params["scalar"]
    return call.array(number if is_float(dtype) else int(number), dtype)


def _of_number(pair: Pair, reflected: bool) -> Callable[[OnnxCall], str]:
    def translate(call: OnnxCall) -> str:
        data, number = call.cast(call.data, call.dtype, call.ins[0].dtype), _number(call, call.dtype)
        return pair(call, number, data, call.dtype) if reflected else pair(call, data, number, call.dtype)

    return translate


for _name, (_pair, _names) in _ARITHMETIC.items():
    translates(*_names)(_of_two(_pair))
    translates(*_WITH_NUMBER[_name])(_of_number(_pair, reflected=False))
    translates(*_NUMBER_FIRST.get(_name, ()))(_of_number(_pair, reflected=True))


def _common(call: OnnxCall) -> str:
    """Return the dtype in which two inputs are compared: a floating dtype first, then the first dtype."""
    dtypes = [t.dtype or "float32" for t in call.ins]
    return next((dtype for dtype in dtypes if is_float(dtype)), dtypes[0])


def _compared(pair: Pair) -> Callable[[OnnxCall], str]:
    def translate(call: OnnxCall) -> str:
        dtype = _common(call)
        left, right = (call.cast(call.input(k), dtype, call.ins[k].dtype) for k in (0, 1))
        return call.cast(pair(call, left, right, dtype), call.dtype, "bool")

    return translate


def _compared_with_number(pair: Pair) -> Callable[[OnnxCall], str]:
    def translate(call: OnnxCall) -> str:
        given = call.ins[0].dtype or "float32"
        fraction = not is_float(given) and not call.params.get("is_int", True)
        dtype = "float64" if fraction else "int64" if given == "bool" else given
        data = call.cast(call.data, dtype, given)
        return call.cast(pair(call, data, _number(call, dtype), dtype), call.dtype, "bool")

    return translate


for _name, (_pair, _numpy) in _COMPARISONS.items():
    translates(f"_{_name}", f"broadcast_{_name}", f"_npi_{_numpy}")(_compared(_pair))
    translates(f"_{_name}_scalar", f"_npi_{_numpy}_scalar")(_compared_with_number(_pair))


def _logic(kind: str) -> Callable[[OnnxCall], str]:
    return lambda call: call.cast(call.emit(kind, call.truth(0), call.truth(1)), call.dtype, "bool")


def _logic_with_number(kind: str) -> Callable[[OnnxCall], str]:
    def translate(call: OnnxCall) -> str:
        number = call.params["scalar"]
        if not is_float(call.ins[0].dtype) and call.params.get("is_int", True):
            number = int(number)
        return call.cast(call.emit(kind, call.truth(0), call.array(bool(number), "bool")), call.dtype, "bool")

    return translate


for _name, _kind in _LOGIC.items():
    translates(f"_{_name}", f"broadcast_{_name}")(_logic(_kind))
    translates(f"_{_name}_scalar")(_logic_with_number(_kind))


@translates("add_n")
def _add_n(call: OnnxCall) -> str:
    values = [call.input(k) for k in range(len(call.inputs))]
    if is_float(call.dtype):
        return call.emit("Sum", *values)
    total = values[0]
    for value in values[1:]:
        total = call.emit("Add", total, value)
    return total


@translates("where", "_npi_where")
def _where(call: OnnxCall) -> str:
    condition = call.truth(0)
    rank = len(call.result_shape())
    if call.rank == 1 < rank == len(call.shape_of(1)):
        condition = call.reshaped(condition, (*call.shape, *(1,) * (rank - 1)))
    left, right = (call.cast(call.input(k), call.dtype, call.ins[k].dtype) for k in (1, 2))
    return call.emit("Where", condition, left, right)
