"""Storage types: arrays that keep only some of their elements, and operators on them.

The arrays are our own: a few arrays of numpy, of which each kernel needs little. scipy has matrices in compressed rows,
but no arrays of few rows and no float16, and would be a dependency of everybody who runs a program without any of this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

from hybridlint.runtime.facts.records import record, replace

#: The storage types in MXNet's order of numbers, as files have them.
STYPES = ("default", "row_sparse", "csr")


@record(frozen=True, eq=False, slots=True)
class Csr:
    """A matrix in compressed rows: row i has ``data[indptr[i]:indptr[i + 1]]`` in the columns `indices` there."""

    stype: ClassVar[str] = "csr"
    shape: tuple[int, ...]
    data: Any
    indices: Any
    indptr: Any

    @property
    def dtype(self) -> Any:
        """The numpy dtype of the elements."""
        return self.data.dtype

    def with_data(self, data: Any) -> Csr:
        """Return a matrix with new elements at the same positions."""
        return replace(self, data=data)


@record(frozen=True, eq=False, slots=True)
class RowSparse:
    """An array of which only the rows `indices` are stored; ``data[k]`` is row ``indices[k]``."""

    stype: ClassVar[str] = "row_sparse"
    shape: tuple[int, ...]
    data: Any
    indices: Any

    @property
    def dtype(self) -> Any:
        """The numpy dtype of the elements."""
        return self.data.dtype

    def with_data(self, data: Any) -> RowSparse:
        """Return an array of other elements in the same rows."""
        return RowSparse((self.shape[0], *data.shape[1:]), data, self.indices)


Sparse: TypeAlias = Csr | RowSparse


@record(frozen=True, slots=True)
class Fallback:
    """MXNet has no kernel for these storage types: it computes on dense copies, says so, and stores the result so."""

    stype: str = "default"


#: MXNet computes a dense result without a word. It is computed on dense copies here: nothing is smaller than it.
DENSE = "dense"

#: ``(storage types of the inputs, parameters) -> ``  the storage type of the result, DENSE or a Fallback.
InferStorage: TypeAlias = Callable[[Sequence[str], Mapping[str, Any]], "str | Fallback"]


@record(frozen=True, slots=True)
class Storage:
    """The behaviour of an operator on sparse arrays. Without it, the operator runs on dense copies."""

    infer: InferStorage
    #: ``(dense kernel, xp, *inputs, **parameters)``: inputs and result are arrays, Csr or RowSparse.
    kernel: Callable[..., Any] | None = None
    #: Whether the storage is kept only with parameters that keep 0 what it is; where they do not, `otherwise` holds.
    keeps_zero: bool = False
    otherwise: str | Fallback = Fallback()
    #: Whether inputs in dense storage alone may have a sparse result.
    from_dense: bool = False
    #: Whether MXNet has the operator for sparse storage only.
    only: bool = False


def same(stypes: Sequence[str], params: Mapping[str, Any]) -> str | Fallback:
    """Return the storage type of the only input."""
    return stypes[0]


def on_values(kernel: Callable[..., Any], xp: Any, data: Sparse, **params: Any) -> Sparse:
    """Apply a dense kernel to the stored elements."""
    return data.with_data(kernel(xp, data.data, **params))


#: An operator of single elements that gives 0 for 0.
POINTWISE = Storage(same, on_values, keeps_zero=True)
#: An operator that MXNet applies to the stored elements, whatever it gives for 0.
STORED = Storage(same, on_values)
