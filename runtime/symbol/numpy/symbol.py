"""The symbol of numpy mode, with MXNet's own limits.

It takes integers and slices as subscripts and broadcasts, but has no shape, length or truth before it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hybridlint.runtime.core.numpy_conversion import nested_object
from hybridlint.runtime.numpy_functions import methods
from hybridlint.runtime.numpy_functions.traced import WORLD
from hybridlint.runtime.symbol.symbol import Symbol


class _Symbol(Symbol):
    """One or more outputs of a graph of numpy mode."""

    __slots__ = ()
    __hash__ = None

    @property
    def T(self) -> Symbol:
        """The symbol with reversed dimensions."""
        return WORLD.call("_np_transpose", self)  # type: ignore[no-any-return]

    @property
    def num_outputs(self) -> int:
        """Number of outputs."""
        return len(self._entries)

    def __getitem__(self, key: Any) -> Symbol:
        if len(self._entries) > 1:
            # Several outputs are a list, which counts from the end too.
            outputs = [super(_Symbol, self).__getitem__(k) for k in range(len(self._entries))]
            return super().__getitem__(key) if isinstance(key, str) else outputs[key]
        keys = key if isinstance(key, tuple) else (key,)
        if not keys:
            return self
        if not all(isinstance(k, (int, np.integer, slice)) for k in keys):
            raise IndexError(f"Only integer, slice, or tuple of these types are supported! Received key={key}")
        found = WORLD.call("slice", self, **_bounds(keys, alone=not isinstance(key, tuple)))
        if all(isinstance(k, slice) for k in keys):
            return found  # type: ignore[no-any-return]
        codes = (*(-2 if isinstance(k, slice) else -3 for k in keys), -4)
        return WORLD.call("_npx_reshape", found, newshape=codes)  # type: ignore[no-any-return]

    def __setitem__(self, key: Any, value: Any) -> None:
        raise NotImplementedError

    def __len__(self) -> int:
        if len(self._entries) == 1:
            raise TypeError(f"{self!r} is not a list and does not support len().")
        return len(self._entries)

    def __iter__(self) -> Iterator[Symbol]:
        if len(self._entries) == 1:
            raise TypeError(f"'{self!r}' is not iterable.")
        return super().__iter__()

    def __neg__(self) -> Symbol:
        return WORLD.with_number("_npi_multiply_scalar", self, -1.0)  # type: ignore[no-any-return]

    def __abs__(self) -> Symbol:
        raise AttributeError("_Symbol object has no attribute abs")

    def __itruediv__(self, other: Any) -> Symbol:
        raise NotImplementedError

    __idiv__ = __itruediv__

    def broadcast_to(self, *args: Any, **kwargs: Any) -> Symbol:
        """Raise AttributeError: the symbol has no such method, the array has."""
        raise AttributeError("_Symbol object has no attribute broadcast_to")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """Return the symbol as an object of numpy, which finds no sequence in it."""
        return nested_object(self, (), 0)

    def as_np_ndarray(self) -> Symbol:
        """Return the symbol itself."""
        return self


def _bounds(keys: tuple[Any, ...], *, alone: bool) -> dict[str, Any]:
    """Write subscripts as the parameters of the operator slice.

    As in MXNet 1.9 the subscript -1 ends at 0 where it stands `alone`, which is nothing at all; in a tuple it works.
    """
    starts = tuple(k.start if isinstance(k, slice) else k for k in keys)
    stops = tuple(k.stop if isinstance(k, slice) else (None if k == -1 and not alone else k + 1) for k in keys)
    steps = tuple(k.step if isinstance(k, slice) else 1 for k in keys)
    return {"begin": starts, "end": stops, "step": steps}


methods.install(_Symbol, WORLD, "_Symbol")
