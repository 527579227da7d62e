"""Errors of the runtime, and the public names of ``mxnet.base``."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime.core.class_properties import (
    _MXClassPropertyDescriptor,
    _MXClassPropertyMetaClass,
    classproperty,
    with_metaclass,
)

__all__ = [
    "MXNetError",
    "NotImplementedForSymbol",
    "_MXClassPropertyDescriptor",
    "_MXClassPropertyMetaClass",
    "classproperty",
    "integer_types",
    "mx_real_t",
    "numeric_types",
    "py_str",
    "string_types",
    "with_metaclass",
]

#: The default dtype of arrays.
mx_real_t = np.float32
numeric_types = (float, int, np.generic)
integer_types = (int, np.int32, np.int64)
string_types = (str,)


def plain_number(number: Any) -> Any:
    """Convert a numpy number to a Python number; other values stay as they are."""
    return number.item() if isinstance(number, np.generic) else number


def py_str(text: bytes) -> str:
    """Decode the bytes of a C string."""
    return text.decode("utf-8")


def _as_list(obj: Any) -> list[Any] | tuple[Any, ...]:
    """Return a list or tuple unchanged, and anything else as a one-element list."""
    return obj if isinstance(obj, (list, tuple)) else [obj]


class MXNetError(RuntimeError):
    """An operator or graph failed. The message names the operator and, if known, the user's source line."""


class NotImplementedForSymbol(MXNetError):
    """A method that only NDArray has was called on a Symbol."""

    def __init__(self, function: Any, alias: str | None = None, *args: Any) -> None:
        super().__init__()
        self.function = function if isinstance(function, str) else function.__name__
        self.alias = alias
        self.args = tuple(str(type(a)) for a in args)

    def __str__(self) -> str:
        alias = f" (namely operator {self.alias!r})" if self.alias else ""
        takes = f" with arguments ({', '.join(self.args)})" if self.args else ""
        return f"Function {self.function}{alias}{takes} is not implemented for Symbol and only available in NDArray."
