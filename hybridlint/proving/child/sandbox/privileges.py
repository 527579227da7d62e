"""Privileges of root that a process gives up: on Linux, all capabilities, also those that a program would bring."""

from __future__ import annotations

import ctypes
from typing import Any

_VERSION = 0x20080522
_BOUNDING_DROP, _AMBIENT, _AMBIENT_CLEAR = 24, 47, 4
#: More than any kernel has.
_MOST = 64


class _Header(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("process", ctypes.c_int)]


class _Sets(ctypes.Structure):
    """The effective, permitted and inheritable capabilities, in two halves; all are empty."""

    _fields_ = [("sets", ctypes.c_uint32 * 6)]


def drop_capabilities(libc: Any) -> bool:
    """Permanently drop all capabilities of this thread and its later threads; return whether that worked."""
    for capability in range(_MOST):
        # Without the right to do this, none of them can be gained anyway.
        if libc.prctl(_BOUNDING_DROP, capability, 0, 0, 0) != 0:
            break
    libc.prctl(_AMBIENT, _AMBIENT_CLEAR, 0, 0, 0)
    return bool(libc.capset(ctypes.byref(_Header(_VERSION, 0)), ctypes.byref(_Sets())) == 0)
