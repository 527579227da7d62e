"""Shape inference for inputs on a symbolic graph of the block. Nothing is run, so large images cost nothing.

There are two graphs. One is that of the compiled run. The other models the eager run: Python's operators broadcast, and
conversions of an array to a number give a fixed number. Only the second may choose sizes, because a proof looks for
exactly those inputs that the eager run accepts and the compiled run rejects.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.proving.child.build.arguments import Arguments
from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.errors import Failure, failure
from hybridlint.proving.child.inputs.specs import Spec, TensorSpec, ValueSpec, World

if TYPE_CHECKING:
    from collections.abc import Callable

#: Most graphs that are kept.
_KEPT = 8
#: Python operators and functions that broadcast arrays but not Symbols -> the operator that broadcasts both.
_OPERATORS = {
    "__add__": "add", "__sub__": "sub", "__mul__": "mul", "__truediv__": "div", "__mod__": "mod", "__pow__": "power",
    "__iadd__": "add", "__isub__": "sub", "__imul__": "mul", "__itruediv__": "div", "__eq__": "equal",
    "__ne__": "not_equal", "__gt__": "greater", "__ge__": "greater_equal", "__lt__": "lesser", "__le__": "lesser_equal",
}  # fmt: skip
#: Fixed results for conversions of arrays to numbers; only shapes are inferred, and they seldom depend on values.
_NUMBERS = {
    "asscalar": lambda _self: 1.0, "item": lambda _self: 1.0, "__float__": lambda _self: 1.0,
    "__int__": lambda _self: 1, "__bool__": lambda _self: False,
}  # fmt: skip
_INPUT = re.compile(r"input\d[\d_]*")
_ABSENT = object()
_FUNCTIONS = {"maximum": "maximum", "minimum": "minimum", "power": "power"}


class ShapeTrial:
    """The graphs of one class, traced to model the eager run (`eager`) or the compiled run.

    Rows in failures are rows of the file `path`.
    """

    def __init__(self, world: World, cls: Any, path: str, *, eager: bool) -> None:
        self.world = world
        self.cls = cls
        self.path = path
        self.eager = eager
        self._graphs: dict[tuple[str, str], Any] = {}

    def knows(self, arguments: Arguments, inputs: Mapping[str, Spec]) -> bool:
        """Whether a block built with these arguments can be traced to a graph with such inputs; sizes do not matter."""
        return self.graph(arguments, inputs) is not None

    def failure(self, arguments: Arguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int]) -> Failure | None:
        """Return the error that shape inference raises for inputs; None if they fit or the block has no graph."""
        graph = self.graph(arguments, inputs)
        if graph is None:
            return None
        shapes = {
            name: tuple(sizes.get(size, 3) if isinstance(size, str) else size for size in spec.shape)
            for name, spec in _named(list(inputs.values()))
        }
        known = set(graph.list_arguments())
        try:
            graph.infer_shape(**{name: shape for name, shape in shapes.items() if name in known})
        except Exception as error:
            return failure(error, self.path)
        return None

    def mixes(self, arguments: Arguments, inputs: Mapping[str, Spec], operator: str) -> bool:
        """Whether the operands of the node named `operator` come from different inputs; True if the node is missing."""
        graph = self.graph(arguments, inputs)
        nodes = [] if graph is None else json.loads(graph.tojson())["nodes"]
        place = next((k for k, node in enumerate(nodes) if node["name"] == operator), None)
        if place is None:
            return True
        origins = [_inputs_below(nodes, source[0]) for source in nodes[place]["inputs"]]
        known = {origin for origin in origins if origin}
        return len(known) > 1

    def natural(self, arguments: Arguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int]) -> dict[str, Spec]:
        """Return the inputs with the shapes that the graph infers from the first one; unchanged if it infers none.

        For example, an input that is added to the first one mostly has the same shape.
        """
        graph = self.graph(arguments, inputs)
        shapes = list(_named(list(inputs.values())))
        if graph is None or len(shapes) < 2:
            return dict(inputs)
        first, spec = shapes[0]
        known = tuple(sizes.get(size, 3) if isinstance(size, str) else size for size in spec.shape)
        try:
            found, _, _ = graph.infer_shape_partial(**{first: known})
        except Exception:
            return dict(inputs)
        inferred = dict(zip(graph.list_arguments(), found or ()))  # noqa: B905 - the child also runs under Python 3.8
        lead = spec.shape[0] if spec.shape else None
        return {
            name: spec if k == 0 else _of_shape(spec, inferred.get(f"input{k}"), known[:1], lead)
            for k, (name, spec) in enumerate(inputs.items())
        }

    def graph(self, arguments: Arguments, inputs: Mapping[str, Spec]) -> Any:
        """Return the graph as a Symbol with inputs named `input0` and so on, None if the block has no graph."""
        key = (repr(arguments), _kinds(list(inputs.values())))
        if key not in self._graphs:
            if len(self._graphs) >= _KEPT:
                del self._graphs[next(iter(self._graphs))]
            self._graphs[key] = self._traced(arguments, inputs)
        return self._graphs[key]

    def _traced(self, arguments: Arguments, inputs: Mapping[str, Spec]) -> Any:
        try:
            block = build(self.world, self.cls, *arguments, initialize=False)
            symbols = self._symbols(list(inputs.values()), "input")
            with _as_arrays(self.world.mx, type(self.world.mx.sym.var("x")), self.eager):
                outputs = list(_flat(block(*symbols)))
            return self.world.mx.sym.Group(outputs) if outputs else None
        except Exception:
            return None

    def _symbols(self, specs: list[Spec], name: str) -> list[Any]:
        return [self._symbol(spec, f"{name}{k}") for k, spec in enumerate(specs)]

    def _symbol(self, spec: Spec, name: str) -> Any:
        if isinstance(spec, list):
            return self._symbols(spec, f"{name}_")
        if isinstance(spec, ValueSpec):
            return self.world.evaluate(spec.expression)
        symbol = self.world.mx.sym.var(name)
        return symbol.as_np_ndarray() if self.world.numpy_mode else symbol


def _inputs_below(nodes: list[Any], place: int) -> frozenset[str]:
    """Return the names of the inputs, without parameters, that the node at index `place` is computed from."""
    pending, seen = [place], set()
    while pending:
        k = pending.pop()
        if k not in seen:
            seen.add(k)
            pending += [source[0] for source in nodes[k]["inputs"]]
    names = (nodes[k]["name"] for k in seen if nodes[k]["op"] == "null")
    return frozenset(name for name in names if _INPUT.fullmatch(name))


def _of_shape(spec: Spec, shape: Any, batch: tuple[int, ...], lead: int | str | None) -> Spec:
    """Return the spec with the inferred `shape`; unchanged if the shape is not fully known.

    If the first axis has the size `batch`, it becomes `lead`, the first axis of the input that the shape follows from.
    """
    if not isinstance(spec, TensorSpec) or not shape or 0 in shape or -1 in shape:
        return spec
    front = (lead,) if tuple(shape[:1]) == batch and lead is not None else tuple(shape[:1])
    return spec.reshaped((*front, *shape[1:]))


@contextmanager
def _as_arrays(mx: Any, symbol: Any, enabled: bool) -> Iterator[None]:
    """If `enabled`, make Symbols behave like arrays for the duration of the context.

    Python's operators broadcast them, and they have a dtype, a context, and conversions to numbers.
    """
    if not enabled:
        yield
        return
    changed = [(owner, name) for owner, table in _tables(mx, symbol) for name in table]
    kept = {(owner, name): getattr(owner, name) for owner, name in changed}
    answers = {"dtype": np.float32, "context": mx.cpu(), "ctx": mx.cpu(), **_NUMBERS}
    kept.update({(symbol, name): vars(symbol).get(name, _ABSENT) for name in answers})
    for owner, name in changed:
        broadcast = getattr(mx.sym, f"broadcast_{_OPERATORS.get(name) or _FUNCTIONS[name]}")
        setattr(owner, name, _either(kept[owner, name], broadcast, symbol))
    for name, answer in answers.items():
        setattr(symbol, name, answer)
    try:
        yield
    finally:
        for (owner, name), plain in kept.items():
            if plain is _ABSENT:
                delattr(owner, name)
            else:
                setattr(owner, name, plain)


def _tables(mx: Any, symbol: Any) -> Iterator[tuple[Any, list[str]]]:
    yield symbol, [name for name in _OPERATORS if name in vars(symbol)]
    yield mx.sym, [name for name in _FUNCTIONS if hasattr(mx.sym, name)]


def _either(plain: Callable[..., Any], broadcast: Callable[..., Any], symbol: Any) -> Callable[..., Any]:
    def call(left: Any, right: Any, *rest: Any, **more: Any) -> Any:
        both = type(left) is symbol and type(right) is symbol
        return broadcast(left, right) if both else plain(left, right, *rest, **more)

    return call


def _named(specs: list[Spec], name: str = "input") -> Iterator[tuple[str, TensorSpec]]:
    """Yield (name of the Symbol, spec) for each tensor among the inputs, including those in lists."""
    for k, spec in enumerate(specs):
        if isinstance(spec, list):
            yield from _named(spec, f"{name}{k}_")
        elif isinstance(spec, TensorSpec):
            yield f"{name}{k}", spec


def _kinds(specs: list[Spec]) -> str:
    """Return a cache key for a graph: the nesting of the inputs, and the expressions of those that are no tensors."""
    shown = (
        _kinds(spec) if isinstance(spec, list) else spec.expression if isinstance(spec, ValueSpec) else "array"
        for spec in specs
    )
    return f"[{', '.join(shown)}]"


def _flat(outputs: Any) -> Iterator[Any]:
    for output in outputs if isinstance(outputs, (list, tuple)) else [outputs]:
        if isinstance(output, (list, tuple)):
            yield from _flat(output)
        elif hasattr(output, "infer_shape"):
            yield output
