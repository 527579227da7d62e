"""HybridBlock: a block that runs eagerly, or traced once into a graph that is compiled and reused."""

from __future__ import annotations

import os
import threading
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hybridlint.runtime import autograd
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.cached_op import CachedOp
from hybridlint.runtime.compiled.engines.choice import AUTO, names
from hybridlint.runtime.compiled.explanation import Explanation
from hybridlint.runtime.core import inspection
from hybridlint.runtime.core.collection import collector_at_rest
from hybridlint.runtime.gluon import arrays
from hybridlint.runtime.gluon.deferred import DeferredInitializationError
from hybridlint.runtime.gluon.param import Parameter
from hybridlint.runtime.gluon.plain_block import Block
from hybridlint.runtime.gluon.repeated import Repeated
from hybridlint.runtime.gluon.structure import Format, compatible, first_array, flatten, holds, regroup
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.serialization.params import save
from hybridlint.runtime.symbol.symbol import Symbol, group

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from hybridlint.runtime.gluon.hooks import Hook
    from hybridlint.runtime.gluon.param_dict import ParameterDict


class _Tracing:
    """Held while a block is traced: names and scopes are of the block, which other threads may call too."""

    lock = threading.RLock()


def _renew() -> None:
    """Make a new lock in a forked process: a thread that does not exist there may hold the old lock."""
    _Tracing.lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


@dataclass(frozen=True, eq=False, slots=True)
class Trace:
    """The graph that `hybrid_forward` computes from `inputs`, and the formats of nested inputs and outputs."""

    inputs: Sequence[Symbol]
    graph: Symbol
    in_format: Format
    out_format: Format


@dataclass(eq=False, slots=True)
class Compiled:
    """A compiled graph. `sources` gives the origin of each input: the position of an argument, or a parameter.

    `repeated` serves calls that are like the last ones.
    """

    call: CachedOp
    sources: Sequence[int | Parameter]
    repeated: Repeated | None = None


class HybridBlock(Block):
    """Base class of blocks that can be compiled. Subclasses define ``hybrid_forward(self, F, x, ...)``.

    `F` is ``mx.nd`` when called with arrays, or ``mx.sym`` during tracing. The block's own parameters are passed as
    keyword arguments under their attribute names. Children must be HybridBlocks too.
    """

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        self._trace_: Trace | None = None
        self._compiled_: Compiled | None = None
        self._active = False
        self._flags: dict[str, Any] = {}
        self._op_hook_: tuple[Hook, bool] | None = None
        super().__init__(prefix=prefix, params=params)

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)
        if isinstance(value, HybridBlock):
            self._clear_cached_op()

    def register_child(self, block: Block, name: str | None = None) -> None:
        """Register `block` as a child. Raises ValueError if it is not a HybridBlock."""
        if not isinstance(block, HybridBlock):
            raise ValueError(
                f"Children of HybridBlock must also be HybridBlock, but {block} has type {type(block)}. "
                "If you are using Sequential, please try HybridSequential instead."
            )
        super().register_child(block, name)
        self._clear_cached_op()

    def hybridize(
        self,
        active: bool = True,
        backend: str | None = None,
        clear: bool = True,
        static_alloc: bool = False,
        static_shape: bool = False,
        inline_limit: int = 2,
        forward_bulk_size: int | None = None,
        backward_bulk_size: int | None = None,
        **kwargs: Any,
    ) -> None:
        """Switch compiled execution on or off for the block and its descendants. The graph is traced at the next call.

        `static_alloc` keeps buffers between calls, `static_shape` promises constant shapes. `backend` names an engine:
        "jit", "numpy" or "auto"; one that is not here is ignored with a warning, as MXNet ignores it. The other options
        are accepted as in MXNet and have no effect.
        """
        known = backend is None or backend in {AUTO, *names()}
        if not known:
            there = ", ".join((AUTO, *names()))
            warnings.warn(
                f"hybridize: there is no backend {backend!r} here, it is ignored: choose one of {there}", stacklevel=2
            )
        options = {"static_alloc": static_alloc, "static_shape": static_shape, "inline_limit": inline_limit}
        self._active = active
        self._flags = {**options, "backend": backend if known else None, **kwargs}
        if clear:
            self._clear_cached_op()
        if active and (self._forward_hooks or self._forward_pre_hooks):
            warnings.warn(
                f'"{self}" is being hybridized while still having forward hook/pre-hook. If "{self}" is a child of '
                "HybridBlock, the hooks will not take effect.",
                stacklevel=2,
            )
        super().hybridize(
            active,
            **options,
            forward_bulk_size=forward_bulk_size,
            backward_bulk_size=backward_bulk_size,
            **({"backend": backend} if known and backend else {}),
            **kwargs,
        )

    def optimize_for(self, x: Any, *args: Any, backend: str | None = None, clear: bool = False, **options: Any) -> None:
        """Hybridize and compile for these inputs without running. `backend` names an engine, as in `hybridize`.

        Raises ValueError if no backend is named.
        """
        if not backend:
            raise ValueError('Must specify "backend" to optimize_for')
        self.hybridize(True, backend, clear, **options)
        with x.context:
            self._compiled_ = self._compiled_ or self._compile_((x, *args))

    def cast(self, dtype: Any) -> None:
        """Change the dtype of all parameters. The graph is traced again."""
        self._clear_cached_op()
        super().cast(dtype)

    def register_op_hook(self, callback: Hook, monitor_all: bool = False) -> None:
        """Call ``callback(name, operator, array)`` for outputs of compiled operators, with `monitor_all` also inputs.

        Names are bytes, as in MXNet.
        """
        super().register_op_hook(callback, monitor_all)
        self._op_hook_ = (callback, monitor_all)
        if self._compiled_ is not None:
            self._compiled_.call.monitor(callback, monitor_all)

    # -- running

    def forward(self, x: Any, *args: Any) -> Any:
        """Run on arrays, eagerly or compiled, or trace on symbols.

        Raises ValueError for mixed or missing tensors, and if parameter shapes cannot be inferred.
        """
        given = (x, *args)
        compiled = self._compiled_
        if compiled is not None and compiled.repeated is not None and self._active:
            out = compiled.repeated.run(given)
            if out is not None:
                return out
        if all(isinstance(value, NDArray) for value in given):
            return self._forward_arrays_(given)
        with_arrays, with_symbols = holds(given, NDArray), holds(given, Symbol)
        if with_arrays and with_symbols:
            raise ValueError(
                "In HybridBlock, we do not support mixed NDArrays and Symbols types for the input. "
                "Please check the type of the args."
            )
        if with_symbols:
            return self._forward_symbols_(given)
        if not with_arrays:
            raise ValueError(
                "In HybridBlock, there must be one NDArray or one Symbol in the input. "
                "Please check the type of the args."
            )
        return self._forward_arrays_(given)

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute the outputs with the operators of `F`. Subclasses override this."""
        raise NotImplementedError(f"{type(self).__name__} does not implement hybrid_forward")

    def _forward_arrays_(self, args: Sequence[Any]) -> Any:
        first = first_array(args)
        assert first is not None
        if self._active and (len(args) > 1 or args[0] is not first):
            self._require_one_context_(args)
        with first.context as ctx:
            if self._active:
                return self._call_compiled_(args)
            try:
                params = {name: param.data(ctx) for name, param in self._reg_params.items()}
            except DeferredInitializationError:
                self._infer_deferred_(args)
                for param in self.params.values():
                    param._finish_deferred_init()
                params = {name: param.data(ctx) for name, param in self._reg_params.items()}
            namespace = arrays.operator_namespace(symbolic=False)
            if inspection.inspector is not None:
                return inspection.inspector.forward(self.hybrid_forward, namespace, args, params)
            return self.hybrid_forward(namespace, *args, **params)

    def _require_one_context_(self, args: Sequence[Any]) -> None:
        contexts = {value.context for value in flatten(list(args), "input")[0] if isinstance(value, NDArray)}
        if len(contexts) > 1:
            raise ValueError(
                f"a hybridized block takes inputs on one context, but found {sorted(map(str, contexts))}: "
                "look at the `context` of each argument"
            )

    def _forward_symbols_(self, args: Sequence[Any]) -> Any:
        params = {name: param.var() for name, param in self._reg_params.items()}
        with self.name_scope():
            return self.hybrid_forward(arrays.operator_namespace(symbolic=True), *args, **params)

    def _call_compiled_(self, args: Sequence[Any]) -> Any:
        if self._compiled_ is None:
            with _Tracing.lock:
                self._compiled_ = self._compiled_ or self._compile_(args)
        trace = self._trace_of_(args)
        tensors = self._tensors_for_(trace, args)
        try:
            given = self._inputs_(self._compiled_, tensors)
        except DeferredInitializationError:
            with _Tracing.lock:
                self._infer_deferred_(args)
                for source in self._compiled_.sources:
                    if isinstance(source, Parameter):
                        source._finish_deferred_init()
            given = self._inputs_(self._compiled_, tensors)
        compiled = self._compiled_
        call, before = compiled.call, compiled.call.recent
        out = call(*given)
        # Two calls in a row that were alike may well be followed by a third.
        if before is not None and call.recent is before and tensors is args and not autograd.mode.recording:
            compiled.repeated = Repeated.of(call, args, given, compiled.sources, trace.out_format)
        if trace.out_format == 0:
            return out
        return regroup(out if isinstance(out, list) else [out], trace.out_format)[0]

    @staticmethod
    def _tensors_for_(trace: Trace, args: Sequence[Any]) -> Sequence[NDArray]:
        """Return the arrays among nested arguments. Raises ValueError where they are nested otherwise than traced."""
        if trace.in_format == [0] * len(args) and all(isinstance(value, NDArray) for value in args):
            return args
        flat, form = flatten(list(args), "input")
        if not compatible(trace.in_format, form):
            raise ValueError(
                "The argument structure of HybridBlock does not match the cached version. "
                f"Stored format = {trace.in_format}, input format = {form}"
            )
        return [value for value in flat if value is not None]

    @staticmethod
    def _inputs_(compiled: Compiled, tensors: Sequence[NDArray]) -> list[NDArray]:
        return [tensors[s] if isinstance(s, int) else s.data() for s in compiled.sources]

    # -- tracing

    def _clear_cached_op(self) -> None:
        self._trace_ = None
        self._compiled_ = None

    def _restore_(self, inputs: Sequence[Symbol], graph: Symbol, in_format: Format, out_format: Format) -> None:
        """Take a graph that was saved in place of a trace, and hybridize the block."""
        self._active = True
        self._clear_cached_op()
        self._trace_ = Trace(inputs, graph, in_format, out_format)

    def _trace_of_(self, args: Sequence[Any]) -> Trace:
        """Return the trace, created on first use for inputs nested like `args`."""
        if self._trace_ is None:
            with _Tracing.lock:
                self._trace_ = self._trace_ or self._traced_(args)
        return self._trace_

    def _traced_(self, args: Sequence[Any]) -> Trace:
        flat, in_format = flatten(list(args), "input")
        tensors = [value for value in flat if value is not None]
        names = ["data"] if len(tensors) == 1 else [f"data{k}" for k in range(len(tensors))]
        variables = [arrays.variable_for(name, tensor) for name, tensor in zip(names, tensors, strict=True)]
        left = iter(variables)
        nested = regroup([None if value is None else next(left) for value in flat], in_format)[0]
        flat_out, out_format = flatten(self._forward_symbols_(nested), "output")
        return Trace(variables, group(flat_out), in_format, out_format)

    def _compile_(self, args: Sequence[Any]) -> Compiled:
        with collector_at_rest():
            return self._compiled_anew_(args)

    def _compiled_anew_(self, args: Sequence[Any]) -> Compiled:
        trace = self._trace_of_(args)
        positions = {symbol.name: k for k, symbol in enumerate(trace.inputs)}
        params = self.collect_params()
        names = trace.graph.list_inputs()
        unknown = next((name for name in names if name not in positions and name not in params), None)
        if unknown is not None:
            raise AssertionError(f"Unknown input to HybridBlock: {unknown}")
        self._warn_of_unused_(set(names), positions, params)
        sources = [positions[name] if name in positions else params[name] for name in names]
        used = [source for source in sources if isinstance(source, Parameter)]
        try:
            for param in used:
                param.data()
        except DeferredInitializationError:
            self._infer_deferred_(args)
            for param in used:
                param._finish_deferred_init()
        data = tuple(k for k, source in enumerate(sources) if isinstance(source, int))
        if self._flags.get("static_shape") and not self._flags.get("static_alloc"):
            raise MXNetError("static_alloc must be True when static_shape is True")
        call = CachedOp(trace.graph, [*self._flags.items(), ("data_indices", data)])
        if self._op_hook_ is not None:
            call.monitor(*self._op_hook_)
        return Compiled(call, sources)

    @staticmethod
    def _warn_of_unused_(used: set[str], positions: Any, params: ParameterDict) -> None:
        idle = [f"{position}-th" for name, position in positions.items() if name not in used]
        if idle:
            warnings.warn(
                f"The {', '.join(idle)} input to HybridBlock is not used by any computation. Is this intended?",
                stacklevel=6,
            )
        for name in params:
            if name not in used and name not in positions:
                warnings.warn(f"Parameter {name} is not used by any computation. Is this intended?", stacklevel=6)

    # -- inference

    def infer_shape(self, *args: Any) -> None:
        """Infer unknown parameter sizes from arrays. Raises ValueError or MXNetError if that fails."""
        self._infer_("shape", args)

    def infer_type(self, *args: Any) -> None:
        """Infer parameter dtypes from arrays. Raises ValueError or MXNetError if that fails."""
        self._infer_("dtype", args)

    @staticmethod
    def _tensors_(args: Sequence[Any]) -> list[Any]:
        return [value for value in flatten(list(args), "input")[0] if value is not None]

    def _infer_(self, attribute: str, args: Sequence[Any]) -> None:
        trace = self._trace_of_(args)
        infer = trace.graph.infer_shape if attribute == "shape" else trace.graph.infer_type
        tensors = self._tensors_(args)
        known = {s.name or "": getattr(a, attribute) for s, a in zip(trace.inputs, tensors, strict=False)}
        if attribute == "shape":
            _check_used(known, trace.graph.list_inputs())
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            arguments, _outputs, states = infer(**known)
        if arguments is None:
            raise ValueError(caught[-1].message if caught else f"the {attribute} of some inputs is unknown")
        found = dict(zip(trace.graph.list_arguments(), arguments, strict=True))
        found.update(zip(trace.graph.list_auxiliary_states(), states, strict=True))
        for name, param in self.collect_params().items():
            setattr(param, attribute, found[name])

    def _infer_deferred_(self, args: Sequence[Any]) -> None:
        try:
            with autograd.pause():
                self.infer_shape(*args)
        except NotImplementedError:
            # A gap of this runtime is not an error of the block.
            raise
        except Exception as error:
            raise ValueError(f"Deferred initialization failed because shape cannot be inferred. {error}") from error

    def explain(self) -> Explanation:
        """Return a description of the compiled block: engines, steps and memory of each graph.

        Print it, or read its fields.

        MXNet has no such method. Raises RuntimeError if the block has not been hybridized and called before.
        """
        if self._compiled_ is None:
            raise RuntimeError(f"{self.name} is not compiled yet: hybridize it, and call it once")
        call = self._compiled_.call
        return Explanation(self.name, call.compiled_graphs(), call.why_eager())

    # -- files

    def export(self, path: str, epoch: int = 0, remove_amp_cast: bool = True) -> None:
        """Write ``path-symbol.json`` and ``path-0000.params`` (the number is `epoch`) for `SymbolBlock.imports`.

        Raises RuntimeError for a block without a graph: neither was it called hybridized, nor did it infer sizes.
        """
        if self._trace_ is None:
            raise RuntimeError(
                "Please first call block.hybridize() and then run forward with this block at least once before "
                "calling export."
            )
        graph = self._trace_.graph
        graph.save(f"{path}-symbol.json", remove_amp_cast=remove_amp_cast)
        states = set(graph.list_auxiliary_states())
        known = self.collect_params()
        params = [known[name] for name in graph.list_inputs() if name in known]
        named = {("aux:" if p.name in states else "arg:") + p.name: p._reduce() for p in params}
        save(f"{path}-{epoch:04d}.params", named)


def _check_used(names: Iterable[str], inputs: Sequence[str]) -> None:
    """Raise MXNetError for an input on which no output depends, as MXNet does when it infers shapes."""
    for name in names:
        if name not in inputs:
            candidates = "".join(f"\t[{k}]{other}\n" for k, other in enumerate(inputs))
            raise MXNetError(f"InferShapeKeyword argument name {name} not found.\nCandidate arguments:\n{candidates}")
