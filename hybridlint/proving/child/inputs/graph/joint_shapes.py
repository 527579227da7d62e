"""Shapes of several inputs that fit each other in a block's graph; inputs used as indices get integer values."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.build.blocks import build
from hybridlint.proving.child.inputs.graph.inferred_shapes import inferred_shapes
from hybridlint.proving.child.inputs.graph.solving import PATIENCE, RANKS, WHOLE_RANKS, UnknownSize, solutions
from hybridlint.proving.child.inputs.source import input_hints
from hybridlint.proving.child.inputs.source.input_flow import forward_of
from hybridlint.proving.child.inputs.source.ranks import Implied, implied_facts
from hybridlint.proving.child.operator_facts import INDEXED
from hybridlint.proving.child.specs.spec import Spec, TensorSpec

if TYPE_CHECKING:
    from hybridlint.proving.child.build.arguments import ConstructorArguments
    from hybridlint.proving.child.inputs.graph.shape_trial import ShapeTrial
    from hybridlint.proving.child.inputs.graph.solving import Shape

#: Operators that only change the dtype or shape of their input.
_PASSING = frozenset(("Cast", "Reshape", "_copy", "BlockGrad", "expand_dims", "Flatten", "reshape", "cast"))


def jointly(
    shape_trial: ShapeTrial,
    arguments: ConstructorArguments,
    inputs: Mapping[str, Spec],
    sizes: Mapping[str, int],
    *,
    patience: float = PATIENCE,
    refused: list[str] | None = None,
) -> Iterator[dict[str, Spec]]:
    """Yield versions of `inputs` with shapes that shape inference on the block's graph accepts.

    `sizes` maps the names of variable sizes to numbers, `patience` is in seconds. Nothing is yielded for a single
    input, for inputs that are lists or values, or for a block without a graph.
    """
    if len(inputs) < 2 or not all(isinstance(spec, TensorSpec) for spec in inputs.values()):
        return
    graph = shape_trial.graph(arguments, inputs)
    if graph is None:
        return
    known = set(graph.list_arguments())
    variables = {name: f"input{k}" for k, name in enumerate(inputs)}
    whole = {name: _rows(graph, variables[name]) for name in inputs}
    said = _implied(shape_trial, arguments)
    unknown = {name: _unknown(name, spec, whole[name], said.get(name, Implied())) for name, spec in inputs.items()}
    used = {name: variables[name] for name in inputs if variables[name] in known}
    # An unused input gets the shape of a used one.
    first = next(iter(used), None)
    if first is None:
        return
    infer = _Infer(graph, used, -1 if shape_trial.world.mx.util.is_np_shape() else 0, refused)
    for shapes in solutions({name: unknown[name] for name in used}, infer, sizes, patience):
        yield {name: _like(name, spec, shapes.get(name, shapes[first]), whole[name]) for name, spec in inputs.items()}


class _Infer:
    """Shape inference on a graph: called with partly known input shapes, returns them completed or the error message.

    `variables` maps each input to its variable in the graph; `unknown` is the number that MXNet reads as unknown.
    """

    def __init__(self, graph: Any, variables: Mapping[str, str], unknown: int, refused: list[str] | None) -> None:
        self.graph = graph
        self.refused = [] if refused is None else refused
        self.variables = variables
        self.unknown = unknown
        self.arguments = graph.list_arguments()

    def __call__(self, shapes: Mapping[str, Shape]) -> dict[str, Shape] | str:
        given = {
            self.variables[name]: tuple(self.unknown if size is None else size for size in shape)
            for name, shape in shapes.items()
        }
        try:
            found, _, _ = inferred_shapes(self.graph, given)
        except Exception as error:
            self.refused.append(str(error))
            return str(error)
        inferred = dict(zip(self.arguments, found or ()))  # noqa: B905 - the child also runs under Python 3.8
        return {name: self._known(inferred.get(self.variables[name]), shape) for name, shape in shapes.items()}

    def _known(self, found: Any, given: Shape) -> Shape:
        if found is None or len(found) != len(given):
            return given
        return tuple(size if size is not None else None if new <= 0 else int(new) for size, new in zip(given, found))  # noqa: B905


def _implied(shape_trial: ShapeTrial, arguments: ConstructorArguments) -> dict[str, Implied]:
    """Return the facts about inputs that the block's source implies."""
    block = build(shape_trial.world, shape_trial.cls, *arguments, initialize=False)
    return implied_facts(block, forward_of(block))


def _unknown(name: str, spec: Spec, rows: int | None, said: Implied) -> UnknownSize:
    assert isinstance(spec, TensorSpec)
    whole = rows is not None or input_hints.whole_numbers(name)
    usual = (1, 2) if input_hints.is_length(name) else WHOLE_RANKS if whole else RANKS
    ranks = tuple(dict.fromkeys([len(spec.shape), *usual])) if not whole else usual
    return UnknownSize(tuple(sorted(ranks, key=lambda rank: not said.least <= rank <= said.most)), whole)


def _like(name: str, spec: Spec, shape: tuple[int | str, ...], rows: int | None) -> Spec:
    """Return the spec of an input with another shape.

    Its values become integers below `rows` if the graph uses the input as an index (`rows` is not None). An integer
    input that is no index, and whose name implies no integers, gets real values.
    """
    assert isinstance(spec, TensorSpec)
    if rows is not None:
        return TensorSpec(shape, low=0, high=rows or 3, integers=True)
    integral = input_hints.whole_numbers(name) or input_hints.is_length(name) or "mask" in name.lower()
    return spec.reshaped(shape) if integral or not spec.integers else TensorSpec(shape)


def _rows(graph: Any, variable: str) -> int | None:
    """Return the number of rows of the table that an input indexes; 0 if unknown, None for other inputs."""
    nodes = json.loads(graph.tojson())["nodes"]
    passing = {k for k, node in enumerate(nodes) if node["op"] == "null" and node["name"] == variable}
    for k, node in enumerate(nodes):
        sources = [source[0] for source in node["inputs"]]
        place, _ = INDEXED.get(node["op"], (-1, ""))
        if 0 <= place < len(sources) and sources[place] in passing:
            return int(node.get("attrs", {}).get("input_dim", 0))
        if node["op"] in _PASSING and sources and sources[0] in passing:
            passing.add(k)
    return None
