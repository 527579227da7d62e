"""Errors of the runtime, and the public names of ``mxnet.base``, such as properties of classes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from hybridlint.runtime.core.c_values import (
    MXCallbackList,
    c_array,
    c_array_buf,
    c_handle_array,
    c_str,
    c_str_array,
    ctypes2buffer,
    ctypes2numpy_shared,
    mx_float_p,
)

__all__ = [
    "MXCallbackList",
    "MXNetError",
    "NotImplementedForSymbol",
    "NotSupportedForSparseNDArray",
    "_MXClassPropertyDescriptor",
    "_MXClassPropertyMetaClass",
    "build_param_doc",
    "c_array",
    "c_array_buf",
    "c_handle_array",
    "c_str",
    "c_str_array",
    "check_call",
    "classproperty",
    "ctypes2buffer",
    "ctypes2numpy_shared",
    "data_dir",
    "data_dir_default",
    "error_types",
    "integer_types",
    "mx_float_p",
    "mx_real_t",
    "numeric_types",
    "py_str",
    "register_error",
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


@contextmanager
def reported_as_mxnet(path: object) -> Iterator[None]:
    """Raise MXNetError, as MXNet's C++ code does, for a file that the body cannot open."""
    try:
        yield
    except OSError as error:
        raise MXNetError(f'Cannot open "{path}": {error.strerror}') from error


class UnfitFileError(MXNetError, ValueError, AssertionError):
    """A file holds other arrays than the block that reads it; the message names them.

    MXNet raises AssertionError or ValueError there, and programs may catch these.
    """


class DamagedFileError(MXNetError, ValueError, AssertionError):
    """A file holds what no file of its kind holds; the message says where.

    MXNet's readers in Python raise ValueError or AssertionError there, and programs may catch these.
    """


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


class NotSupportedForSparseNDArray(MXNetError):
    """A method that only dense arrays have was called on a sparse array."""

    def __init__(self, function: Any, alias: str | None, *args: Any) -> None:
        super().__init__()
        self.function = function.__name__
        self.alias = alias
        self.args = tuple(str(type(a)) for a in args)

    def __str__(self) -> str:
        alias = f' (namely operator "{self.alias}")' if self.alias else ""
        takes = f" with arguments ({', '.join(self.args)})" if self.args else ""
        about = "is not supported for SparseNDArray and only available in NDArray."
        return f"Function {self.function}{alias}{takes} {about}"


#: Kinds of error by their names, as messages from outside of Python begin with them.
error_types: dict[str, type[Exception]] = {
    "NotImplementedForSymbol": NotImplementedForSymbol,
    "ValueError": ValueError,
    "TypeError": TypeError,
    "AttributeError": AttributeError,
    "IndexError": IndexError,
    "NotImplementedError": NotImplementedError,
}


def register_error(func_name: Any = None, cls: type[Exception] | None = None) -> Any:
    """Register a class of errors, under a name or its own. Usable as a decorator, with or without a name."""
    if callable(func_name):
        func_name, cls = func_name.__name__, func_name

    def register(klass: type[Exception]) -> type[Exception]:
        error_types[func_name if isinstance(func_name, str) else klass.__name__] = klass
        return klass

    return register if cls is None else register(cls)


class _NullType:
    """The type of `_Null`, which represents an argument that is not given."""

    def __repr__(self) -> str:
        return "_Null"


_Null = _NullType()


class _Library:
    """A stand-in for ``mxnet.base._LIB``: there is no C library here, and each function raises when it is called."""

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name.startswith("__"):
            raise AttributeError(name)

        def function(*args: Any) -> Any:
            raise NotImplementedError(f"{name} is a function in C, which the bundled runtime lacks: it is all Python")

        return function


_LIB = _Library()


def check_call(ret: int) -> None:
    """Accept the answer 0 of a function in C. Raises MXNetError for any other."""
    if ret != 0:
        raise MXNetError(f"a function in C answered {ret}")


def data_dir_default() -> str:
    """Return the folder that downloads go to unless MXNET_HOME says otherwise."""
    return os.path.join(os.path.expanduser("~"), ".mxnet")


def data_dir() -> str:
    """Return the folder that downloads go to."""
    return os.getenv("MXNET_HOME", data_dir_default())


def build_param_doc(
    arg_names: Sequence[str], arg_types: Sequence[str], arg_descs: Sequence[str], remove_dup: bool = True
) -> str:
    """Return the part of a docstring that lists parameters, each once unless `remove_dup` is false."""
    seen: set[str] = set()
    lines = ["Parameters", "----------"]
    for name, kind, about in zip(arg_names, arg_types, arg_descs, strict=True):
        # The number of inputs is counted for the caller.
        if name == "num_args" or (name in seen and remove_dup):
            continue
        seen.add(name)
        lines += [f"{name} : {kind}", *([f"    {about}"] if about else [])]
    return "\n".join(lines) + "\n"


class _MXClassPropertyDescriptor:
    """A property of the class itself. With a setter it can be set on classes of `_MXClassPropertyMetaClass`."""

    def __init__(self, fget: Any, fset: Any = None) -> None:
        self.fget = fget
        self.fset = fset

    def __get__(self, obj: Any, clas: type | None = None) -> Any:
        owner = type(obj) if clas is None else clas
        return self.fget.__get__(obj, owner)()

    def __set__(self, obj: Any, value: Any) -> None:
        # When the property is set on the class, the object passed is the class.
        owner = obj if isinstance(obj, type) else type(obj)
        if not self.fset:
            raise MXNetError(f"cannot use the setter: {owner.__name__} to set attribute")
        self.fset.__get__(obj, owner)(value)

    def setter(self, func: Any) -> _MXClassPropertyDescriptor:
        """Return a copy of this property with a setter."""
        self.fset = func if isinstance(func, (classmethod, staticmethod)) else classmethod(func)
        return self


class _MXClassPropertyMetaClass(type):
    """Metaclass whose class properties can be set."""

    def __setattr__(cls, key: str, value: Any) -> None:
        known = vars(cls).get(key)
        if isinstance(known, _MXClassPropertyDescriptor):
            known.__set__(cls, value)
        else:
            super().__setattr__(key, value)


def classproperty(func: Callable[..., Any]) -> _MXClassPropertyDescriptor:
    """Make a method a property of its class."""
    return _MXClassPropertyDescriptor(func if isinstance(func, (classmethod, staticmethod)) else classmethod(func))


def with_metaclass(meta: type, *bases: type) -> type:
    """Return a base class that gives its subclasses this metaclass and these bases."""

    class _Between(type):
        def __new__(cls, name: str, _bases: Any, namespace: dict[str, Any]) -> Any:
            return meta(name, bases, namespace)

    return type.__new__(_Between, "temporary_class", (), {})
