"""Helpers of ``mxnet.base`` for values in C, which programs use for calls of their own."""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

mx_uint = ctypes.c_uint
mx_float = ctypes.c_float
mx_int = ctypes.c_int
mx_int64 = ctypes.c_int64
mx_float_p = ctypes.POINTER(mx_float)


class MXCallbackList(ctypes.Structure):
    """Functions of Python that C calls, with what each of them gets."""

    _fields_ = (
        ("num_callbacks", ctypes.c_int),
        ("callbacks", ctypes.POINTER(ctypes.CFUNCTYPE(ctypes.c_int))),
        ("contexts", ctypes.POINTER(ctypes.c_void_p)),
    )


def c_str(string: str) -> ctypes.c_char_p:
    """Return a text as C has it."""
    return ctypes.c_char_p(string.encode("utf-8"))


def c_str_array(strings: Sequence[str]) -> ctypes.Array[ctypes.c_char_p]:
    """Return texts as an array of C."""
    return (ctypes.c_char_p * len(strings))(*[text.encode("utf-8") for text in strings])


def c_array(ctype: Any, values: Sequence[Any]) -> Any:
    """Return values as an array of a type of C."""
    return (ctype * len(values))(*values)


def c_array_buf(ctype: Any, buf: array[Any]) -> Any:
    """Return an array of C on the memory of an array of Python."""
    return (ctype * len(buf)).from_buffer(buf)


def c_handle_array(objs: Iterable[Any]) -> Any:
    """Return the handles of objects as an array of C."""
    handles = [getattr(o.handle, "value", o.handle) for o in objs]
    return (ctypes.c_void_p * len(handles))(*handles)


def ctypes2buffer(cptr: Any, length: int) -> bytearray:
    """Return a copy of bytes in C's memory. Raises TypeError for a pointer to anything else."""
    if not isinstance(cptr, ctypes.POINTER(ctypes.c_char)):
        raise TypeError("expected char pointer")
    return bytearray(ctypes.string_at(cptr, length))


def ctypes2numpy_shared(cptr: Any, shape: Sequence[int]) -> npt.NDArray[Any]:
    """Return an array of numpy on floats in C's memory. Raises RuntimeError for a pointer to anything else."""
    if not isinstance(cptr, mx_float_p):
        raise RuntimeError("expected float pointer")
    return np.ctypeslib.as_array(cptr, tuple(shape))
