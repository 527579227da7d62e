"""NDArray: an array that computes at once, in MXNet's interface, on the platform of its context."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime import autograd
from hybridlint.runtime.autograd import Entry, TapeNode
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.context import Context, cpu, gpu, platform_at
from hybridlint.runtime.core.imperative import Raw, invoke
from hybridlint.runtime.core.numpy_conversion import nested_object
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.core.storage_types import is_sparse, stored_array
from hybridlint.runtime.core.tensor import TensorInterface
from hybridlint.runtime.core.writes import changing, tell_shared, tell_written
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.types import DTYPE_FLAGS
from hybridlint.runtime.ndarray.host import to_host
from hybridlint.runtime.ops.storage.conversion import dense
from hybridlint.runtime.platforms import Platform, device_of, move_array, platform_of
from hybridlint.runtime.platforms.failed import Failed
from hybridlint.runtime.serialization.params import dump_array, parse_array
from hybridlint.runtime.util import is_np_shape

py_slice = slice
#: Number of each storage type in files and attributes.
_STORAGE_TYPE_STR_TO_ID = {"undefined": -1, "default": 0, "row_sparse": 1, "csr": 2}
_STORAGE_TYPE_ID_TO_STR = {number: name for name, number in _STORAGE_TYPE_STR_TO_ID.items()}
_GRAD_REQ_MAP = {"null": 0, "write": 1, "add": 3}
_DTYPE_MX_TO_NP = {-1: None, **{number: np.dtype(name).type for name, number in DTYPE_FLAGS.items()}}
_DTYPE_NP_TO_MX = {kind: number for number, kind in _DTYPE_MX_TO_NP.items()}


class NDArray(TensorInterface):
    """A mutable array of fixed shape and dtype on a device.

    Operators on arrays run at once (the interface is MXNet's asynchronous one: `wait_to_read`, `nd.waitall`). Basic
    subscripts and `reshape` share memory. Arithmetic broadcasts. There are no arrays without dimensions.
    """

    __slots__ = ("__weakref__", "_ctx", "_data", "_entry", "_fresh", "_grad", "_grad_req")
    __array_priority__ = 1000.0

    #: Whether a full index or reduction gives an array without dimensions (numpy mode) or of shape (1,).
    _scalars = False
    #: Whether it is in sparse storage.
    _is_sparse = False

    def __init__(self, data: Any, ctx: Context | None = None) -> None:
        held = np.asarray(data)
        self._data: Raw = held if ctx is None else platform_at(ctx).from_host(held)
        self._entry: Entry | None = None
        self._grad: NDArray | None = None
        self._grad_req = "null"
        self._ctx = ctx

    @classmethod
    def _wrap(cls, raw: Raw, entry: Entry | None = None) -> NDArray:
        array = cls.__new__(cls)
        array._data, array._entry, array._grad, array._grad_req, array._ctx = raw, entry, None, "null", None
        return array

    def _filled(self, value: float) -> NDArray:
        platform = self._platform
        with platform.computing():
            return type(self)._wrap(platform.xp.full_like(self._data, value))._on(self._ctx)

    def _on(self, ctx: Context | None) -> NDArray:
        self._ctx = ctx
        return self

    # -- what it is

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the dimensions."""
        return self._data.shape

    @property
    def dtype(self) -> Any:
        """The numpy type of the elements, such as ``numpy.float32``."""
        return self._data.dtype.type

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._data.size

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return self._data.ndim

    @property
    def context(self) -> Context:
        """The device that holds the array."""
        if self._ctx is None:
            number = device_of(self._data)
            return cpu(0) if number is None else gpu(number)
        return self._ctx

    ctx = context

    @property
    def stype(self) -> str:
        """The storage type: "default" for an array that stores all of its elements."""
        return "default"

    @property
    def _stored(self) -> Any:
        """The elements as they are stored."""
        return self._data

    @property
    def writable(self) -> bool:
        """Whether the array may be changed in place."""
        return True

    @property
    def handle(self) -> int:
        """A number that identifies the array while it lives."""
        return id(self)

    @property
    def T(self) -> NDArray:
        """The array with reversed dimensions."""
        return self.transpose() if self.ndim > 1 else self

    @property
    def grad(self) -> NDArray | None:
        """The buffer that `backward` writes the gradient into; None without `attach_grad`."""
        return self._grad

    @property
    def _fresh_grad(self) -> bool:
        """Whether `grad` was written since a user or a Trainer last set this property to False."""
        return self._grad is not None and self._fresh

    @_fresh_grad.setter
    def _fresh_grad(self, state: bool) -> None:
        self._fresh = bool(state)

    # -- leaving the device

    def asnumpy(self) -> Raw:
        """Return a copy as a numpy array."""
        return to_host(self._host)

    @property
    def _platform(self) -> Platform:
        """Where the elements are, and what computes with them there."""
        return platform_of([self._data])

    @property
    def _host(self) -> Raw:
        """The elements in main memory: the array's own where they are there."""
        return self._platform.to_host(self._data)

    def asscalar(self) -> Any:
        """Return the only element as a Python-like scalar. Raises ValueError if there are several."""
        if self.size != 1:
            raise ValueError("The current array is not a scalar")
        return self._host.ravel()[0]

    def wait_to_read(self) -> None:
        """Wait until the array is computed: at once on the CPU. Raises MXNetError if it could not be."""
        raw = self._data
        if type(raw) is np.ndarray:
            return
        if isinstance(raw, Failed):
            raw.fail()
        self._platform.wait()

    wait_to_write = wait_to_read

    def __repr__(self) -> str:
        return f"\n{self._host!s}\n<{type(self).__name__} {'x'.join(map(str, self.shape))} @{self.context}>"

    def __bool__(self) -> bool:
        if self.size == 0:
            return False
        if self.size == 1:
            return bool(self.asscalar())
        raise ValueError("The truth value of an NDArray with multiple elements is ambiguous.")

    __nonzero__ = __bool__

    def __len__(self) -> int:
        return self.shape[0]

    def __hash__(self) -> int:
        return id(self) // 16

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        """Return the numpy array of nested sequences without end."""
        return nested_object(self, self.shape)

    def __reduce__(self) -> Any:
        return type(self), (None,), self.__getstate__()

    def __copy__(self) -> NDArray:
        return type(self)._wrap(self._data)

    def __deepcopy__(self, memo: dict[int, Any]) -> NDArray:
        return type(self)._wrap(self._data.copy())

    # -- copies and views

    def copy(self) -> NDArray:
        """Return a copy; recorded while recording."""
        return invoke(registry.get("_copy"), [self], {}, array_class=type(self))  # type: ignore[no-any-return]

    def copyto(self, other: NDArray | Context) -> NDArray:
        """Copy into another array, or to a device. Raises MXNetError for another shape, TypeError for anything else."""
        if not isinstance(other, (NDArray, Context)):
            raise TypeError(f"copyto does not support type {type(other)}")
        if isinstance(other, NDArray):
            if other is not self:
                if self.shape != other.shape:
                    raise MXNetError(f"cannot copy an array of shape {self.shape} into one of shape {other.shape}")
                if other._is_sparse:
                    other._write(self._data)
                else:
                    invoke(registry.get("_copy"), [self], {}, out=other)
            return other
        if self._platform is platform_at(other):
            return self.copy()._on(other)
        return transfer(self, other)

    def as_in_context(self, context: Context) -> NDArray:
        """Return the array itself where it is on the device already, else a copy there."""
        if not isinstance(context, Context):
            raise TypeError(f"as_in_context expects a Context, got {context!r}")
        return self if self.context == context else self.copyto(context)

    def as_nd_ndarray(self) -> NDArray:
        """Return the same array in the legacy interface."""
        return NDArray._wrap(self._data, self._entry)

    def as_np_ndarray(self) -> NDArray:
        """Return the same array in the interface of numpy mode."""
        from hybridlint.runtime.numpy.multiarray import as_array

        return as_array(self._data, self._entry)

    def astype(self, dtype: Any, copy: bool = True) -> NDArray:
        """Return a copy in another dtype, or in an array's dtype; self if equal and not `copy`."""
        dtype = dtype.dtype if isinstance(dtype, NDArray) else dtype or np.float32
        if not copy and np.dtype(dtype) == self._data.dtype:
            return self
        cast = registry.get("Cast")
        params = normalize(cast, {"dtype": np.dtype(dtype)})
        return invoke(cast, [self], params, array_class=type(self))  # type: ignore[no-any-return]

    def reshape(self, *shape: Any, **kwargs: Any) -> NDArray:
        """Return a view of another shape with as many elements.

        The codes 0, -1, -2, -3, -4 mean the same as in the operator Reshape. Sizes are given one by one, as a tuple or
        by name. Raises ValueError if the numbers of elements differ.
        """
        named = kwargs.pop("shape", ())
        given = shape[0] if len(shape) == 1 and isinstance(shape[0], (list, tuple)) else shape or named
        reverse = kwargs.pop("reverse", False)
        if kwargs:
            raise TypeError(
                f"Got unknown keywords in reshape: {', '.join(kwargs)}. "
                "Accepted keyword arguments are 'shape' and 'reverse'."
            )
        if not shape and not given:
            raise AssertionError("Shape must be provided.")
        op = registry.get("Reshape")
        target = (given,) if isinstance(given, (int, np.integer)) else tuple(given)
        if not target and self.size == 1:
            return invoke(registry.get("_np_squeeze"), [self], {"axis": None}, array_class=type(self), views=True)  # type: ignore[no-any-return]
        params = normalize(op, {"shape": target, "reverse": reverse})
        try:
            return invoke(op, [self], params, array_class=type(self), views=True)  # type: ignore[no-any-return]
        except MXNetError as error:
            if target.count(-1) > 1 or (-1 not in target and np.prod([d for d in target if d > 0]) > self.size):
                raise
            raise ValueError(f"Cannot reshape array of size {self.size} into shape {target}") from error

    def broadcast_to(self, shape: Any) -> NDArray:
        """Return the array repeated along dimensions of size 1 until it has `shape`. Raises ValueError elsewhere."""
        op = registry.get("broadcast_to")
        wanted = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
        # Unlike the operator, and the method of Symbol, it adds leading dimensions.
        missing = len(wanted) - self.ndim if not is_np_shape() else 0
        data = self.reshape((*(1,) * missing, *self.shape)) if missing > 0 else self
        try:
            return invoke(op, [data], normalize(op, {"shape": wanted}))  # type: ignore[no-any-return]
        except MXNetError as error:
            raise ValueError(f"an array of shape {self.shape} cannot be broadcast to {shape}") from error

    def split_v2(self, *args: Any, **kwargs: Any) -> Any:
        """Split along an axis, as the function `split_v2` does."""
        from hybridlint.runtime.ndarray.creation import split_v2

        return split_v2(self, *args, **kwargs)

    def to_dlpack_for_read(self) -> Any:
        """Return a DLPack capsule of the memory, to be read."""
        tell_shared(self._data)
        return self._data.__dlpack__()

    def to_dlpack_for_write(self) -> Any:
        """Return a DLPack capsule of the memory, to be written."""
        tell_shared(self._data)
        return self._data.__dlpack__()

    def _sync_copyfrom(self, source_array: Any) -> None:
        """Set all elements from anything array-like. Raises ValueError for another shape."""
        source = np.asarray(source_array)
        if source.shape != self.shape:
            raise ValueError(f"Shape inconsistent: expected {source.shape} vs got {self.shape}")
        self._write(source)

    def __getstate__(self) -> dict[str, Any]:
        return {"handle": bytearray(dump_array(self._host))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(parse_array(state["handle"]))  # type: ignore[misc]

    @staticmethod
    def _basic_indexing_slice_is_contiguous(slc_key: tuple[slice, ...], shape: tuple[int, ...]) -> bool:
        """Whether slices of an array of `shape` in C order are in one piece of memory."""
        return np.empty(shape)[slc_key].flags.contiguous

    def _slice(self, start: int, stop: int) -> NDArray:
        return self[start:stop]

    def _at(self, index: int) -> NDArray:
        return self[index]

    def tostype(self, stype: str) -> NDArray:
        """Return the array in another storage type. Raises ValueError for a csr array that is no matrix."""
        if stype == "csr" and self.ndim != 2:
            raise ValueError(f"To convert to a CSR, the NDArray should be 2 Dimensional. Current shape is {self.shape}")
        op = registry.get("cast_storage")
        return invoke(op, [self], normalize(op, {"stype": stype}))  # type: ignore[no-any-return]

    def _write(self, values: Any, place: Any = ...) -> None:
        """Set elements in place, to a number or to an array from anywhere.

        All that changes an array's memory does so here, or tells `core.writes` of it.
        """
        platform = self._platform
        if is_sparse(values):
            values = dense(np, values)
        if hasattr(values, "shape"):
            values = move_array(values, platform)
        changing(self._data)
        with platform.computing():
            self._data[place] = values
        tell_written(self._data)

    def __getitem__(self, key: Any) -> NDArray:
        from hybridlint.runtime.ndarray import indexing

        return indexing.read(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        from hybridlint.runtime.ndarray import indexing

        if isinstance(self._data, Failed) and isinstance(key, slice) and key == slice(None):
            self._data = np.zeros(self.shape, self._data.dtype)
        indexing.write(self, key, value)

    # -- gradients

    def attach_grad(self, grad_req: str = "write", stype: str | None = None) -> None:
        """Ask for a gradient: allocate `grad` (zeros) and cut the array off from what computed it."""
        gradient = self._filled(0)
        if stype is not None and stype != gradient.stype:
            kind = NDArray if stype == "default" else stored_array.classes[stype]
            gradient = kind._wrap(gradient._data)._on(self._ctx)
        self._mark(gradient, grad_req)

    def _mark(self, gradient: NDArray | None, grad_req: str) -> None:
        if grad_req not in {"write", "add", "null"}:
            raise KeyError(grad_req)
        self._grad, self._grad_req, self._fresh = None if grad_req == "null" else gradient, grad_req, False
        self._entry = None if grad_req == "null" else (TapeNode(None, variable=self), 0)

    def _receive_gradient(self, gradient: NDArray) -> None:
        if self._grad is None or self._grad_req == "null":
            return
        self._fresh = True
        if self._grad._is_sparse or gradient._is_sparse:
            total = self._grad + gradient if self._grad_req == "add" else gradient
            self._grad._write(total._stored)
        elif self._grad_req == "add":
            platform = self._grad._platform
            with platform.computing():
                total = self._grad._data + move_array(gradient._data, platform)
            self._grad._write(total)
        else:
            self._grad._write(gradient._data)

    def detach(self) -> NDArray:
        """Return the same memory, cut off from the tape."""
        return type(self)._wrap(self._data)._on(self._ctx)

    _detached = detach

    def backward(self, out_grad: NDArray | None = None, retain_graph: bool = False, train_mode: bool = True) -> None:
        """Compute the gradients of the marked variables; see `autograd.backward`."""
        autograd.backward([self], [out_grad], retain_graph, train_mode)

    # -- arithmetic

    def __neg__(self) -> NDArray:
        return self * -1  # type: ignore[no-any-return]

    def __abs__(self) -> NDArray:
        return self.abs()  # type: ignore[no-any-return]


def transfer(array: NDArray, ctx: Context) -> NDArray:
    """Return a copy of an array on another platform; recorded while recording: its gradient comes back."""
    home = array.context
    result = type(array)._wrap(move_array(array._data, platform_at(ctx)))._on(ctx)
    if autograd.mode.recording and array._entry is not None:

        def pull(_node: TapeNode, gradients: list[NDArray | None], recorded: bool) -> list[NDArray | None]:
            return [None if g is None else g.as_in_context(home) for g in gradients]

        result._entry = (TapeNode(pull, (array._entry,)), 0)
    return result
