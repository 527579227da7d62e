"""Shape inference for inputs on a symbolic graph of the block. Nothing is run, so large images cost nothing.

There are three graphs. One is that of the compiled run. Another models the eager run: Python's operators broadcast, and
conversions of an array to a number give a fixed number. Only this one may refuse sizes, because a proof looks for
exactly those inputs that the eager run accepts and the compiled run rejects. The third is like it, but what an operator
combines has equal shapes: that is how most code is meant, and it tells the shape of one input from another.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from typing import Any

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.errors import Failure, failure
from hybridlint.proving.child.inputs.graph.arraylike import ArrayLike
from hybridlint.proving.child.inputs.graph.inferred_shapes import inferred_shapes
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.specs.spec import BATCH, Spec, TensorSpec, ValueSpec, number

#: Most graphs that are kept.
_KEPT = 8
#: Numbers for the named sizes where code asks for shapes.
_SIZES = {BATCH: 2, "H": 8, "W": 10, "T": 5, "D": 6}
_INPUT = re.compile(r"input\d[\d_]*")


class ShapeTrial:
    """The graphs of one class, traced to model the eager run (`eager`) or the compiled run.

    With `alike`, Python's operators combine arrays of equal shapes in a graph of the eager run too. Rows in failures
    are rows of the file `path`.
    """

    def __init__(self, world: LoadedModule, cls: Any, path: str, *, eager: bool, alike: bool = False) -> None:
        self.world = world
        self.cls = cls
        self.path = path
        self.eager = eager
        self.alike = alike
        self._graphs: dict[tuple[str, str, str], Any] = {}
        #: Keys of graphs whose code asks for shapes: these are traced for each set of shapes.
        self._asking: set[tuple[str, str]] = set()
        #: With `alike`, the calls of operators, by number, that broadcast all the same, and the numbers by node name.
        self._loose: set[int] = set()
        self._calls: dict[str, int] = {}

    def knows(self, arguments: ConstructorArguments, inputs: Mapping[str, Spec]) -> bool:
        """Whether a block built with these arguments can be traced to a graph with such inputs; sizes do not matter."""
        return self.graph(arguments, inputs) is not None

    def failure(
        self, arguments: ConstructorArguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int]
    ) -> Failure | None:
        """Return the error that shape inference raises for inputs; None if they fit or the block has no graph."""
        graph = self.graph(arguments, inputs)
        if graph is None:
            return None
        shapes = {
            name: tuple(number(size, sizes) for size in spec.shape) for name, spec in _named(list(inputs.values()))
        }
        known = set(graph.list_arguments())
        try:
            graph.infer_shape(**{name: shape for name, shape in shapes.items() if name in known})
        except Exception as error:
            return failure(error, self.path)
        return None

    def mixes(self, arguments: ConstructorArguments, inputs: Mapping[str, Spec], operator: str) -> bool:
        """Whether the operands of the node named `operator` come from different inputs; True if the node is missing."""
        graph = self.graph(arguments, inputs)
        nodes = [] if graph is None else json.loads(graph.tojson())["nodes"]
        place = next((k for k, node in enumerate(nodes) if node["name"] == operator), None)
        if place is None:
            return True
        origins = [_inputs_below(nodes, source[0]) for source in nodes[place]["inputs"]]
        known = {origin for origin in origins if origin}
        return len(known) > 1

    def natural(
        self, arguments: ConstructorArguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int]
    ) -> dict[str, Spec]:
        """Return the inputs with the shapes that the graph infers from the first one; unchanged if it infers none.

        For example, an input that is added to the first one mostly has the same shape.
        """
        graph = self.graph(arguments, inputs)
        shapes = list(_named(list(inputs.values())))
        if graph is None or len(shapes) < 2:
            return dict(inputs)
        first, spec = shapes[0]
        known = tuple(number(size, sizes) for size in spec.shape)
        try:
            found, _, _ = inferred_shapes(graph, {first: known})
        except Exception:
            return dict(inputs)
        inferred = dict(zip(graph.list_arguments(), found or ()))  # noqa: B905 - the child also runs under Python 3.8
        lead = spec.shape[0] if spec.shape else None
        return {
            name: spec if k == 0 else _of_shape(spec, inferred.get(f"input{k}"), known[:1], lead)
            for k, (name, spec) in enumerate(inputs.items())
        }

    def loosen(self, operator: str) -> bool:
        """Let the node named `operator` broadcast in all later graphs; return False if it is none that can."""
        call = self._calls.get(operator)
        if call is None or call in self._loose:
            return False
        self._loose.add(call)
        self._graphs.clear()
        return True

    def graph(self, arguments: ConstructorArguments, inputs: Mapping[str, Spec]) -> Any:
        """Return the graph as a Symbol with inputs named `input0` and so on, None if the block has no graph."""
        kind = (repr(arguments), _kinds(list(inputs.values())))
        key = (*kind, str(inputs) if kind in self._asking else "")
        if key not in self._graphs:
            if len(self._graphs) >= _KEPT:
                del self._graphs[next(iter(self._graphs))]
            self._graphs[key] = self._traced(arguments, inputs, kind)
        return self._graphs[key]

    def _traced(self, arguments: ConstructorArguments, inputs: Mapping[str, Spec], kind: tuple[str, str]) -> Any:
        mx, specs = self.world.mx, list(inputs.values())
        shapes = {name: tuple(number(size, _SIZES) for size in s.shape) for name, s in _named(specs)}
        arrays = ArrayLike(mx, shapes, self._loose if self.alike else None)
        try:
            block = build(self.world, self.cls, *arguments, initialize=False)
            symbols = self._symbols(specs, "input")
            with arrays if self.eager else nullcontext():
                outputs = list(_flat(block(*symbols)))
            return mx.sym.Group(outputs) if outputs else None
        except Exception:
            return None
        finally:
            self._calls = arrays.calls
            if arrays.asked:
                self._asking.add(kind)

    def _symbols(self, specs: list[Spec], name: str) -> list[Any]:
        return [self._symbol(spec, f"{name}{k}") for k, spec in enumerate(specs)]

    def _symbol(self, spec: Spec, name: str) -> Any:
        if isinstance(spec, list):
            return self._symbols(spec, f"{name}_")
        if isinstance(spec, ValueSpec):
            return self.world.evaluate(spec.expression)
        symbol = self.world.mx.sym.var(name)
        return symbol.as_np_ndarray() if self.world.numpy_mode else symbol


def _numbers(shape: tuple[int | str, ...]) -> tuple[int, ...]:
    return tuple(number(size, _SIZES) for size in shape)


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


def _named(specs: list[Spec], name: str = "input") -> Iterator[tuple[str, TensorSpec]]:
    """Yield (name of the Symbol, spec) for each tensor among the inputs, including those in lists."""
    for k, spec in enumerate(specs):
        if isinstance(spec, list):
            yield from _named(spec, f"{name}{k}_")
        elif isinstance(spec, TensorSpec):
            yield f"{name}{k}", spec


def _kinds(specs: list[Spec]) -> str:
    """Return a cache key for a graph: the nesting of the inputs, and the expressions of non-tensors."""
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
