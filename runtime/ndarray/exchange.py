"""Arrays that share their memory with other libraries: numpy's own, and DLPack's capsules."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from hybridlint.runtime.core.imperative import Raw
from hybridlint.runtime.core.writes import tell_shared
from hybridlint.runtime.ndarray.ndarray import NDArray


def from_numpy(ndarray: Any, zero_copy: bool = True, array_cls: type[NDArray] = NDArray) -> NDArray:
    """Return an array on a numpy array's memory, which then becomes read-only for numpy.

    Without `zero_copy` the values are copied. Raises ValueError if the memory is not in C order.
    """
    if not zero_copy:
        return array_cls(np.array(ndarray, order="C"))
    if not ndarray.flags["C_CONTIGUOUS"]:
        raise ValueError("Only c-contiguous arrays are supported for zero-copy")
    view = np.asarray(_Memory(ndarray))
    ndarray.flags["WRITEABLE"] = False
    tell_shared(view)
    return array_cls(view)


class _Memory:
    """An array interface that lets numpy write to another array's memory, even if that array is read-only."""

    def __init__(self, owner: Any) -> None:
        self._owner = owner
        address = owner.__array_interface__["data"][0]
        self.__array_interface__ = {**owner.__array_interface__, "data": (address, False)}


def to_dlpack_for_read(data: NDArray) -> Any:
    """Return a DLPack capsule of the array's memory for reading. It can be consumed once."""
    tell_shared(data._data)
    return data._data.__dlpack__()


def to_dlpack_for_write(data: NDArray) -> Any:
    """Return a DLPack capsule of the array's memory for writing. It can be consumed once."""
    tell_shared(data._data)
    return data._data.__dlpack__()


class _Producer:
    """The object from which numpy takes a DLPack capsule."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **_options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


def from_dlpack(dlpack: Any) -> NDArray:
    """Return an array on the memory of a DLPack capsule, consuming it. Raises ValueError for a consumed one."""
    raw = _writable(np.from_dlpack(_Producer(dlpack)))
    tell_shared(raw)
    return NDArray._wrap(raw)


def _writable(raw: Raw) -> Raw:
    # numpy treats unversioned capsules as read-only, but MXNet writes through them.
    if raw.flags.writeable or raw.size == 0 or not raw.flags.c_contiguous:
        return raw
    memory = (ctypes.c_char * raw.nbytes).from_address(raw.ctypes.data)
    memory._owner = raw  # type: ignore[attr-defined]
    return np.frombuffer(memoryview(memory), raw.dtype).reshape(raw.shape)
