"""Element-wise operators of an array and a Python number."""

from __future__ import annotations

import math
from typing import Any

from hybridlint.runtime.facts.registry import derive
from hybridlint.runtime.facts.storage import DENSE, POINTWISE, STORED, Storage, on_values, same
from hybridlint.runtime.ops.elementwise.arithmetic import divide, hypot, modulo, power
from hybridlint.runtime.ops.elementwise.families import as_number, native, scalar
from hybridlint.runtime.ops.numpy.promotion import is_floating

_SHIFTED = Storage(same, on_values, keeps_zero=True, otherwise=DENSE)

scalar(
    "_plus_scalar",
    "The array plus a number.",
    native("add"),
    lambda F, g, x, y, s: g,
    differentiable_twice=True,
    storage=_SHIFTED,
)
scalar(
    "_minus_scalar",
    "The array minus a number.",
    native("subtract"),
    lambda F, g, x, y, s: g,
    differentiable_twice=True,
    storage=_SHIFTED,
)
scalar(
    "_rminus_scalar",
    "A number minus the array.",
    native("subtract"),
    lambda F, g, x, y, s: -g,
    reflected=True,
    differentiable_twice=True,
)
scalar("_mul_scalar", "The array times a number.", native("multiply"), lambda F, g, x, y, s: g * s, storage=STORED)
scalar(
    "_div_scalar",
    "The array divided by a number.",
    divide,
    lambda F, g, x, y, s: g / s,
    second=-0.5,
    storage=STORED,
)
scalar(
    "_rdiv_scalar",
    "A number divided by the array.",
    divide,
    lambda F, g, x, y, s: -(g * y / x),
    reflected=True,
    low=0.5,
)


def _mod_grad(F: Any, g: Any, x: Any, y: Any, s: Any) -> Any:
    """Return the gradient of a remainder; the slope of whole numbers is 0, as on MXNet."""
    return g if is_floating(y) else g * 0


scalar("_mod_scalar", "Remainder of the array by a number.", modulo, _mod_grad, second=-0.7)
scalar(
    "_rmod_scalar",
    "Remainder of a number by the array.",
    modulo,
    lambda F, g, x, y, s: -(g * F.floor(s / x)) if is_floating(y) else g * 0,
    reflected=True,
    low=0.5,
)
scalar(
    "_power_scalar",
    "The array to the power of a number.",
    power,
    lambda F, g, x, y, s: g * F._power_scalar(x, scalar=s - 1) * s,
    low=0.5,
)
scalar(
    "_rpower_scalar",
    "A number to the power of the array.",
    power,
    lambda F, g, x, y, s: g * y * (math.log(s) if s > 0 else math.nan),
    reflected=True,
    low=0.5,
    second=0.5,
)
scalar(
    "_maximum_scalar", "The larger of the array and a number.", native("maximum"), lambda F, g, x, y, s: g * (x >= s)
)
scalar(
    "_minimum_scalar", "The smaller of the array and a number.", native("minimum"), lambda F, g, x, y, s: g * (x <= s)
)
scalar("_hypot_scalar", "Length of the hypotenuse over the array and a number.", hypot, lambda F, g, x, y, s: g * x / y)

for _name, _function in (
    ("equal", "equal"),
    ("not_equal", "not_equal"),
    ("greater", "greater"),
    ("greater_equal", "greater_equal"),
    ("lesser", "less"),
    ("lesser_equal", "less_equal"),
    ("logical_and", "logical_and"),
    ("logical_or", "logical_or"),
    ("logical_xor", "logical_xor"),
):
    scalar(
        f"_{_name}_scalar",
        f"1 where {_function.replace('_', ' ')} holds for the array and a number, else 0, in the array's dtype.",
        as_number(_function),
        storage=None if _name.startswith("logical") else POINTWISE,
    )

for _name in ("plus", "minus"):
    derive(f"_scatter_{_name}_scalar", f"_{_name}_scalar", storage=STORED)
