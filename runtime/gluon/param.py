"""Parameters: learned arrays, one copy per context, created once their shape is known."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.runtime import autograd, initializer
from hybridlint.runtime.context import Context, cpu, current_context
from hybridlint.runtime.core.operator_params import dtype_name
from hybridlint.runtime.gluon import arrays, storage
from hybridlint.runtime.gluon.deferred import Deferred, listed, positions, raise_uninitialized
from hybridlint.runtime.gluon.loaded import fitting
from hybridlint.runtime.gluon.shapes import is_known, merge, normalize
from hybridlint.runtime.util import is_np_shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridlint.runtime.ndarray.ndarray import NDArray
    from hybridlint.runtime.symbol.symbol import Symbol

_GRAD_REQS = ("write", "add", "null")
_STORAGE_TYPES = ("default", "row_sparse", "csr")


class Parameter:
    """A named, trainable tensor and its gradient.

    `shape` may have unknown sizes (0, or -1): with `allow_deferred_init` they are inferred from the first batch.
    `grad_req` is ``write``, ``add`` or ``null``; `lr_mult` and `wd_mult` scale learning rate and weight decay.
    """

    #: Where the arrays of `_data` and `_grad` are, one place an array; `_ctx_map` is MXNet's table of their positions.
    _ctx_list: list[Context] | None = None
    _ctx_map: list[list[int | None]] | None = None

    def __init__(
        self,
        name: str,
        grad_req: str = "write",
        shape: int | Sequence[int] | None = None,
        dtype: Any = np.float32,
        lr_mult: float = 1.0,
        wd_mult: float = 1.0,
        init: Any = None,
        allow_deferred_init: bool = False,
        differentiable: bool = True,
        stype: str = "default",
        grad_stype: str = "default",
    ) -> None:
        for what, value in (("stype", stype), ("grad_stype", grad_stype)):
            if value not in _STORAGE_TYPES:
                raise AssertionError(
                    f"{what} for Parameter '{name}' must be one of {_STORAGE_TYPES}, but got '{value}'"
                )
        self.name = name
        self.lr_mult = lr_mult
        self.wd_mult = wd_mult
        self.init = init
        self.version = 0
        self._shape = normalize(shape)
        self._dtype = dtype
        self._allow_deferred_init = allow_deferred_init
        self._differentiable = differentiable
        self._stype = stype
        self._grad_stype = grad_stype
        self._data: list[NDArray] | None = None
        self._grad: list[NDArray] | None = None
        self._deferred_init: Deferred | tuple[()] = ()
        self._var: Symbol | None = None
        self._trainer: Any = None
        self._grad_req = "null"
        self.grad_req = grad_req

    def __repr__(self) -> str:
        return f"Parameter {self.name} (shape={self.shape}, dtype={self.dtype})"

    # -- what it is

    @property
    def grad_req(self) -> str:
        """How gradients are stored: ``write``, ``add`` or ``null``."""
        return self._grad_req

    @grad_req.setter
    def grad_req(self, req: str) -> None:
        if req not in _GRAD_REQS:
            raise AssertionError(f"grad_req must be one of 'write', 'add', or 'null', but got '{req}'")
        req = req if self._differentiable else "null"
        if req == self._grad_req:
            return
        self._grad_req = req
        if self._data is None:
            return
        if req == "null":
            self._grad = None
            for array in self._data:
                array._mark(None, "null")
        else:
            self._init_grad()

    @property
    def dtype(self) -> Any:
        """The dtype as given: a numpy type or a name. Setting it casts the data."""
        return self._dtype

    @dtype.setter
    def dtype(self, dtype: Any) -> None:
        self.cast(dtype)

    @property
    def shape(self) -> tuple[int, ...] | None:
        """The shape. An unknown size is 0 (-1 in numpy mode); None means an unknown rank.

        Setting it fills in unknown sizes. Raises AssertionError if a known size would change.
        """
        if self._shape is None or not is_np_shape():
            return self._shape
        return tuple(-1 if size == 0 else size for size in self._shape)

    @shape.setter
    def shape(self, new_shape: int | Sequence[int] | None) -> None:
        given = normalize(new_shape)
        if given is None:
            return
        if merge(self._shape, given) != given:
            raise AssertionError(f"Expected shape {given} is incompatible with given shape {self._shape}.")
        self._shape = given

    @property
    def stype(self) -> str:
        """The storage type of the data."""
        return self._stype

    def list_ctx(self) -> list[Context]:
        """Return the contexts that hold the data. Raises RuntimeError if the parameter is not initialized."""
        if self._data is not None:
            assert self._ctx_list is not None
            return self._ctx_list
        if self._deferred_init:
            return self._deferred_init.ctx
        raise RuntimeError(f"Parameter '{self.name}' has not been initialized")

    # -- initialization

    def initialize(
        self,
        init: Any = None,
        ctx: Context | Sequence[Context] | None = None,
        default_init: Any = initializer.Uniform(),  # noqa: B008
        force_reinit: bool = False,
    ) -> None:
        """Initialize the parameter: now if its shape is known, otherwise with the first batch.

        `init` takes precedence over the parameter's own initializer, and that over `default_init`. Raises ValueError
        for an unknown shape without `allow_deferred_init`.
        """
        if self._data is not None and not force_reinit:
            warnings.warn(
                f"Parameter '{self.name}' is already initialized, ignoring. Set force_reinit=True to re-initialize.",
                stacklevel=2,
            )
            return
        self._data = self._grad = None
        chosen = default_init if init is None and self.init is None else (self.init if init is None else init)
        deferred = Deferred(chosen, listed(ctx), default_init)
        if is_known(self._shape):
            self._deferred_init = deferred
            self._finish_deferred_init()
        elif self._allow_deferred_init:
            self._deferred_init = deferred
        else:
            raise ValueError(f"Cannot initialize Parameter '{self.name}' because it has invalid shape: {self.shape}.")

    def _finish_deferred_init(self) -> None:
        """Carry out a deferred initialization, if any. Raises ValueError for an unknown shape."""
        deferred = self._deferred_init
        if not deferred:
            return
        if not is_known(self._shape):
            raise ValueError(
                f"Cannot initialize Parameter '{self.name}' because it has invalid shape: {self.shape}. "
                "Please specify in_units, in_channels, etc for `Block`s."
            )
        assert self._shape is not None
        data = deferred.data
        if data is None:
            data = arrays.zeros(self._shape, cpu(), self._dtype)
            description = initializer.InitDesc(self.name, {"__init__": deferred.init})
            with autograd.pause():
                initializer.create(deferred.default_init)(description, data)
        self._deferred_init = ()
        self._init_impl(data, deferred.ctx)

    def _init_impl(self, data: NDArray, ctx_list: Sequence[Context]) -> None:
        values = data.asnumpy()
        self._ctx_list = list(ctx_list)
        self._ctx_map = positions(self._ctx_list)
        self._data = [arrays.stored(values, ctx, self._dtype, self._stype) for ctx in ctx_list]
        self.version += 1
        self._init_grad()

    def _init_grad(self) -> None:
        if self._grad_req == "null" or self._data is None:
            self._grad = None
            return
        self._grad = [
            arrays.zeros(data.shape, ctx, data.dtype, self._grad_stype)
            for ctx, data in zip(self._ctx_list or (), self._data, strict=True)
        ]
        autograd.mark_variables(self._data, self._grad, self._grad_req)

    def _load_init(self, data: NDArray, ctx: Any, cast_dtype: bool = False, dtype_source: str = "current") -> None:
        """Set loaded values after checking shape and dtype. Raises UnfitFileError if they do not fit."""
        data, self._dtype = fitting(self, data, cast_dtype=cast_dtype, dtype_source=dtype_source)
        self._shape = data.shape
        self._take_loaded(data, None if ctx is None else listed(ctx))

    def _take_loaded(self, data: NDArray, ctx: list[Context] | None) -> None:
        if self._data is not None:
            if ctx is not None and set(ctx) != set(self.list_ctx()):
                raise AssertionError(
                    f"Failed to load Parameter '{self.name}' on {ctx} because it was previous initialized on "
                    f"{self.list_ctx()}."
                )
            if dtype_name(self._data[0].dtype) == dtype_name(self._dtype):
                self.set_data(data)
                return
            ctx = self.list_ctx()
        self._init_impl(data, ctx or (self._deferred_init.ctx if self._deferred_init else [cpu()]))
        self._deferred_init = ()

    # -- data and gradients

    def data(self, ctx: Context | None = None) -> NDArray:
        """Return the array on a context (default: the current one).

        Raises DeferredInitializationError or RuntimeError if there is none, RuntimeError for a row_sparse parameter.
        """
        if self.stype != "default":
            storage.require_dense(self, f"a copy of Parameter '{self.name}' on ctx {ctx} via data()")
        array: NDArray = self._check_and_get(self._data, ctx)
        return array

    def list_data(self) -> list[NDArray]:
        """Return the arrays on all contexts. Raises RuntimeError for a row_sparse parameter."""
        storage.require_dense(self, f"copies of Parameter '{self.name}' on all contexts via list_data()")
        return self._arrays()

    def grad(self, ctx: Context | None = None) -> NDArray:
        """Return the gradient on a context. Raises RuntimeError if the parameter has none."""
        self._require_grad()
        array: NDArray = self._check_and_get(self._grad, ctx)
        return array

    def list_grad(self) -> list[NDArray]:
        """Return the gradients on all contexts."""
        self._require_grad()
        return self._check_and_list(self._grad)

    def set_data(self, data: Any) -> None:
        """Set the values on all contexts, in place; if initialization is deferred, they are kept and used then.

        Raises AssertionError if the shape differs or `initialize` was never called.
        """
        self.shape = data.shape
        if self._data is None:
            if not self._deferred_init:
                raise AssertionError(f"Parameter '{self.name}' has not been initialized")
            self._deferred_init = Deferred(
                self._deferred_init.init, self._deferred_init.ctx, self._deferred_init.default_init, data
            )
            return
        with autograd.pause():
            for array in self._data:
                array[:] = data
        if self._trainer is not None:
            self._trainer._set_weight(self)
        self.version += 1

    def zero_grad(self) -> None:
        """Set the gradients to 0, in place."""
        for gradient in self._grad or ():
            gradient._write(0)

    def reset_ctx(self, ctx: Context | Sequence[Context]) -> None:
        """Move the data to other contexts. Raises ValueError if `initialize` was never called."""
        contexts = listed(ctx)
        if self._data is not None:
            self._init_impl(self._reduce(), contexts)
        elif self._deferred_init:
            self._deferred_init = Deferred(
                self._deferred_init.init, contexts, self._deferred_init.default_init, self._deferred_init.data
            )
        else:
            raise ValueError(f"Cannot reset context for Parameter '{self.name}' because it has not been initialized.")

    def cast(self, dtype: Any) -> None:
        """Change the dtype of data and gradient."""
        self._dtype = dtype
        if self._data is None:
            return
        self._data = [
            arrays.stored(array._host, ctx, dtype, self._stype)
            for ctx, array in zip(self.list_ctx(), self._data, strict=True)
        ]
        self.version += 1
        self._init_grad()

    def var(self) -> Symbol:
        """Return the parameter's symbol for traces, always the same one."""
        if self._var is None:
            self._var = arrays.variable(
                self.name,
                shape=self.shape,
                dtype=self.dtype,
                lr_mult=self.lr_mult,
                wd_mult=self.wd_mult,
                init=self.init,
                stype=self._stype,
            )
        return self._var

    def row_sparse_data(self, row_id: NDArray) -> NDArray:
        """Return a row_sparse parameter with the rows `row_id` of the trainer's weight, and no others.

        Raises RuntimeError for a parameter of another storage type, and without a Trainer.
        """
        storage.require_row_sparse(self, f"a copy of Parameter {self.name} via row_sparse_data()")
        array: NDArray = self._check_and_get(self._data, row_id.context)
        self._trainer._row_sparse_pull(self, array, row_id)
        return array

    def list_row_sparse_data(self, row_id: NDArray) -> list[NDArray]:
        """Return the rows on all contexts. Raises RuntimeError like `row_sparse_data`."""
        storage.require_row_sparse(
            self, f"copies of Parameter '{self.name}' on all contexts via list_row_sparse_data()"
        )
        found = self._arrays()
        self._trainer._row_sparse_pull(self, found, row_id)
        return found

    def _arrays(self) -> list[NDArray]:
        """Return the arrays on all contexts, whatever the declared storage type."""
        return self._check_and_list(self._data)

    def _reduce(self) -> NDArray:
        """Return the average over all contexts, on the CPU."""
        if self._stype == "row_sparse" and self._trainer is not None:
            every = arrays.new_array(np.arange(self._arrays()[0].shape[0]), cpu(), "int64")
            return self.list_row_sparse_data(every)[0].copy()
        values = [array._host for array in self._arrays()]
        mean = values[0] if len(values) == 1 else np.mean(values, axis=0, dtype=values[0].dtype)
        return arrays.stored(mean, cpu(), None, self._stype)

    def _set_trainer(self, trainer: Any) -> None:
        if self._stype != "default" and self._trainer not in {None, trainer} and trainer is not None:
            raise RuntimeError(
                f"Failed to set the trainer for Parameter '{self.name}' because it was already set. More than one "
                f"trainers for a {self._stype} Parameter is not supported."
            )
        self._trainer = trainer

    def _require_grad(self) -> None:
        if self._data is not None and self._grad is None:
            raise RuntimeError(f"Cannot get gradient array for Parameter '{self.name}' because grad_req='null'")

    def _check_and_list(self, held: list[NDArray] | None) -> list[NDArray]:
        if held is None:
            raise_uninitialized(self.name, deferred=bool(self._deferred_init))
        return held

    def _check_and_get(self, held: list[NDArray] | None, ctx: Any) -> Any:
        """Return the array on a context; all of them for the type `list`, as subclasses ask MXNet's class for them."""
        if held is None:
            raise_uninitialized(self.name, deferred=bool(self._deferred_init))
        if ctx is list:
            return held
        if ctx is None:
            if len(held) == 1:
                return held[0]
            ctx = current_context()
        contexts = self.list_ctx()
        if ctx in contexts:
            return held[contexts.index(ctx)]
        raise RuntimeError(
            f"Parameter '{self.name}' was not initialized on context {ctx}. It was only initialized on {contexts}."
        )
