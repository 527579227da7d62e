"""Arrays in sparse storage: matrices in compressed rows, and arrays of few rows.

What they store is in main memory whatever their context. An operator that has no kernel for them reads `_data`, which
is a dense copy; to write it replaces what is stored.
"""

from __future__ import annotations

import importlib
from typing import Any, ClassVar

import numpy as np

from hybridlint.runtime.autograd import Entry
from hybridlint.runtime.base import MXNetError, NotSupportedForSparseNDArray
from hybridlint.runtime.context import Context, cpu, platform_at
from hybridlint.runtime.core.binding import bind
from hybridlint.runtime.core.imperative import invoke
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.core.storage_types import stored_array
from hybridlint.runtime.core.stored_format import check
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.storage import Csr, RowSparse, Sparse
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.ops.storage import conversion
from hybridlint.runtime.platforms import Platform, platform_of
from hybridlint.runtime.platforms.numpy_platform import NUMPY
from hybridlint.runtime.serialization.params import dump_array, parse_stored

_EVERYTHING = slice(None)


class BaseSparseNDArray(NDArray):
    """What the sparse arrays have in common."""

    __slots__ = ("_held",)

    _is_sparse = True
    #: The storage type.
    _kind: ClassVar[str] = ""
    #: Names of the arrays beside the elements, in MXNet's order.
    _aux: ClassVar[tuple[str, ...]] = ()
    _held: Any

    def __init__(self, held: Sparse | None = None, ctx: Context | None = None) -> None:
        self._held = held
        self._entry = self._grad = None
        self._grad_req = "null"
        self._ctx = ctx

    @classmethod
    def _wrap(cls, raw: Any, entry: Entry | None = None) -> NDArray:
        held = raw if hasattr(raw, "stype") else platform_of([raw]).to_host(raw)
        array = cls(conversion.stored(np, held, cls._kind))
        array._entry = entry
        return array

    @classmethod
    def zeros(cls, shape: Any, ctx: Context, dtype: Any) -> NDArray:
        """Return an array that stores nothing. Raises MXNetError for a shape that it cannot have."""
        sizes = tuple(int(size) for size in shape)
        try:
            return cls(conversion.empty(np, cls._kind, sizes, np.dtype(dtype or np.float32)), ctx)
        except ValueError as error:
            raise MXNetError(str(error)) from error

    # -- what it is

    @property
    def _data(self) -> Any:
        return self._platform.from_host(self._host)

    @_data.setter
    def _data(self, value: Any) -> None:
        held = value if hasattr(value, "stype") else platform_of([value]).to_host(value)
        self._held = conversion.stored(np, held, self._kind)

    @property
    def _host(self) -> Any:
        return conversion.dense(np, self._held)

    @property
    def _stored(self) -> Any:
        return self._held

    @property
    def _platform(self) -> Platform:
        return NUMPY if self._ctx is None else platform_at(self._ctx)

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions."""
        return self._held.shape  # type: ignore[no-any-return]

    @property
    def dtype(self) -> Any:
        """The numpy type of the elements."""
        return self._held.dtype.type

    @property
    def size(self) -> int:
        """Raise NotImplementedError, as on MXNet."""
        raise NotImplementedError

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self._held.shape)

    @property
    def context(self) -> Context:
        """The device that the array belongs to."""
        return self._ctx or cpu(0)

    ctx = context

    @property
    def stype(self) -> str:
        """The storage type, "csr" or "row_sparse"."""
        return self._kind

    @property
    def data(self) -> NDArray:
        """A copy of the stored elements."""
        return NDArray(self._held.data.copy(), self._ctx)

    @property
    def indices(self) -> NDArray:
        """A copy of the columns of the stored elements, or of the numbers of the stored rows."""
        return NDArray(self._held.indices.copy(), self._ctx)

    @property
    def _num_aux(self) -> int:
        return len(self._aux)

    @property
    def _aux_types(self) -> list[Any]:
        return [self._aux_type(k) for k in range(len(self._aux))]

    def _aux_type(self, i: int) -> Any:
        return getattr(self._held, self._aux[i]).dtype.type

    def _aux_data(self, i: int) -> NDArray:
        return NDArray(getattr(self._held, self._aux[i]).copy(), self._ctx)

    def __repr__(self) -> str:
        return f"\n<{type(self).__name__} {'x'.join(map(str, self.shape))} @{self.context}>"

    def __bool__(self) -> bool:
        if 0 in self.shape:
            return False
        if all(size == 1 for size in self.shape):
            raise NotImplementedError
        raise ValueError("The truth value of an NDArray with multiple elements is ambiguous.")

    def check_format(self, full_check: bool = True) -> None:
        """Raise MXNetError if the stored arrays are invalid; with `full_check` also for wrong indices."""
        check(self._held, full=full_check)

    # -- copies

    def asnumpy(self) -> Any:
        """Return a dense copy as a numpy array."""
        return self._host

    def __copy__(self) -> NDArray:
        return type(self)(self._held, self._ctx)

    def __deepcopy__(self, memo: dict[int, Any]) -> NDArray:
        return self.copy()

    def detach(self) -> NDArray:
        """Return the same array, cut off from the tape."""
        return type(self)(self._held, self._ctx)

    _detached = detach

    def _filled(self, value: float) -> NDArray:
        if value:
            return NDArray(np.full(self.shape, value, self._held.dtype), self._ctx)
        return type(self)(conversion.empty(np, self._kind, self.shape, self._held.dtype), self._ctx)

    def astype(self, dtype: Any, copy: bool = True) -> NDArray:
        """Return a copy of another dtype; the array itself where it is the same and `copy` is false."""
        if not copy and np.dtype(dtype) == self._held.dtype:
            return self
        return type(self)(self._held.with_data(self._held.data.astype(dtype)), self._ctx)

    def copyto(self, other: NDArray | Context) -> NDArray:
        """Copy into a dense array or one of the same storage, or to a device. Raises TypeError for another storage."""
        if isinstance(other, Context):
            return type(self)(self._held, other).copy()._on(other)
        if other.stype not in {"default", self._kind}:
            raise TypeError(f"copyto does not support destination NDArray stype {other.stype}")
        if other.shape != self.shape:
            raise MXNetError(f"cannot copy an array of shape {self.shape} into one of shape {other.shape}")
        other._write(self._held if other._is_sparse else self._data)
        return other

    def tostype(self, stype: str) -> NDArray:
        """Return the array in another storage type; itself in its own. Raises ValueError between sparse ones."""
        if stype in {"csr", "row_sparse"} and stype != self._kind:
            raise ValueError(f"cast_storage from {self._kind} to {stype} is not supported")
        return super().tostype(stype)

    def as_np_ndarray(self) -> NDArray:
        """Raise ValueError: numpy mode has dense arrays only."""
        raise ValueError(f"cannot convert ndarray of stype {self._kind} to numpy ndarray")

    def _write(self, values: Any, place: Any = ...) -> None:
        if place is not ... and place != _EVERYTHING:
            raise TypeError(f"{type(self).__name__} only supports [:] for assignment")
        held = self._held
        if not hasattr(values, "stype") and hasattr(values, "shape"):
            values = platform_of([values]).to_host(values)
        if np.ndim(values) == 0 and not hasattr(values, "stype"):
            empty = not values
            values = np.full(held.shape, values, held.dtype) if not empty else None
            if empty:
                values = conversion.empty(np, self._kind, held.shape, held.dtype)
        if values.shape != held.shape:
            raise MXNetError(f"an array of shape {values.shape} does not fit one of shape {held.shape}")
        found = conversion.stored(np, values, self._kind)
        self._held = found.with_data(found.data.astype(held.dtype, copy=found is values))

    def _assign(self, value: Any) -> None:
        if isinstance(value, NDArray):
            if value is not self:
                value.copyto(self)
        elif isinstance(value, (np.ndarray, np.generic)):
            self._write(np.asarray(value))
        else:
            raise TypeError(f"type {type(value)} not supported")

    # -- what only dense arrays do

    def _at(self, index: int) -> NDArray:
        raise NotSupportedForSparseNDArray(self._at, "[idx]", index)

    def _slice(self, start: int, stop: int) -> NDArray:
        raise NotSupportedForSparseNDArray(self._slice, None, start, stop)

    def reshape(self, *shape: Any, **kwargs: Any) -> NDArray:
        """Raise NotSupportedForSparseNDArray."""
        raise NotSupportedForSparseNDArray(self.reshape, None, *shape)

    def _sync_copyfrom(self, source_array: Any) -> None:
        raise NotImplementedError

    # -- pickles

    def __getstate__(self) -> dict[str, Any]:
        return {"handle": bytearray(dump_array(self._held))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(parse_stored(state["handle"]))  # type: ignore[misc]


class CSRNDArray(BaseSparseNDArray):
    """A matrix in compressed rows: `data`, their columns `indices`, and where each row begins, `indptr`."""

    __slots__ = ()
    _kind = "csr"
    _aux = ("indptr", "indices")

    @property
    def indptr(self) -> NDArray:
        """A copy of the positions where the rows begin."""
        return NDArray(self._held.indptr.copy(), self._ctx)

    def __getitem__(self, key: Any) -> NDArray:
        if isinstance(key, tuple):
            raise ValueError("Multi-dimension indexing is not supported")
        if isinstance(key, (int, np.integer)):
            begin = int(key) % self.shape[0] if key < 0 else int(key)
            return self.slice(begin=begin, end=begin + 1)  # type: ignore[no-any-return]
        if not isinstance(key, slice):
            raise TypeError(f"Undefined behaviour for {key}")
        if key.step is not None:
            raise ValueError("CSRNDArray only supports continuous slicing on axis 0")
        if key.start is None and key.stop is None:
            return self
        return self.slice(begin=key.start or 0, end=self.shape[0] if key.stop is None else key.stop)  # type: ignore[no-any-return]

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(key, slice):
            raise Exception("CSRNDArray only supports [:] for assignment")
        if key != _EVERYTHING:
            raise ValueError("Assignment with slice for CSRNDArray is not implemented yet.")
        if isinstance(value, (int, float, np.number)):
            raise ValueError("Assigning numeric types to CSRNDArray is not implemented yet.")
        self._assign(value)

    @classmethod
    def of_scipy(cls, matrix: Any, ctx: Context, dtype: Any = None) -> NDArray:
        """Return one of scipy's sparse matrices."""
        found = matrix.tocsr().copy()
        found.sum_duplicates()
        parts = (found.data.astype(dtype or found.dtype), found.indices.astype("int64"), found.indptr.astype("int64"))
        return cls(Csr(tuple(map(int, found.shape)), *parts), ctx)

    def asscipy(self) -> Any:
        """Return a copy as scipy's csr_matrix. Raises ImportError without scipy."""
        try:
            sparse = importlib.import_module("scipy.sparse")
        except ImportError:
            raise ImportError("scipy could not be imported. Please make sure that the scipy is installed.") from None
        held = self._held
        return sparse.csr_matrix((held.data.copy(), held.indices.copy(), held.indptr.copy()), shape=held.shape)


class RowSparseNDArray(BaseSparseNDArray):
    """An array of few rows: `data`, and the numbers of these rows, `indices`."""

    __slots__ = ()
    _kind = "row_sparse"
    _aux = ("indices",)

    def __getitem__(self, key: Any) -> NDArray:
        if isinstance(key, int):
            raise Exception("__getitem__ with int key is not implemented for RowSparseNDArray yet")
        if isinstance(key, slice):
            if key == _EVERYTHING:
                return self
            raise Exception("RowSparseNDArray only supports [:] for __getitem__")
        if isinstance(key, tuple):
            raise ValueError("Multi-dimension indexing is not supported")
        raise TypeError(f"Undefined behaviour for {key}")

    def __setitem__(self, key: Any, value: Any) -> None:
        if not isinstance(key, slice):
            raise TypeError("RowSparseNDArray only supports [:] for assignment")
        if key != _EVERYTHING:
            raise ValueError("Assignment with slice for RowSparseNDArray is not implmented yet.")
        if isinstance(value, (int, float, np.number)):
            # Every row is stored, also where the number is 0.
            rows = np.arange(self.shape[0])
            self._held = RowSparse(self.shape, np.full(self.shape, value, self._held.dtype), rows)
        else:
            self._assign(value)

    def retain(self, *args: Any, **kwargs: Any) -> NDArray:
        """Return the array with the rows of these numbers only.

        MXNet 1.9.1 has the method but returns a tuple that holds a 0; its function `sparse.retain` does what this does.
        """
        op = registry.get("_sparse_retain")
        inputs, given = bind(op, (self, *args), kwargs, NDArray, "have NDArray type")
        return invoke(op, inputs, normalize(op, given))  # type: ignore[no-any-return]


stored_array.classes.update(csr=CSRNDArray, row_sparse=RowSparseNDArray)
