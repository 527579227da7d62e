"""``mx.operator``: operators written in Python, and the arguments of all operators."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.base import py_str
from hybridlint.runtime.operator.arguments import (
    OperatorArguments,
    get_all_registered_operators,
    get_operator_arguments,
)
from hybridlint.runtime.operator.custom import CustomOp, CustomOpProp, register

if TYPE_CHECKING:
    from hybridlint.runtime.operator.numpy_ops import NDArrayOp, NumpyOp, PythonOp

#: Names that are imported with the older Python operators, which need symbols.
_OLDER = ("NDArrayOp", "NumpyOp", "PythonOp")

__all__ = [
    "CustomOp",
    "CustomOpProp",
    "OperatorArguments",
    "get_all_registered_operators",
    "get_operator_arguments",
    "py_str",
    "register",
]
__all__ += list(_OLDER)


def __getattr__(name: str) -> Any:
    if name in _OLDER:
        return getattr(importlib.import_module("hybridlint.runtime.operator.numpy_ops"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
