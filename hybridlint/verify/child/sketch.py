"""What the shapes of inputs lead to, told by the graph of a block without running it: large images cost nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from hybridlint.verify.child.arguments import Arguments
from hybridlint.verify.child.blocks import build
from hybridlint.verify.child.errors import Failure, failure
from hybridlint.verify.child.specs import Spec, TensorSpec, ValueSpec, World

#: Graphs that are kept.
_KEPT = 8


class Sketch:
    """The graphs of one class, whose errors are told with their rows in the file `path`."""

    def __init__(self, world: World, cls: Any, path: str) -> None:
        self.world = world
        self.cls = cls
        self.path = path
        self._graphs: dict[tuple[str, str], Any] = {}

    def knows(self, arguments: Arguments, inputs: Mapping[str, Spec]) -> bool:
        """Whether a block that is built so has a graph for such inputs, whatever their sizes."""
        return self._graph(arguments, inputs) is not None

    def failure(self, arguments: Arguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int]) -> Failure | None:
        """Return what the shapes of inputs contradict, None where they fit or the block has no graph."""
        graph = self._graph(arguments, inputs)
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

    def _graph(self, arguments: Arguments, inputs: Mapping[str, Spec]) -> Any:
        key = (repr(arguments), _kinds(list(inputs.values())))
        if key not in self._graphs:
            if len(self._graphs) >= _KEPT:
                del self._graphs[next(iter(self._graphs))]
            self._graphs[key] = self._traced(arguments, inputs)
        return self._graphs[key]

    def _traced(self, arguments: Arguments, inputs: Mapping[str, Spec]) -> Any:
        try:
            block = build(self.world, self.cls, *arguments, initialize=False)
            outputs = list(_flat(block(*self._symbols(list(inputs.values()), "input"))))
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


def _named(specs: list[Spec], name: str = "input") -> Iterator[tuple[str, TensorSpec]]:
    """Iterate over the arrays among inputs with the names of their Symbols."""
    for k, spec in enumerate(specs):
        if isinstance(spec, list):
            yield from _named(spec, f"{name}{k}_")
        elif isinstance(spec, TensorSpec):
            yield f"{name}{k}", spec


def _kinds(specs: list[Spec]) -> str:
    """Return what the graph depends on: which inputs are arrays, and the values of the others."""
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
