"""Operators of ``mx.nd.sparse``, found in the registry; all storage is dense here.

The classes of sparse arrays are there for ``isinstance``: there are no instances.
"""

from __future__ import annotations

from typing import Any, NoReturn

from hybridlint.runtime.core.missing import refusal
from hybridlint.runtime.core.namespaces import fill
from hybridlint.runtime.ndarray import arithmetic, creation
from hybridlint.runtime.ndarray.functions import make_function
from hybridlint.runtime.ndarray.ndarray import NDArray

_ABOUT = "arrays in sparse storage"


class BaseSparseNDArray(NDArray):
    """The class of sparse arrays, which this runtime lacks."""

    def __init__(self, *args: Any, **kwargs: Any) -> NoReturn:
        name = type(self).__name__
        raise NotImplementedError(f"{name} is not supported by the bundled runtime: it is about {_ABOUT}")


class CSRNDArray(BaseSparseNDArray):
    """The class of matrices in compressed rows, which this runtime lacks."""


class RowSparseNDArray(BaseSparseNDArray):
    """The class of arrays of few rows, which this runtime lacks."""


def zeros(stype: str, shape: Any, ctx: Any = None, dtype: Any = None, **kwargs: Any) -> NDArray:
    """Return an array of zeros. Raises NotImplementedError for a storage that is not 'default'."""
    return creation.zeros(shape, ctx, dtype, stype, **kwargs)


def empty(stype: str, shape: Any, ctx: Any = None, dtype: Any = None) -> NDArray:
    """Return an array of unspecified values. Raises NotImplementedError for a storage that is not 'default'."""
    return creation.empty(shape, ctx, dtype, stype)


add, subtract, multiply, divide = arithmetic.add, arithmetic.subtract, arithmetic.multiply, arithmetic.divide
array = refusal("ndarray.sparse.array", _ABOUT)
csr_matrix = refusal("ndarray.sparse.csr_matrix", _ABOUT)
row_sparse_array = refusal("ndarray.sparse.row_sparse_array", _ABOUT)

__getattr__, __dir__ = fill("sparse", make_function, globals())
