"""Arrays of a device that is not there: numpy's arithmetic behind what `cupy.ndarray` has.

Like CuPy's they refuse to become numpy arrays unasked, and to be mixed with them; an element is an array too.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.runtime.gpu.calls import KINDS, DeviceArray, call, opened, signature_of
from tests.runtime.gpu.surface import kept

_SURFACE = kept()


class Flags:
    """How an array lies in memory, as far as CuPy tells."""

    def __init__(self, flags: Any) -> None:
        self.c_contiguous: bool = flags.c_contiguous
        self.f_contiguous: bool = flags.f_contiguous
        self.owndata: bool = flags.owndata


class OutOfMemoryError(MemoryError):
    """What CuPy raises where a device has not enough memory."""


class Memory:
    """The bytes that arrays of each device take, of which there may be a limit."""

    def __init__(self) -> None:
        self.used: Counter[int] = Counter()
        self.limit: int | None = None

    def take(self, device_id: int, size: int) -> None:
        """Take memory. Raises OutOfMemoryError beyond the limit."""
        if self.limit is not None and self.used[device_id] + size > self.limit:
            raise OutOfMemoryError(
                f"Out of memory allocating {size:,} bytes (allocated so far: {self.used[device_id]:,} bytes)."
            )
        self.used[device_id] += size

    def give_back(self, device_id: int, size: int) -> None:
        """Give memory back."""
        self.used[device_id] -= size


MEMORY = Memory()


class ndarray(DeviceArray):  # noqa: N801
    """An array on a device, which is its number."""

    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, held: Any, device_id: int, base: ndarray | None = None) -> None:
        if held.dtype.kind not in KINDS:
            raise ValueError(f"Unsupported dtype {held.dtype}")
        self._held = held
        self._base = base
        self.device_id = device_id
        self._taken = 0
        if base is None:
            MEMORY.take(device_id, held.nbytes)
            self._taken = held.nbytes

    def __del__(self) -> None:
        MEMORY.give_back(getattr(self, "device_id", 0), getattr(self, "_taken", 0))

    @property
    def device(self) -> Any:
        """The device, which has a number."""
        return SimpleNamespace(id=self.device_id)

    @property
    def base(self) -> ndarray | None:
        return self._base

    @property
    def flags(self) -> Flags:
        return Flags(self._held.flags)

    @property
    def T(self) -> Any:  # noqa: N802
        return wrapped(self._held.T, self.device_id, (self,))

    @property
    def shape(self) -> tuple[int, ...]:
        sizes: tuple[int, ...] = self._held.shape
        return sizes

    @shape.setter
    def shape(self, sizes: tuple[int, ...]) -> None:
        self._held = self._held.reshape(sizes)

    def get(self) -> Any:
        """Return a copy in main memory."""
        return self._held.copy()

    def item(self) -> Any:
        return self._held.item()

    def tolist(self) -> Any:
        return self._held.tolist()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to construct a NumPy array "
            "explicitly."
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        raise TypeError(f"numpy.{ufunc.__name__} was called on an array of the device")

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        raise TypeError(f"numpy.{function.__name__} was called on an array of the device")

    def __getitem__(self, key: Any) -> Any:
        return wrapped(np.asarray(self._held[opened(key)]), self.device_id, (self,))

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, (list, tuple)):
            raise TypeError("a list cannot be assigned to elements of an array of the device")
        same_device((self, key, value))
        self._held[opened(key)] = opened(value)

    def __iter__(self) -> Iterator[Any]:
        if not self._held.ndim:
            raise TypeError("iteration over a 0-d array")
        return (self[k] for k in range(len(self._held)))

    def __len__(self) -> int:
        return len(self._held)

    def __bool__(self) -> bool:
        return bool(self._held)

    def __int__(self) -> int:
        return int(self._held)

    def __float__(self) -> float:
        return float(self._held)

    def __complex__(self) -> complex:
        return complex(self._held)

    def __repr__(self) -> str:
        return repr(self._held)

    def __str__(self) -> str:
        return str(self._held)

    def __format__(self, how: str) -> str:
        return format(self._held, how)

    def __copy__(self) -> Any:
        return self.copy()  # type: ignore[attr-defined]

    def __deepcopy__(self, memo: Any) -> Any:
        return self.copy()  # type: ignore[attr-defined]


_current = threading.local()


def current_device() -> int:
    """Return the number of the device that computes: 0 outside of `on_device`."""
    return getattr(_current, "number", 0)


@contextmanager
def on_device(number: int) -> Iterator[None]:
    """Make a device the current one within a ``with`` block."""
    before, _current.number = current_device(), number
    try:
        yield
    finally:
        _current.number = before


def same_device(values: Any) -> None:
    """Raise ValueError for an array of another device than the current one, whose kernels cannot reach it."""
    here = current_device()
    for value in values:
        if isinstance(value, ndarray) and value.device_id != here:
            raise ValueError(
                f"Array device must be same as the current device: array device = {value.device_id} "
                f"while current = {here}"
            )
        if isinstance(value, (list, tuple)):
            same_device(value)


def wrapped(result: Any, device_id: int, sources: tuple[Any, ...] = ()) -> Any:
    """Return what numpy gave as CuPy gives it: arrays of the device, even of one number."""
    if isinstance(result, (np.ndarray, np.generic)):
        held = np.asarray(result)
        for source in sources:
            if isinstance(source, ndarray):
                if held is source._held:
                    return source
                if held.base is not None and np.may_share_memory(held, source._held):
                    return ndarray(held, device_id, source if source._base is None else source._base)
        return ndarray(held if held.base is None else held.copy(), device_id)
    if isinstance(result, (list, tuple)):
        parts = [wrapped(part, device_id, sources) for part in result]
        return parts if isinstance(result, list) else tuple(parts)
    return result


def _method(name: str) -> Any:
    def method(self: ndarray, *args: Any, **kwargs: Any) -> Any:
        same_device((self, *args, *kwargs.values()))
        own = getattr(self._held, name)
        result = call(f"ndarray.{name}", own, signature_of("array_methods", name), args, kwargs)
        if result is NotImplemented:
            return result
        out = kwargs.get("out")
        return out if out is not None else wrapped(result, self.device_id, (self,))

    method.__name__ = name
    return method


def _arithmetic(name: str) -> Any:
    def method(self: ndarray, *others: Any) -> Any:
        for other in others:
            if isinstance(other, (np.ndarray, list, tuple)):
                raise TypeError(f"Unsupported type {type(other)}")
        same_device((self, *others))
        with np.errstate(all="ignore"):
            result = getattr(self._held, name)(*map(opened, others))
        if result is NotImplemented:
            return result
        return self if result is self._held else wrapped(result, self.device_id)

    return method


def _attribute(name: str) -> Any:
    return property(lambda self: wrapped(getattr(self._held, name), self.device_id, (self,)))


_OPERATORS = "add sub mul truediv floordiv mod divmod pow matmul and or xor lshift rshift"
for _name in _SURFACE["array_methods"]:
    if _name in vars(ndarray):
        continue
    _plain = _name.strip("_")
    _stem = _plain[1:] if _plain[:1] in "ri" and _plain[1:] in _OPERATORS.split() else _plain
    if _stem in _OPERATORS.split() or _plain in ["eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "abs", "invert"]:
        setattr(ndarray, _name, _arithmetic(_name))
    elif not _name.startswith("_") and hasattr(np.ndarray, _name):
        setattr(ndarray, _name, _method(_name))
for _name in _SURFACE["array_attributes"]:
    if _name not in vars(ndarray) and hasattr(np.ndarray, _name):
        setattr(ndarray, _name, _attribute(_name))
