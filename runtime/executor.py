"""Executors of the Symbol API: ``symbol.bind(...)`` and ``simple_bind``, based on CachedOp."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from hybridlint.runtime import autograd
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.cached_op import CachedOp
from hybridlint.runtime.context import Context, current_context
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.platforms.failed import Failed, of_values
from hybridlint.runtime.symbol.buffers import Buffers, OutputMemory
from hybridlint.runtime.symbol.common_expressions import merged
from hybridlint.runtime.symbol.inference import Inference
from hybridlint.runtime.symbol.node import declared_stype, topological
from hybridlint.runtime.symbol.placement import of_outputs, of_variables
from hybridlint.runtime.symbol.signature import settled_types
from hybridlint.runtime.symbol.symbol import Symbol

#: The name under which executors share the memory of an argument's gradient.
_GRADIENT = "grad of {}"
_REQUESTS = frozenset({"add", "null", "write"})


class Executor:
    """A symbol bound to arrays. `forward` returns the outputs, `backward` writes into the bound gradients."""

    def __init__(
        self,
        symbol: Symbol,
        args: Any,
        args_grad: Any = None,
        grad_req: Any = "write",
        aux_states: Any = None,
        *,
        ctx: Context | None = None,
        group2ctx: Mapping[str, Context] | None = None,
        inferred: bool = False,
    ) -> None:
        names = symbol.list_arguments()
        self._symbol = symbol
        self._ctx = ctx or current_context()
        self._grad_req = grad_req
        self._group2ctx = group2ctx
        self.arg_dict = _named(args, names, "args")
        self.aux_dict = _named(aux_states or {}, symbol.list_auxiliary_states(), "aux_states")
        _require_names(symbol)
        # Arrays that were made of inferred shapes fit together.
        if not inferred:
            _require_shapes(symbol, {**self.arg_dict, **self.aux_dict})
        gradients = _named(args_grad or {}, names, None)
        self.grad_dict: dict[str, NDArray | None] = {name: gradients.get(name) for name in names}
        self._requests = requests_by_name(names, grad_req)
        trained = any(self._requests.get(n, "null") != "null" for n, g in self.grad_dict.items() if g is not None)
        self._trained = trained
        self._merges = os.environ.get("MXNET_ELIMINATE_COMMON_EXPR", "1") != "0"
        # An input that is an output gets its gradient, because only graphs of blocks are inlined.
        self._op = CachedOp(symbol, [("inline_limit", -1)], differentiable=trained)
        self._outputs: list[NDArray] = []
        self._memory: OutputMemory | None = None
        self._monitor: tuple[Callable[[bytes, NDArray], Any] | None, bool] = (None, False)

    @property
    def outputs(self) -> list[NDArray]:
        """The outputs of the last forward; zeros before the first one."""
        if not self._outputs:
            _, shapes, _ = self._symbol.infer_shape(**{n: a.shape for n, a in self.arg_dict.items()})
            _, dtypes, _ = settled_types(self._symbol, {n: a.dtype for n, a in self.arg_dict.items()})
            found = zip(shapes or (), dtypes, strict=True)
            places = self._contexts()
            self._outputs = [NDArray(np.zeros(s, d), ctx) for (s, d), ctx in zip(found, places, strict=True)]
        return self._outputs

    @property
    def arg_arrays(self) -> list[NDArray]:
        """Bound arguments in the order of ``list_arguments``."""
        return [self.arg_dict[n] for n in self._symbol.list_arguments()]

    @property
    def grad_arrays(self) -> list[NDArray | None]:
        """Bound gradients in the order of ``list_arguments``."""
        return [self.grad_dict.get(n) for n in self._symbol.list_arguments()]

    @property
    def aux_arrays(self) -> list[NDArray]:
        """Bound auxiliary states."""
        return [self.aux_dict[n] for n in self._symbol.list_auxiliary_states()]

    @property
    def output_dict(self) -> dict[str, NDArray]:
        """Outputs of the last forward by name."""
        return dict(zip(self._symbol.list_outputs(), self.outputs, strict=True))

    def forward(self, is_train: bool = False, **kwargs: Any) -> list[NDArray]:
        """Copy arrays given by name into the bound ones, and run. The arrays of the outputs stay the same.

        Raises TypeError for an unknown name, ValueError for what is no array or has another shape.
        """
        for name, value in kwargs.items():
            self._take(name, value)
        inputs = [self._input(name) for name in self._symbol.list_inputs()]
        try:
            with autograd.record(is_train) if self._trained else autograd.pause(is_train):
                result = self._op(*inputs)
        except (MXNetError, ValueError, IndexError) as error:
            if not isinstance(error.__cause__, Exception) or not of_values(error.__cause__):
                raise
            return self._failed(error)
        made = result if isinstance(result, list) else [result]
        if self._group2ctx:
            for output, place in zip(made, self._contexts(), strict=True):
                output._ctx = place
        if [output.stype for output in self._outputs] == [output.stype for output in made]:
            for k, (output, new) in enumerate(zip(self._outputs, made, strict=True)):
                stored = new._stored if self._memory is None else self._memory.store(k, new._stored)
                output._data, output._entry, output._ctx = stored, new._entry, new._ctx
        else:
            self._outputs = made
        return self._outputs

    def _failed(self, error: Exception) -> list[NDArray]:
        """Return outputs whose readers get the error: values are wrong, which MXNet sees after `forward` returned."""
        for output in self.outputs:
            failed: Any = Failed(output.shape, output.dtype, partial(type(error), str(error)))
            output._data = failed
        return self._outputs

    def _contexts(self) -> list[Context]:
        """Return the context of each output."""
        entries = self._symbol._entries
        return of_outputs(topological(entries), entries, self._group2ctx or {}, self._ctx)

    def _take(self, name: str, value: Any) -> None:
        if not isinstance(value, (NDArray, np.ndarray)):
            raise ValueError("only accept keyword argument of NDArrays and numpy.ndarray")
        if name not in self.arg_dict:
            raise TypeError(f"Unknown argument {name}")
        if tuple(value.shape) != self.arg_dict[name].shape:
            raise ValueError(
                f"Shape not match! Argument {name}, need: {self.arg_dict[name].shape}, received: {value.shape}"
            )
        if isinstance(value, NDArray) and value._is_sparse:
            value.copyto(self.arg_dict[name])
        else:
            self.arg_dict[name][:] = value

    def set_monitor_callback(self, callback: Callable[[bytes, NDArray], Any] | None, monitor_all: bool = False) -> None:
        """Call ``callback(name, array)`` for each operator's outputs and gradients, with `monitor_all` also inputs.

        Names are bytes, as in MXNet.
        """
        self._monitor = callback, monitor_all
        if callback is None:
            self._op.monitor(None)
        else:
            self._op.monitor(lambda name, _operator, array: callback(name, array), monitor_all, gradients=True)

    def _input(self, name: str) -> NDArray:
        """Return the bound array as a separate variable: the same memory, with this executor's gradient."""
        if name in self.aux_dict:
            return self.aux_dict[name]
        variable = self.arg_dict[name].detach()
        if self._group2ctx:
            # Groups of main memory share it: their contexts are names alone.
            variable = variable.as_in_context(self._ctx).detach()
        request = self._requests.get(name, "null")
        if request != "null" and self.grad_dict[name] is not None:
            variable._mark(self.grad_dict[name], request)
        return variable

    def backward(self, out_grads: Any = None, is_train: bool = True) -> None:
        """Write the gradients of the last forward, which is run first if needed, into the bound gradients.

        A gradient to be written is zeros if no gradient reaches its argument.
        """
        if not self._outputs or all(output._entry is None for output in self._outputs):
            self.forward(is_train=is_train)
        for name, gradient in self.grad_dict.items():
            if gradient is not None and self._requests.get(name) == "write":
                gradient._write(0)
        given = list(out_grads.values()) if isinstance(out_grads, dict) else out_grads
        given = [given] if isinstance(given, NDArray) else given
        if any(head is not None and not isinstance(head, NDArray) for head in given or ()):
            raise TypeError("inputs must be NDArray")
        recorded = [k for k, output in enumerate(self.outputs) if output._entry is not None]
        if not recorded:
            return
        heads = [self.outputs[k] for k in recorded]
        self._require_heads(given)
        gradients = given and [_of_dtype(given[k], head) for k, head in zip(recorded, heads, strict=True)]
        autograd.backward(heads, gradients, retain_graph=True, train_mode=is_train)

    def _require_heads(self, given: Sequence[NDArray | None] | None) -> None:
        """Raise MXNetError for an output that is no loss and has no gradient given."""
        for k, read in enumerate(self._op.heads_read(self.outputs)):
            if read and (given is None or k >= len(given) or given[k] is None):
                raise MXNetError(
                    "Because the last operator is not Loss function, head_gradient is required when calling backward: "
                    f"output {self._symbol.list_outputs()[k]} has none. A loss to be minimized goes through make_loss"
                )

    def debug_str(self) -> str:
        """Return the graph as text, with the memory of the bound arrays."""
        bound = (*self.arg_dict.values(), *self.grad_dict.values(), *self.aux_dict.values())
        size = sum(array._data.nbytes for array in bound if array is not None)
        return f"{self._symbol.debug_str()}Total {size >> 20} MB allocated\nTotal 0 TempSpace resource requested\n"

    def get_optimized_symbol(self) -> Symbol:
        """Return the graph that is run: MXNET_ELIMINATE_COMMON_EXPR=0 in `bind` keeps common expressions."""
        if not self._merges:
            return self._symbol
        entries = self._symbol._entries
        return type(self._symbol)(merged(topological(entries), entries))

    def copy_params_from(
        self,
        arg_params: Mapping[str, NDArray],
        aux_params: Mapping[str, NDArray] | None = None,
        allow_extra_params: bool = False,
    ) -> None:
        """Copy arrays by name into the bound ones.

        Raises ValueError for an unknown name, unless extra ones are allowed.
        """
        for given, bound, kind in (
            (arg_params, self.arg_dict, "arguments"),
            (aux_params or {}, self.aux_dict, "auxiliary states"),
        ):
            for name, value in given.items():
                if name in bound:
                    if value.shape != bound[name].shape:
                        raise MXNetError(f"{name}: expected shape {bound[name].shape}, got {value.shape}")
                    bound[name][:] = value.astype(bound[name].dtype)
                elif not allow_extra_params:
                    raise ValueError(f"Found name {name!r} that is not in the {kind}")

    def reshape(self, partial_shaping: bool = False, allow_up_sizing: bool = False, **kwargs: Any) -> Executor:
        """Return an executor for other input shapes. It shares memory with this one, that of the outputs too.

        Raises MXNetError if `kwargs` do not determine all shapes, for a changed shape that is not in `kwargs` unless
        `partial_shaping` is true, and for a larger one unless `allow_up_sizing` is.
        """
        inputs = self._symbol.list_inputs()
        shapes, _, aux_shapes = self._symbol.infer_shape(**{k: v for k, v in kwargs.items() if k in inputs})
        if shapes is None:
            raise MXNetError("Insufficient argument shapes provided")
        args, grads = {}, {}
        for name, shape in zip(self._symbol.list_arguments(), shapes, strict=True):
            if shape != self.arg_dict[name].shape and not partial_shaping and name not in kwargs:
                raise MXNetError(
                    f"Shape of argument {name} changes, which was not asked for: pass partial_shaping=True if intended"
                )
            args[name] = _resized(self.arg_dict[name], shape, allow_up_sizing)
            gradient = self.grad_dict[name]
            if gradient is not None:
                grads[name] = _resized(gradient, shape, allow_up_sizing)
        states = zip(self._symbol.list_auxiliary_states(), aux_shapes, strict=True)
        aux = {name: _resized(self.aux_dict[name], shape, allow_up_sizing) for name, shape in states}
        made = Executor(self._symbol, args, grads, self._requests, aux, ctx=self._ctx, group2ctx=self._group2ctx)
        made.set_monitor_callback(*self._monitor)
        if not any(output._is_sparse for output in self.outputs):
            self._memory = self._memory or OutputMemory(self.outputs)
            made._memory = OutputMemory(made.outputs, self._memory)
        return made


def simple_bind(
    symbol: Symbol,
    ctx: Context | None,
    grad_req: Any,
    shapes: Mapping[str, Any],
    *,
    type_dict: Mapping[str, Any] | None = None,
    stype_dict: Mapping[str, str] | None = None,
    group2ctx: Mapping[str, Context] | None = None,
    shared_arg_names: Sequence[str] | None = None,
    shared_exec: Executor | None = None,
    shared_buffer: MutableMapping[str, NDArray] | None = None,
) -> Executor:
    """Return an executor on arrays of inferred shapes and dtypes. Raises RuntimeError if it cannot be bound."""
    names, states = symbol.list_arguments(), symbol.list_auxiliary_states()
    inputs = {*names, *states}
    try:
        requests = requests_by_name(names, grad_req)
        arg_shapes, _, aux_shapes = symbol.infer_shape(**{k: v for k, v in shapes.items() if k in inputs})
        if arg_shapes is None:
            raise MXNetError("the shapes of some arguments are unknown")
        found = dict(zip([*names, *states], [*arg_shapes, *aux_shapes], strict=True))
        dtypes = {k: v for k, v in (type_dict or {}).items() if k in inputs}
        arg_types, _, aux_types = settled_types(symbol, dtypes, None if any(0 in s for s in found.values()) else found)
    except (MXNetError, ValueError) as error:
        raise RuntimeError(f"simple_bind error. Arguments:\n{_listed(shapes)}{error}") from error
    context = ctx or current_context()
    places = of_variables(topological(symbol._entries), group2ctx or {}, context)
    # Without names, an executor to share with gives all parameters, as far as they fit.
    shared = (names if shared_exec is not None else []) if shared_arg_names is None else shared_arg_names
    kept: dict[str, Any] = {}
    if shared_exec is not None:
        gradients_kept = {_GRADIENT.format(name): array for name, array in shared_exec.grad_dict.items()}
        kept = {**shared_exec.arg_dict, **shared_exec.aux_dict, **gradients_kept}
    buffers = Buffers(_zeros, shared_buffer, kept, {*shared, *states})
    args, gradients = {}, {}
    for name, shape, dtype in zip(names, arg_shapes, arg_types, strict=True):
        args[name] = buffers.array(name, shape, dtype, places[name])
        if requests.get(name, "null") != "null":
            gradients[name] = buffers.array(name, shape, dtype, places[name], key=_GRADIENT)
    aux = {n: buffers.array(n, s, d, places[n]) for n, s, d in zip(states, aux_shapes, aux_types, strict=True)}
    made: list[NDArray] = []
    try:
        if concerns_storage(symbol, stype_dict or {}):
            made = give_storage(symbol, args, gradients, aux, stype_dict or {})
        executor = Executor(symbol, args, gradients, requests, aux, ctx=context, group2ctx=group2ctx, inferred=True)
    except MXNetError as error:
        raise RuntimeError(f"simple_bind error. Arguments:\n{_listed(shapes)}{error}") from error
    executor._outputs = made
    return executor


def _listed(shapes: Mapping[str, Any]) -> str:
    return "".join(f"{name}: {shape}\n" for name, shape in shapes.items())


def concerns_storage(symbol: Symbol, stypes: Mapping[str, str]) -> bool:
    """Whether variables are declared to be in sparse storage, or operators make arrays or gradients that are."""
    for node in topological(symbol._entries):
        if node.op is None and (stypes.get(node.name, "default") != "default" or declared_stype(node) != "default"):
            return True
        if node.params.get("sparse_grad") or node.params.get("stype", "default") != "default":
            return True
    return False


def give_storage(
    symbol: Symbol,
    args: dict[str, NDArray],
    gradients: dict[str, NDArray],
    aux: Mapping[str, NDArray],
    stypes: Mapping[str, str],
) -> list[NDArray]:
    """Give arguments their storage, and gradients that of what backward computes of zeros. Return zero outputs."""
    for node in topological(symbol._entries):
        stype = stypes.get(node.name) or declared_stype(node)
        if node.op is None and node.name in args and args[node.name].stype != stype:
            args[node.name] = args[node.name].tostype(stype)
    variables = {name: array.detach() for name, array in {**args, **aux}.items()}
    for name in gradients:
        variables[name].attach_grad()
    run = CachedOp(symbol, [("inline_limit", -1)], differentiable=False)
    # The modes matter to dropout and its kin, whose zeros have the storage of any numbers.
    with autograd.record(train_mode=False):
        result = run._run_eagerly([variables[name] for name in run.names])
    outputs = result if isinstance(result, list) else [result]
    wanted = [name for name in gradients if variables[name]._entry is not None]
    heads = [output for output in outputs if output._entry is not None]
    if wanted and heads:
        found = autograd.grad(heads, [variables[n] for n in wanted], [head._filled(0) for head in heads])
        for name, gradient in zip(wanted, found, strict=True):
            if gradient.stype != gradients[name].stype:
                gradients[name] = gradient._filled(0)
    return [output.detach() for output in outputs]


def _zeros(shape: Any, dtype: Any, ctx: Context) -> NDArray:
    return NDArray(np.zeros(shape, dtype), ctx)


def _of_dtype(gradient: NDArray | None, output: NDArray) -> NDArray | None:
    """Return an output's gradient in its dtype: MXNet's executors copy it, unlike its `autograd.backward`."""
    return gradient if gradient is None or gradient.dtype == output.dtype else gradient.astype(output.dtype)


def requests_by_name(names: Sequence[str], grad_req: Any) -> dict[str, str]:
    """Return the gradient request of each argument, from one string for all, a list or a mapping.

    Raises ValueError for anything else.
    """
    if isinstance(grad_req, str):
        found = dict.fromkeys(names, grad_req)
    elif isinstance(grad_req, (list, tuple)):
        found = dict(zip(names, grad_req, strict=True))
    elif isinstance(grad_req, dict):
        found = {name: grad_req.get(name, "null") for name in names}
    else:
        raise ValueError(f"grad_req must be a str, list or dict, got {grad_req!r}")
    wrong = sorted(set(found.values()) - _REQUESTS)
    if wrong:
        raise ValueError(f"grad_req must be one of {', '.join(sorted(_REQUESTS))}, got {wrong[0]!r}")
    return found


def _resized(array: NDArray, shape: tuple[int, ...], allow_up_sizing: bool) -> NDArray:
    if shape == array.shape:
        return array
    if array._is_sparse:
        return type(array).zeros(shape, array.context, array.dtype)  # type: ignore[attr-defined, no-any-return]
    size = int(np.prod(shape))
    if size <= array.size:
        return NDArray._wrap(array._data.reshape(-1)[:size].reshape(shape))._on(array.context)
    if not allow_up_sizing:
        raise MXNetError(
            f"New shape of array is larger than the original {array.shape}: pass allow_up_sizing=True to allocate anew"
        )
    return NDArray(np.zeros(shape, array._data.dtype), array.context)


def _require_names(symbol: Symbol) -> None:
    """Raise MXNetError for two variables of one name."""
    names = symbol.list_inputs()
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise MXNetError(f"Find duplicated argument name {twice}: each variable needs a name of its own")


def _require_shapes(symbol: Symbol, arrays: Mapping[str, NDArray]) -> None:
    """Raise MXNetError for arrays whose shapes or dtypes do not fit together."""
    names = symbol.list_inputs()
    known = {
        n: TensorType(a.shape or None, a.dtype.__name__) for n, a in arrays.items() if n in names and 0 not in a.shape
    }
    Inference(symbol._entries, known)


def _named(arrays: Any, names: Sequence[str], required: str | None) -> dict[str, NDArray]:
    if isinstance(arrays, Mapping):
        # What else it holds is no matter.
        arrays = {name: arrays[name] for name in names if name in arrays}
    # Gradients alone may be left out, in a list.
    kinds: tuple[type, ...] = (NDArray, type(None)) if required is None and not isinstance(arrays, dict) else (NDArray,)
    given = arrays.values() if isinstance(arrays, dict) else arrays
    if not all(isinstance(array, kinds) for array in given):
        raise TypeError("Only accept list of NDArrays or dict of str to NDArray")
    if isinstance(arrays, (list, tuple)):
        if len(arrays) != len(names):
            raise ValueError(
                f"Length of {required} does not match the number of arguments: {len(arrays)} for {len(names)}"
            )
        return {n: a for n, a in zip(names, arrays, strict=True) if a is not None}
    if required is not None:
        for name in names:
            if name not in arrays:
                raise ValueError(f"key `{name}` is missing in `{required}`")
    return dict(arrays)
