"""Arrays that no computation could fill: whatever reads their elements gets the error instead."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from math import prod
from typing import Any, NoReturn

import numpy as np

from hybridlint.runtime.facts.types import LateError, LateIndexError, ValuesError

_TOLD: dict[type[Exception], type[Exception]] = {ValuesError: ValueError, LateIndexError: IndexError}
_unread: list[weakref.ref[Failed]] = []


class Failed:
    """The elements of a result whose values could not be computed. Its type is known.

    MXNet computes later than it is asked to: its errors about values appear where results are waited for or read.
    """

    __slots__ = ("__weakref__", "_error", "dtype", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: Any, error: Callable[[], Exception]) -> None:
        self.shape, self.dtype, self._error = shape, np.dtype(dtype), error
        _unread.append(weakref.ref(self))

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    def of(self, shape: tuple[int, ...], dtype: Any) -> Failed:
        """Return the result of a computation with this one: it fails for the same reason."""
        return Failed(shape, dtype, self._error)

    def fail(self) -> NoReturn:
        """Raise the error. MXNet then raises none again in `waitall`, of other arrays neither."""
        _unread.clear()
        raise self._error()

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        self.fail()

    def reshape(self, *shape: Any) -> Failed:
        """Return the same elements in another shape."""
        return self.of(self._typed().reshape(*shape).shape, self.dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)  # whoever asks whether there is such a name is not reading elements
        self.fail()

    def __getitem__(self, place: Any) -> Failed:
        return self.of(self._typed()[place].shape, self.dtype)

    def _typed(self) -> Any:
        """Return an array of this type, whatever its elements."""
        return np.broadcast_to(np.zeros((), self.dtype), self.shape)

    def __str__(self) -> str:
        _unread.clear()
        raise self._error()


def of_values(error: Exception) -> bool:
    """Return whether an error of a kernel is about values, not about types or parameters."""
    return isinstance(error, (LateError, np.linalg.LinAlgError))


def told_by(error: Exception) -> type[Exception] | None:
    """Return the class of Python's own errors by which MXNet tells a kernel's error, None if it is an MXNetError."""
    return next((tells for kind, tells in _TOLD.items() if isinstance(error, kind)), None)


def raise_unread() -> None:
    """Raise the error of the first failed array that is still there; the others are forgotten."""
    waiting = [failed for reference in _unread if (failed := reference()) is not None]
    if waiting:
        waiting[0].fail()
    _unread.clear()
