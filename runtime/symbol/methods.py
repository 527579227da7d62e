"""Symbol methods that call operators, installed from tables: arithmetic, NDArray-only methods, fluent methods."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.runtime.base import NotImplementedForSymbol
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.fluent import TAKING_INPLACE, fluent
from hybridlint.runtime.facts.registry import Operator

if TYPE_CHECKING:
    pass

from hybridlint.runtime.facts.surface import TENSOR_LACKS, Lack
from hybridlint.runtime.symbol.calls import call
from hybridlint.runtime.symbol.symbol import Symbol


def _scalar_call(symbol: Symbol, name: str, hint: str, scalar: Any) -> Symbol:
    # MXNet converts the number to text and back, which fails for a bool or a fraction.
    return call(registry.get(name), hint, (symbol,), {"scalar": str(scalar)}, type(symbol))


def _negative(self: Symbol) -> Symbol:
    return _scalar_call(self, "_mul_scalar", "_mulscalar", -1.0)


def _absolute(self: Symbol) -> Symbol:
    return call(registry.get("abs"), "abs", (self,), {})


def _astype(self: Symbol, dtype: Any, **kwargs: Any) -> Symbol:
    """Return the operator Cast."""
    return call(registry.get("Cast"), "cast", (self,), {"dtype": dtype, **kwargs})


def _reshape(self: Symbol, *args: Any, **kwargs: Any) -> Symbol:
    """Return the operator Reshape. Further integers become its other parameters, as in MXNet."""
    return call(registry.get("Reshape"), "reshape", (self, *args), kwargs)


#: Python operator -> operator on two symbols with its name hint, the one on a scalar, and the one on a scalar in front.
_ARITHMETIC = {
    "add": (("elemwise_add", "_plus"), ("_plus_scalar", "_plusscalar"), ("_plus_scalar", "_plusscalar")),
    "sub": (("elemwise_sub", "_minus"), ("_minus_scalar", "_minusscalar"), ("_rminus_scalar", "_rminusscalar")),
    "mul": (("elemwise_mul", "_mul"), ("_mul_scalar", "_mulscalar"), ("_mul_scalar", "_mulscalar")),
    "truediv": (("elemwise_div", "_div"), ("_div_scalar", "_divscalar"), ("_rdiv_scalar", "_rdivscalar")),
    "mod": (("_mod", "_mod"), ("_mod_scalar", "_modscalar"), ("_rmod_scalar", "_rmodscalar")),
    "pow": (("_power", "_power"), ("_power_scalar", "_powerscalar"), ("_rpower_scalar", "_rpowerscalar")),
    "eq": (("_equal", "_equal"), ("_equal_scalar", "_equal_scalar"), None),
    "ne": (("_not_equal", "_not_equal"), ("_not_equal_scalar", "_not_equal_scalar"), None),
    "gt": (("_greater", "_greater"), ("_greater_scalar", "_greater_scalar"), None),
    "ge": (("_greater_equal", "_greater_equal"), ("_greater_equal_scalar", "_greater_equal_scalar"), None),
    "lt": (("_lesser", "_lesser"), ("_lesser_scalar", "_lesser_scalar"), None),
    "le": (("_lesser_equal", "_lesser_equal"), ("_lesser_equal_scalar", "_lesser_equal_scalar"), None),
}

#: Names in messages for the operators behind NDArray-only methods.
_ALIASES = {
    "__bool__": "bool",
    "__nonzero__": "bool",
    "__iadd__": "+=",
    "__isub__": "-=",
    "__imul__": "*=",
    "__idiv__": "/=",
    "__itruediv__": "/=",
}


def _arithmetic(
    both: tuple[str, str], scalar: tuple[str, str], swapped: bool = False, numbers: tuple[type, ...] = (Number,)
) -> Callable[[Symbol, Any], Symbol]:
    def method(self: Symbol, other: Any) -> Symbol:
        if isinstance(other, Symbol):
            pair = (other, self) if swapped else (self, other)
            return call(registry.get(both[0]), both[1], pair, {}, type(self))
        if isinstance(other, numbers):
            return _scalar_call(self, *scalar, other)
        raise TypeError(f"type {type(other)} not supported")

    return method


def _not_implemented(name: str, alias: str | None) -> Callable[..., Any]:
    def method(self: Symbol, *args: Any, **kwargs: Any) -> Any:
        given = (self, *args) if args else ()
        raise NotImplementedForSymbol(name, alias, *given)

    method.__name__ = name
    return method


def _fluent(op: Operator, name: str) -> Callable[..., Symbol]:
    def method(self: Symbol, *args: Any, **kwargs: Any) -> Symbol:
        if name in TAKING_INPLACE:
            kwargs.pop("inplace", None)
        return call(op, name, (self, *args), kwargs)

    method.__name__ = name
    method.__qualname__ = f"Symbol.{name}"
    method.__doc__ = op.doc
    return method


_WRITTEN: dict[str, Callable[..., Symbol]] = {
    "__neg__": _negative,
    "__abs__": _absolute,
    "astype": _astype,
    "reshape": _reshape,
}


def _install_methods() -> None:
    for name, method in _WRITTEN.items():
        setattr(Symbol, name, method)
    for name, (both, scalar, reflected) in _ARITHMETIC.items():
        numbers = (Number,) if reflected is not None else (float, int, np.generic)
        setattr(Symbol, f"__{name}__", _arithmetic(both, scalar, numbers=numbers))
        if reflected is not None:
            setattr(Symbol, f"__r{name}__", _arithmetic(both, reflected, swapped=True))
    for name, lack in TENSOR_LACKS["legacy"].items():
        if lack is Lack.NOT_IMPLEMENTED:
            setattr(Symbol, name, _not_implemented(name, _ALIASES.get(name)))
    for name, op in fluent().items():
        if name not in vars(Symbol):
            setattr(Symbol, name, _fluent(op, name))


_install_methods()
