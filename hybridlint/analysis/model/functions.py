"""Which values are functions that someone may choose among: of the project, of the library, and of Python itself."""

from __future__ import annotations

import builtins
import math
import operator
from collections.abc import Mapping
from types import BuiltinFunctionType, ModuleType
from typing import TypeAlias, TypeGuard

from hybridlint.analysis.model.values import CallableUnion, External, Function, OperatorRef, Partial, Value

#: Modules of Python whose functions are told apart by name.
_MODULES: Mapping[str, ModuleType] = {module.__name__: module for module in (builtins, math, operator)}

#: A function, or a choice of several.
Callable: TypeAlias = Function | OperatorRef | Partial | CallableUnion | External


def has_function_name(value: Value) -> bool:
    """Return whether a value is known by a dotted name whose last part is written as functions are, not classes."""
    return type(value) is External and value.name.rpartition(".")[2][:1].islower() and "." in value.name


def is_function(value: Value) -> TypeGuard[Callable]:
    """Return whether a value is a function or a choice of functions.

    Of Python's own, only functions in C count, not classes.
    """
    if not isinstance(value, External):
        return isinstance(value, Function | OperatorRef | Partial | CallableUnion)
    module, _, name = value.name.rpartition(".")
    found = _MODULES.get(module)
    return found is not None and isinstance(getattr(found, name, None), BuiltinFunctionType)
