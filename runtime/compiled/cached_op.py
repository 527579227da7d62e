"""CachedOp: a symbol compiled per combination of input types and modes; callable on arrays and differentiable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from hybridlint.runtime import autograd
from hybridlint.runtime.autograd import Entry, TapeNode
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.compile_cache import CompileCache
from hybridlint.runtime.compiled.engines.choice import chosen_engine, engine_on
from hybridlint.runtime.compiled.engines.protocol import Executor
from hybridlint.runtime.compiled.explanation import CompiledGraph
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.monitored import input_names, report_gradients
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.compiled.tiers import Tiers
from hybridlint.runtime.compiled.trace import concrete_params, lower
from hybridlint.runtime.compiled.training import CompiledTraining
from hybridlint.runtime.context import current_context, platform_at
from hybridlint.runtime.control_flow.taped_conditions import evaluated_once
from hybridlint.runtime.core import profiling
from hybridlint.runtime.core.binding import require_given
from hybridlint.runtime.core.collection import collector_at_rest
from hybridlint.runtime.core.imperative import Raw, invoke, non_differentiable, type_of
from hybridlint.runtime.core.operator_params import dtype_name
from hybridlint.runtime.core.storage_types import stores_dense
from hybridlint.runtime.facts.registry import zero_gradient
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.platforms import Platform
from hybridlint.runtime.platforms.numpy_platform import NUMPY
from hybridlint.runtime.symbol.node import SymbolNode, auxiliary_nodes, topological
from hybridlint.runtime.symbol.symbol import Symbol
from hybridlint.runtime.util import is_np_shape


@dataclass(frozen=True, slots=True)
class Recent:
    """The executor of the last predicting call, with the types of its arrays for a quick comparison."""

    executor: Executor
    training: bool
    #: For each input the array, if it is a parameter, with shape and element type.
    inputs: tuple[tuple[Raw | None, tuple[int, ...], Any], ...]
    #: The class of the arrays, which tells main memory from a GPU.
    kind: type[Any]

    @staticmethod
    def of(executor: Executor, raws: Sequence[Raw], data: Set[int], *, training: bool) -> Recent | None:
        """Return the cache key of a call; None for arrays on a GPU, and for arrays without elements.

        Not all modes allow these, and arrays of one type may be on several GPUs.
        """
        if executor.platform is not NUMPY or not all(raw.size for raw in raws):
            return None
        inputs = tuple((None if k in data else raw, raw.shape, raw.dtype) for k, raw in enumerate(raws))
        return Recent(executor, training, inputs, type(executor.platform.xp.empty(0)))

    def serves(self, raws: Sequence[Raw], training: bool) -> bool:
        """Return whether arrays in a mode have the types of the last call."""
        if training != self.training:
            return False
        for raw, (known, shape, dtype) in zip(raws, self.inputs, strict=True):
            if raw is not known and (raw.shape != shape or raw.dtype != dtype or type(raw) is not self.kind):
                return False
        return True


class CachedOp:
    """A compiled symbol, called with one NDArray per name of ``symbol.list_inputs()``.

    A call returns an NDArray or a list of them. Flags are MXNet's, as (name, value) pairs; `static_alloc` keeps buffers
    between calls, and `backend` names an engine. Raises MXNetError if the inputs do not fit the graph, if
    `differentiable` is true and it has no gradient, or if there is no such engine.
    """

    def __init__(
        self, symbol: Symbol, flags: Sequence[tuple[str, Any]] | Mapping[str, Any] = (), *, differentiable: bool = True
    ) -> None:
        self.symbol = symbol
        self.names = symbol.list_inputs()
        self.array_class = _array_class(symbol)
        self._static = str(dict(flags).get("static_alloc", False)).lower() in {"true", "1"}
        nodes = topological(symbol._entries)
        if differentiable:
            _require_differentiable(nodes, symbol)
        self._dynamic = any(n.op is not None and n.op.facts.dynamic_shape for n in nodes)
        # Compiled graphs have dense arrays only.
        self._stores = any(n.op is not None and stores_dense(n.op, len(n.inputs), n.params) for n in nodes)
        self._outputs_that_are_inputs = {
            k: self.names.index(node.name) for k, (node, _) in enumerate(symbol._entries) if node.op is None
        }
        self._data = frozenset(dict(flags).get("data_indices", ()))
        self._engine = chosen_engine(dict(flags).get("backend"))
        limit = int(dict(flags).get("inline_limit", 2))
        #: Whether the graph is so small that MXNet records its nodes one by one.
        self.inlined = not self._static and sum(n.op is not None for n in nodes) <= limit
        # MXNet's executors, whose graphs are never inlined, compute without recording.
        self._conditions = _read_by_conditions(nodes, inlined=self.inlined) if limit >= 0 else {}
        self._ones = tuple(_filled_with_ones(nodes, self.names, recorded=on) for on in (False, True))
        self._monitor: Callable[[bytes, bytes, NDArray], Any] | None = None
        self._monitor_inputs = False
        self._monitor_gradients = False
        self._tiers = Tiers()
        self._graphs: CompileCache[Any, Graph] = CompileCache()
        self._inference: CompileCache[Any, Executor] = CompileCache()
        #: How the last call predicted; None where calls have to be looked at one by one.
        self.recent: Recent | None = None
        #: Whether a call that predicts leaves its arrays as they are, and returns new ones.
        self.only_computes = not self._outputs_that_are_inputs and not self._ones[False]
        self._training: CompileCache[Any, CompiledTraining] = CompileCache()

    def __call__(self, *args: NDArray, out: Any = None, default_ctx: Any = None) -> Any:
        """Run on arrays. `out` receives the results in place."""
        result = self._run(args)
        if out is None:
            return result
        targets = out if isinstance(out, (list, tuple)) else [out]
        for target, array in zip(targets, result if isinstance(result, list) else [result], strict=True):
            target._write(array._data)
            target._entry = array._entry
        return out

    def _run(self, args: Sequence[NDArray]) -> Any:
        if len(args) != len(self.names):
            raise MXNetError(
                f"the graph takes {len(self.names)} inputs ({', '.join(self.names)}), {len(args)} were given"
            )
        watched = self._monitor is not None or profiling.running is not None
        if self._dynamic or self._stores or watched or any(a._is_sparse or _keeps_rows(a) for a in args):
            return self._run_eagerly(args)
        raws = [a._data for a in args]
        recent = None if autograd.mode.recording else self.recent
        if recent is not None and recent.serves(raws, autograd.mode.training):
            return self._wrapped(recent.executor(raws), args, raws)
        if not is_np_shape() and any(r.size == 0 for r in raws):
            raise MXNetError("inferring shapes failed: without numpy shapes a size of 0 is an unknown one")
        platform = self._shared_platform(args)
        key = (tuple((r.shape, r.dtype) for r in raws), autograd.mode.training, platform.device)
        wanted = self._differentiated_inputs(args)
        if wanted:
            with evaluated_once(self._conditions_on_tape(wanted)):
                results = self._trained(key, wanted, raws, platform)(args, raws, self.array_class)
            self._fill_with_ones(raws)
            for array in results:
                if array._entry is not None:
                    array._entry[0].origin = (self, wanted, raws)
            return _placed(results, args)
        executor = self._compiled(key, raws, platform)
        waiting = self._tiers.is_waiting(key)
        self.recent = None if waiting else Recent.of(executor, raws, self._data, training=key[1])
        return self._wrapped(executor(raws), args, raws)

    def _conditions_on_tape(self, wanted: tuple[int, ...]) -> frozenset[int]:
        if not self._conditions:
            return frozenset()
        names = {self.names[k] for k in wanted}
        return frozenset(condition for condition, read in self._conditions.items() if read & names)

    def _wrapped(self, found: Sequence[Raw], args: Sequence[NDArray], raws: Sequence[Raw]) -> Any:
        results = [self.array_class._wrap(r) for r in found]
        for output, position in self._outputs_that_are_inputs.items():
            results[output]._data = raws[position]
        self._fill_with_ones(raws)
        return _placed(results, args)

    def _fill_with_ones(self, raws: Sequence[Raw]) -> None:
        for position in self._ones[autograd.mode.recording]:
            raws[position][...] = 1

    def compiled_graphs(self) -> tuple[CompiledGraph, ...]:
        """Return the graphs that calls have compiled so far, for the types of their inputs."""
        found: list[CompiledGraph] = []
        for key, executor in self._inference.items():
            use = "training, without gradients" if key[1] else "predicting"
            use += self._waiting(key)
            found.append(CompiledGraph(use, self._typed(key), executor))
        for (key, wanted), trained in self._training.items():
            use = "recorded, in train mode" if key[1] else "recorded, in predict mode"
            use += self._waiting((key, wanted))
            forward, *backward = trained.executors()
            found.append(CompiledGraph(use, self._typed(key), forward))
            found += (CompiledGraph("its gradient", (), executor) for executor in backward)
        return tuple(found)

    def _waiting(self, key: Any) -> str:
        return ", without native code until it is called often" if self._tiers.is_waiting(key) else ""

    def why_eager(self) -> str | None:
        """Return why calls run node by node, None if they run compiled."""
        if self._dynamic:
            return "the shape of a result depends on values"
        return None if self._monitor is None else "a hook watches its operators"

    def _typed(self, key: Any) -> tuple[tuple[str, tuple[int, ...], str], ...]:
        """Return name, shape and dtype of the arguments other than parameters, if the flags mark them."""
        shown = self._data or range(len(self.names))
        return tuple((self.names[k], shape, str(dtype)) for k, (shape, dtype) in enumerate(key[0]) if k in shown)

    def monitor(
        self,
        callback: Callable[[bytes, bytes, NDArray], Any] | None,
        monitor_all: bool = False,
        *,
        gradients: bool = False,
    ) -> None:
        """Call ``callback(name, operator, array)`` for the outputs of every node, with `monitor_all` also the inputs.

        With `gradients` it is called for the gradients of a node's inputs too, when they are computed. Names are bytes,
        as in MXNet. A monitored graph runs node by node.
        """
        self._monitor, self._monitor_inputs, self._monitor_gradients = callback, monitor_all, gradients
        self.recent = None

    def heads_read(self, outputs: Sequence[NDArray]) -> tuple[bool, ...]:
        """Return whether backward reads the gradient of each output of a call; that of a loss is read by none."""
        node = next((array._entry[0] for array in outputs if array._entry is not None), None)
        if node is None or node.origin is None:
            return ()
        compiled = (trained for (_, wanted), trained in self._training.items() if wanted == node.origin[1])
        return next((trained.heads_read() for trained in compiled), ())

    def entries_of(self, node: TapeNode, raws: Sequence[Raw]) -> list[Entry | None]:
        """Return the tape entry of each input of a recorded call, None for inputs that were not differentiated."""
        assert node.origin is not None
        found = dict(zip(node.origin[1], node.inputs, strict=True))
        return [found.get(k) for k in range(len(raws))]

    def _differentiated_inputs(self, args: Sequence[NDArray]) -> tuple[int, ...]:
        """Return the positions of the inputs that receive gradients.

        As in MXNet, a graph small enough to be inlined cuts off an input that is itself an output: a parameter keeps
        its old gradient, and for an argument of the block nothing is recorded at all.
        """
        if not autograd.mode.recording:
            return ()
        cut_off = set(self._outputs_that_are_inputs.values()) if self.inlined else set()
        if cut_off & self._data:
            return ()
        return tuple(k for k, a in enumerate(args) if a._entry is not None and k not in cut_off)

    def _run_eagerly(self, args: Sequence[NDArray]) -> Any:
        """Run node by node, for monitoring, for shapes that depend on values, and for sparse storage."""
        given = dict(zip(self.names, args, strict=True))
        values: dict[tuple[int, int], NDArray] = {}
        types = {name: TensorType(array.shape, dtype_name(array.dtype)) for name, array in given.items()}
        params = concrete_params(self.symbol, types)
        for node in topological(self.symbol._entries):
            if node.op is None:
                values[id(node), 0] = given[node.name]
                continue
            inputs = [None if e is None else values[id(e[0]), e[1]] for e in node.inputs]
            if not node.op.variadic:
                inputs += [None] * (len(node.op.inputs) - len(inputs))
            made = invoke(node.op, inputs, params.get(id(node), node.params), array_class=self.array_class)
            made = made if isinstance(made, list) else [made]
            if self._monitor is not None:
                self._report(node, inputs, made)
                if self._monitor_gradients:
                    report_gradients(node, inputs, made, self._monitor)
            values.update({(id(node), k): array for k, array in enumerate(made)})
        results = [values[id(node), k] for node, k in self.symbol._entries]
        return results[0] if len(results) == 1 else results

    def _report(self, node: SymbolNode, inputs: Sequence[NDArray | None], outputs: Sequence[NDArray]) -> None:
        assert node.op is not None
        assert self._monitor is not None
        operator = node.op.name.encode()
        if self._monitor_inputs:
            names = input_names(node.op, len(inputs))
            sources = [*node.inputs, *[None] * (len(inputs) - len(node.inputs))]
            for name, array, entry in zip(names, inputs, sources, strict=True):
                if array is not None:
                    if self._monitor_gradients and entry is not None and entry[0].op is None:
                        self._monitor(entry[0].name.encode(), operator, array)
                    self._monitor(f"{node.name}_{name}".encode(), operator, array)
        for k, array in enumerate(outputs):
            self._monitor(node.output_name(k).encode(), operator, array)

    def graph(self, key: Any, raws: Sequence[Raw]) -> Graph:
        """Return the optimized graph for arrays of these types: the same in both modes."""
        types, _, device = key
        found = self._graphs.get((types, device))
        if found is None:
            known = {name: type_of(raw) for name, raw in zip(self.names, raws, strict=True)}
            found = self._graphs.keep((types, device), optimize(lower(self.symbol, known)))
        return found

    def _shared_platform(self, args: Sequence[NDArray]) -> Platform:
        """Return the platform of all arrays. Raises MXNetError for arrays on several contexts."""
        if not args:
            return platform_at(current_context())
        first = args[0].context
        for name, array in zip(self.names, args, strict=True):
            if array._ctx is not args[0]._ctx and array.context != first:
                raise MXNetError(
                    f"Check failed: inputs[i]->ctx() == default_ctx ({array.context} vs. {first}) : CachedOp requires "
                    f"all inputs to live on the same context. But {self.names[0]} is on {first} while {name} is on "
                    f"{array.context}"
                )
        return platform_at(first)

    def _compiled(self, key: Any, raws: Sequence[Raw], platform: Platform) -> Executor:
        found = self._inference.get(key)
        if found is None or self._tiers.is_due(key):
            with collector_at_rest():
                graph = self.graph(key, raws)
                engine = engine_on(platform, self._engine)
                if found is None:
                    engine = self._tiers.engine(engine, key[1], key, len(graph.nodes))
                found = self._inference.keep(key, engine.compile(graph, training=key[1], static_alloc=self._static))
        return found

    def _trained(self, key: Any, wanted: tuple[int, ...], raws: Sequence[Raw], platform: Platform) -> CompiledTraining:
        whole = (key, wanted)
        found = self._training.get(whole)
        if found is None or self._tiers.is_due(whole):
            with collector_at_rest():
                engine, graph = engine_on(platform, self._engine), self.graph(key, raws)
                if found is None:
                    # The graph of a gradient has about twice the nodes of its own.
                    engine = self._tiers.engine(engine, (key[1], wanted), whole, 3 * len(graph.nodes))
                found = CompiledTraining(
                    graph,
                    wanted,
                    engine=engine,
                    training=key[1],
                    static_alloc=self._static,
                    inlined=self.inlined,
                )
            self._training.keep(whole, found)
        return found


def _keeps_rows(array: NDArray) -> bool:
    """Whether an array's gradient is in sparse storage, which compiled graphs do not have."""
    return array._grad is not None and array._grad._is_sparse


def _read_by_conditions(nodes: Sequence[SymbolNode], *, inlined: bool) -> Mapping[int, frozenset[str]]:
    """Return the identity of each loop's condition, with the inputs of the graph that would put it on the tape."""
    found = {}
    for node in nodes:
        if node.op is not None and node.op.facts.read_by_condition is not None:
            taken = [e for k in node.op.facts.read_by_condition if (e := node.inputs[k]) is not None]
            sources = topological(taken) if inlined else [source for source, _ in taken]
            found[id(node.subgraphs[0])] = frozenset(source.name for source in sources if source.op is None)
    return found


def _filled_with_ones(nodes: Sequence[SymbolNode], names: Sequence[str], *, recorded: bool) -> tuple[int, ...]:
    """Return the positions of the graph's inputs that a run leaves filled with ones."""
    filled = set()
    for node in nodes:
        for name in node.op.ones_left(node.params, recorded=recorded) if node.op is not None else ():
            assert node.op is not None
            entry = node.inputs[node.op.inputs.index(name)]
            if entry is not None and entry[0].op is None:
                filled.add(names.index(entry[0].name))
    return tuple(sorted(filled))


def _placed(results: list[NDArray], args: Sequence[NDArray]) -> Any:
    """Return results on the device of the first argument: one alone, or a list."""
    for array in results:
        array._ctx = args[0]._ctx if args else None
    return results[0] if len(results) == 1 else results


def _require_differentiable(nodes: Sequence[SymbolNode], symbol: Symbol) -> None:
    """Raise MXNetError if no gradient graph can be built. MXNet checks this before running."""
    # What only operators read that hand on no gradient needs none.
    wanted = {id(node) for node, _ in symbol._entries}
    for node in reversed(nodes):
        if id(node) in wanted and node.op is not None and node.op.grad is not zero_gradient:
            wanted.update(id(entry[0]) for entry in node.inputs if entry is not None)
    aux = auxiliary_nodes(nodes)
    reached = {id(n) for n in nodes if n.op is None and id(n) not in aux}
    if not reached:
        raise MXNetError("There are no inputs in computation graph that require gradients.")
    for node in nodes:
        if node.op is None or not any(e is not None and id(e[0]) in reached for e in node.inputs):
            continue
        reached.add(id(node))
        if id(node) not in wanted:
            continue
        if node.op.grad is None:
            raise MXNetError(non_differentiable(node.op))
        require_given(node.op, node.given, node.name)


def _array_class(symbol: Symbol) -> type[NDArray]:
    """Return the array class of a graph's results: numpy arrays for a symbol of numpy mode."""
    if type(symbol) is Symbol:
        return NDArray
    from hybridlint.runtime.numpy.multiarray import ndarray

    return ndarray
