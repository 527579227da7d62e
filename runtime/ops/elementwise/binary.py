"""Element-wise operators of two arrays: each has a form for arrays of equal shape and one that broadcasts."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.registry import Facts, derive
from hybridlint.runtime.ops.elementwise.arithmetic import divide, hypot, modulo, power
from hybridlint.runtime.ops.elementwise.families import BinaryGrad, as_number, binary, native
from hybridlint.runtime.ops.numpy.promotion import is_floating
from hybridlint.runtime.ops.storage import pairs


def _divided(F: Any, g: Any, a: Any, b: Any, y: Any) -> tuple[Any, Any]:
    quotient = g / b
    return quotient, -(quotient * y)


def _raised(F: Any, g: Any, a: Any, b: Any, y: Any) -> tuple[Any, Any]:
    return g * b * F.broadcast_power(a, b - 1), g * y * F.log(a)


def _chosen(predicate: str) -> BinaryGrad:
    """Return a gradient rule: the gradient goes to the left operand where the predicate holds, else to the right."""

    def gradients(F: Any, g: Any, a: Any, b: Any, y: Any) -> tuple[Any, Any]:
        left = getattr(F, predicate)(a, b)
        return g * left, g * (1 - left)

    return gradients


binary(
    "elemwise_add",
    "broadcast_add",
    "Sum of two arrays",
    native("add"),
    lambda F, g, a, b, y: (g, g),
    symbol="+",
    numpy_names=("add",),
    functions=("add",),
    strict_aliases=("_plus", "_Plus", "_add", "_sparse_elemwise_add"),
    broadcast_aliases=("broadcast_plus", "_sparse_broadcast_add", "_sparse_broadcast_plus"),
    differentiable_twice=True,
    shares_gradient=True,
    storage=pairs.SUM,
    broadcast_storage=pairs.BROADCAST_SUM,
)
binary(
    "elemwise_sub",
    "broadcast_sub",
    "Difference of two arrays",
    native("subtract"),
    lambda F, g, a, b, y: (g, -g),
    symbol="-",
    numpy_names=("subtract",),
    functions=("subtract",),
    strict_aliases=("_minus", "_Minus", "_sub", "_sparse_elemwise_sub"),
    broadcast_aliases=("broadcast_minus", "_sparse_broadcast_sub", "_sparse_broadcast_minus"),
    storage=pairs.SUM,
    broadcast_storage=pairs.BROADCAST_SUM,
)
binary(
    "elemwise_mul",
    "broadcast_mul",
    "Product of two arrays",
    native("multiply"),
    lambda F, g, a, b, y: (g * b, g * a),
    symbol="*",
    numpy_names=("multiply",),
    functions=("multiply",),
    strict_aliases=("_mul", "_Mul", "_sparse_elemwise_mul"),
    broadcast_aliases=("_sparse_broadcast_mul",),
    storage=pairs.PRODUCT,
    broadcast_storage=pairs.BROADCAST_PRODUCT,
)
binary(
    "elemwise_div",
    "broadcast_div",
    "Quotient of two arrays",
    divide,
    _divided,
    symbol="/",
    low=0.5,
    numpy_names=("divide", "true_divide"),
    functions=("divide", "true_divide"),
    strict_aliases=("_div", "_Div", "_sparse_elemwise_div"),
    broadcast_aliases=("_sparse_broadcast_div",),
    storage=pairs.QUOTIENT,
    broadcast_storage=pairs.BROADCAST_PRODUCT,
)
binary(
    "_mod",
    "broadcast_mod",
    "Remainder of two arrays, with the sign of the divisor",
    modulo,
    # Of whole numbers MXNet's slopes are 0.
    lambda F, g, a, b, y: (g, -(g * F.floor(a / b))) if is_floating(y) else (g * 0, g * 0),
    symbol="%",
    low=0.5,
    numpy_names=("mod", "remainder"),
    functions=("modulo",),
    strict_aliases=("_Mod",),
)
binary(
    "_power",
    "broadcast_power",
    "The left array to the power of the right",
    power,
    _raised,
    symbol="**",
    low=0.5,
    numpy_names=("power", "pow"),
    functions=("power", "pow"),
    strict_aliases=("_Power",),
)
binary(
    "_maximum",
    "broadcast_maximum",
    "The larger of two numbers",
    native("maximum"),
    _chosen("broadcast_greater_equal"),
    numpy_names=("maximum", "fmax"),
    functions=("maximum",),
    strict_aliases=("_Maximum",),
    storage=pairs.OF_ONE_KIND,
)
binary(
    "_minimum",
    "broadcast_minimum",
    "The smaller of two numbers",
    native("minimum"),
    _chosen("broadcast_lesser_equal"),
    numpy_names=("minimum", "fmin"),
    functions=("minimum",),
    strict_aliases=("_Minimum",),
    storage=pairs.OF_ONE_KIND,
)
binary(
    "_hypot",
    "broadcast_hypot",
    "Length of the hypotenuse over two legs",
    hypot,
    lambda F, g, a, b, y: (g * a / y, g * b / y),
    numpy_names=("hypot",),
    functions=("hypot",),
    strict_aliases=("_Hypot",),
    storage=pairs.OF_ONE_KIND,
)

for _name, _function, _symbol, _twin in (
    ("_equal", "equal", "==", "broadcast_equal"),
    ("_not_equal", "not_equal", "!=", "broadcast_not_equal"),
    ("_greater", "greater", ">", "broadcast_greater"),
    ("_greater_equal", "greater_equal", ">=", "broadcast_greater_equal"),
    ("_lesser", "less", "<", "broadcast_lesser"),
    ("_lesser_equal", "less_equal", "<=", "broadcast_lesser_equal"),
    ("_logical_and", "logical_and", None, "broadcast_logical_and"),
    ("_logical_or", "logical_or", None, "broadcast_logical_or"),
    ("_logical_xor", "logical_xor", None, "broadcast_logical_xor"),
):
    binary(
        _name,
        _twin,
        f"1 where {_function.replace('_', ' ')} holds for two arrays, else 0, in their dtype",
        as_number(_function),
        symbol=_symbol,
        numpy_names=(_function,),
        functions=(_name.removeprefix("_"),),
        strict_aliases=(_name.title(),),
    )

derive(
    "_scatter_elemwise_div",
    "elemwise_div",
    facts=Facts(broadcast_twin="broadcast_div"),
    storage=pairs.SCATTERED_QUOTIENT,
)
