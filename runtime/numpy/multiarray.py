"""``mx.np.ndarray``: the array of numpy mode."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.runtime.context import Context, current_context
from hybridlint.runtime.core.numpy_conversion import nested_object
from hybridlint.runtime.core.operator_params import dtype_name
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.numpy_functions import elementwise, methods, shape
from hybridlint.runtime.numpy_functions.eager import WORLD
from hybridlint.runtime.platforms import device_of

if TYPE_CHECKING:
    from hybridlint.runtime.autograd import Entry


class ndarray(NDArray):  # noqa: N801
    """An array with numpy's interface: numbers without dimensions, broadcasting, bool, mixed dtypes."""

    __slots__ = ()
    __module__ = "hybridlint.runtime.numpy"
    _scalars = True

    @property
    def dtype(self) -> Any:
        """The dtype of the elements."""
        return self._data.dtype

    @property
    def T(self) -> NDArray:
        """The array with reversed dimensions."""
        return WORLD.call("_np_transpose", self)  # type: ignore[no-any-return]

    def item(self, *args: Any) -> Any:
        """Return one element as a Python number. Raises ValueError if the element is ambiguous."""
        return self._host.item(*args)

    def tolist(self) -> Any:
        """Return nested lists of Python numbers."""
        return self._host.tolist()

    def asscalar(self) -> Any:
        """Raise AttributeError: numpy mode has `item`."""
        raise AttributeError("mxnet.numpy.ndarray object has no attribute asscalar")

    def tostype(self, stype: str) -> NDArray:
        """Raise AttributeError: numpy mode has no sparse arrays."""
        raise AttributeError("mxnet.numpy.ndarray object has no attribute tostype")

    def __repr__(self) -> str:
        text = np.array2string(self._host, separator=", ", prefix="array(")
        kind = self._data.dtype
        if self.size == 0:
            text = f"[], shape={self.shape}"
        suffix = "" if kind.name in {"float32", "bool"} else f", dtype={kind.name}"
        place = self._ctx if self._ctx is not None and self._ctx.device_type != "cpu" else None
        return f"array({text}{suffix}{'' if place is None else f', ctx={place}'})"

    def __str__(self) -> str:
        return str(self._host)

    def __format__(self, fmt: str) -> str:
        if self.ndim == 0:
            return format(self.item(), fmt)
        if fmt:
            raise TypeError("Cannot format mxnet.numpy.ndarray with format_spec")
        return str(self)

    def __bool__(self) -> bool:
        if self.size == 0:
            warnings.warn("The truth value of an empty array is ambiguous.", DeprecationWarning, stacklevel=2)
            return False
        if self.size == 1:
            return bool(self.item())
        raise ValueError("The truth value of an ndarray with multiple elements is ambiguous.")

    __nonzero__ = __bool__

    def __float__(self) -> float:
        return float(self._number())

    def __int__(self) -> int:
        return int(self._number())

    def _number(self) -> Any:
        if self.size != 1:
            raise TypeError("only size-1 arrays can be converted to Python scalars")
        return self.item()

    def __len__(self) -> int:
        if self.ndim == 0:
            raise TypeError("len() of unsized object")
        return self.shape[0]

    def __hash__(self) -> int:
        raise NotImplementedError

    def __neg__(self) -> NDArray:
        return self * -1.0  # type: ignore[no-any-return]

    def __abs__(self) -> NDArray:
        return elementwise.unary(WORLD, "abs", self)  # type: ignore[no-any-return]

    def __invert__(self) -> NDArray:
        return elementwise.unary(WORLD, "invert", self)  # type: ignore[no-any-return]

    def __round__(self, n: int = 0) -> NDArray:
        return elementwise.around(WORLD, self, n)  # type: ignore[no-any-return]

    def __floor__(self) -> NDArray:
        return elementwise.unary(WORLD, "floor", self)  # type: ignore[no-any-return]

    def __ceil__(self) -> NDArray:
        return elementwise.unary(WORLD, "ceil", self)  # type: ignore[no-any-return]

    def __trunc__(self) -> NDArray:
        return elementwise.unary(WORLD, "trunc", self)  # type: ignore[no-any-return]

    def __matmul__(self, other: Any) -> NDArray:
        return WORLD.call("_npi_matmul", self, other)  # type: ignore[no-any-return]

    def __rmatmul__(self, other: Any) -> NDArray:
        return WORLD.call("_npi_matmul", other, self)  # type: ignore[no-any-return]

    def __imatmul__(self, other: Any) -> NDArray:
        return WORLD.call("_npi_matmul", self, other, out=self)  # type: ignore[no-any-return]

    def __and__(self, other: Any) -> NDArray:
        return elementwise.binary(WORLD, "bitwise_and", self, other)  # type: ignore[no-any-return]

    def __or__(self, other: Any) -> NDArray:
        return elementwise.binary(WORLD, "bitwise_or", self, other)  # type: ignore[no-any-return]

    def __xor__(self, other: Any) -> NDArray:
        return elementwise.binary(WORLD, "bitwise_xor", self, other)  # type: ignore[no-any-return]

    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> NDArray:
        """Whether all elements are not 0."""
        return WORLD.call("_np_all", self, axis=axis, keepdims=keepdims, out=out)  # type: ignore[no-any-return]

    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False) -> NDArray:
        """Whether any element is not 0."""
        return WORLD.call("_np_any", self, axis=axis, keepdims=keepdims, out=out)  # type: ignore[no-any-return]

    def nonzero(self) -> Any:
        """Return the positions of elements that are not 0, one array for each dimension."""
        return shape.nonzero(WORLD, self)

    def astype(  # type: ignore[override]
        self,
        dtype: Any,
        order: str = "K",
        casting: str = "unsafe",
        subok: bool = True,
        copy: bool = True,
    ) -> NDArray:
        """Return a copy in another dtype, or in an array's dtype; self if equal and not `copy`."""
        dtype = dtype.dtype if isinstance(dtype, NDArray) else dtype or np.float32
        if not copy and np.dtype(dtype) == self._data.dtype:
            return self
        return methods.astype(WORLD, self, np.dtype(dtype), order, casting, subok, copy)  # type: ignore[no-any-return]

    def copy(self, order: str = "C") -> NDArray:
        """Return a copy; recorded while recording. Raises NotImplementedError for another order than C."""
        if order != "C":
            raise NotImplementedError(f"ndarray.copy only supports order='C', while received {order}")
        return super().copy()

    def broadcast_to(self, shape: Any) -> NDArray:
        """Repeat the array until it has a shape."""
        return WORLD.call("_npi_broadcast_to", self, shape=shape)  # type: ignore[no-any-return]

    def reshape_view(self, *shape: Any, **kwargs: Any) -> NDArray:
        """Return a view of another shape, by the codes of the legacy reshape."""
        view = NDArray._wrap(self._data, self._entry).reshape(*shape, **kwargs)
        return ndarray._wrap(view._data, view._entry)

    def as_in_ctx(self, ctx: Context) -> NDArray:
        """Return the array itself if it is on the device, else a copy there."""
        return self.as_in_context(ctx)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """Return an array of objects, as numpy makes it of a sequence of sequences of numbers without dimensions."""
        return nested_object(self, self.shape, 0)

    def as_np_ndarray(self) -> NDArray:
        """Return the array itself."""
        return self

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Apply one of numpy's ufuncs to arrays of this class. Raises TypeError if arrays of numpy are among them."""
        from hybridlint.runtime.numpy import dispatch

        return dispatch.ufunc(ufunc, method, inputs, kwargs)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Apply one of numpy's functions to arrays of this class."""
        from hybridlint.runtime.numpy import dispatch

        return dispatch.function(function, args, kwargs)


def _change(name: str) -> Any:
    def method(self: ndarray, other: Any) -> Any:
        return elementwise.binary(WORLD, name, self, other, out=self)

    return method


methods.install(ndarray, WORLD, "mxnet.numpy.ndarray")
for _operator, _function in (
    ("iadd", "add"),
    ("isub", "subtract"),
    ("imul", "multiply"),
    ("itruediv", "true_divide"),
    ("imod", "mod"),
    ("iand", "bitwise_and"),
    ("ior", "bitwise_or"),
    ("ixor", "bitwise_xor"),
):
    setattr(ndarray, f"__{_operator}__", _change(_function))


def array(object: Any, dtype: Any = None, ctx: Context | None = None) -> ndarray:
    """Return an array of anything array-like; float32 unless it is an array or `dtype` says else. Raises TypeError."""
    if isinstance(object, NDArray):
        raw, kind = object._host, object._data.dtype
    elif isinstance(object, (np.ndarray, np.generic)):
        raw, kind = np.asarray(object), np.asarray(object).dtype
    else:
        try:
            raw, kind = np.array(_plain(object)), np.dtype("float32")
        except ValueError as error:
            raise TypeError(str(error)) from error
    if raw.dtype == np.dtype("O"):
        raise TypeError(f"{object!r} is not array-like")
    wanted = dtype_name(kind if dtype is None else dtype)
    return ndarray(np.array(raw, dtype=wanted), ctx or current_context())


def _plain(value: Any) -> Any:
    if isinstance(value, NDArray):
        return value._host
    return [_plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def as_array(raw: Any, entry: Entry | None = None) -> ndarray:
    """Wrap an array without a copy."""
    found = ndarray._wrap(raw if device_of(raw) is not None else np.asarray(raw), entry)
    assert isinstance(found, ndarray)
    return found


def genfromtxt(*args: Any, **kwargs: Any) -> ndarray:
    """Return the table that numpy reads from a text, as an array on `ctx`. Raises KeyError for columns with names."""
    ctx = kwargs.pop("ctx", None)
    table = np.genfromtxt(*args, **kwargs)
    return array(table, dtype=table.dtype, ctx=ctx)
