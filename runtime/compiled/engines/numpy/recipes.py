"""The recipes by which nodes of a graph compute, and the graph without results of steady inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from hybridlint.runtime.compiled.graph import Graph, GraphNode
from hybridlint.runtime.compiled.passes.dead_code import remove_dead_code
from hybridlint.runtime.compiled.plan import taken_values
from hybridlint.runtime.facts.recipes import BufferRecipe
from hybridlint.runtime.facts.types import TensorType


@dataclass(frozen=True, slots=True)
class Cooked:
    """A graph whose nodes compute by recipes, by the first output of each.

    The inputs that a recipe keeps something of are taken away from its node; `origins` has for each such node the
    graph that computes them, from inputs of the whole graph.
    """

    graph: Graph
    recipes: Mapping[int, BufferRecipe] = field(default_factory=dict)
    origins: Mapping[int, Graph] = field(default_factory=dict)


def plan_recipes(graph: Graph, *, training: bool, lasting: bool) -> Cooked:
    """Return the graph with the recipes of its nodes. Nothing is kept unless it is `lasting`."""
    recipes: dict[int, BufferRecipe] = {}
    origins: dict[int, Graph] = {}
    nodes: list[GraphNode] = []
    taken = taken_values(graph)
    uses = _Uses(graph)
    for node in graph.nodes:
        origin: Graph | None = None
        recipe = _recipe(graph, node, taken, training=training, lasting=lasting)
        if recipe is not None and recipe.kept:
            origin = _origin(graph, node, recipe.steady, uses)
            if origin is None:
                recipe = _recipe(graph, node, taken, training=training, lasting=False)
        moved = node
        if recipe is not None:
            recipes[node.outputs[0]] = recipe
            if origin is not None:
                origins[node.outputs[0]] = origin
                rest = tuple(None if k in recipe.steady else v for k, v in enumerate(node.inputs))
                moved = replace(node, inputs=rest)
        nodes.append(moved)
    if not origins:
        return Cooked(graph, recipes)
    return Cooked(remove_dead_code(replace(graph, nodes=tuple(nodes))), recipes, origins)


def _recipe(
    graph: Graph, node: GraphNode, taken: Set[int | None], *, training: bool, lasting: bool
) -> BufferRecipe | None:
    ins: tuple[TensorType | None, ...] = tuple(None if v is None else graph.types[v] for v in node.inputs)
    outs = tuple(graph.types[v] for v in node.outputs)
    if any(0 in (known.shape or ()) for known in (*ins, *outs) if known is not None):
        return None
    recipe = node.op.recipe(ins, outs, node.params, training=training, lasting=lasting)
    if recipe is None or (recipe.channels_last and node.outputs[0] in graph.outputs):
        return None
    return None if taken & set(node.outputs[recipe.outputs :]) else recipe


class _Uses:
    """The makers and the takers of each value of a graph, found in one pass over its nodes."""

    def __init__(self, graph: Graph) -> None:
        self.places = {id(node): place for place, node in enumerate(graph.nodes)}
        self.makers = {value: node for node in graph.nodes for value in node.outputs}
        self.takers: dict[int, list[GraphNode]] = {}
        for node in graph.nodes:
            for value in node.inputs:
                if value is not None:
                    self.takers.setdefault(value, []).append(node)


def _origin(graph: Graph, taker: GraphNode, steady: Sequence[int], uses: _Uses) -> Graph | None:
    """Return the graph of a node's steady inputs alone.

    None if they depend on random numbers or on the mode, or if others take what they are made of.
    """
    outputs = tuple(v for k in steady if (v := taker.inputs[k]) is not None)
    found: set[int] = set()
    waiting = [*outputs]
    while waiting:
        value = waiting.pop()
        if value in found:
            continue
        found.add(value)
        maker = uses.makers.get(value)
        if maker is not None:
            if maker.op.random or maker.op.modal or maker.op.writes_inputs:
                return None
            waiting += [v for v in maker.inputs if v is not None]
    used = {id(node): node for value in found if (node := uses.makers.get(value)) is not None}
    nodes = tuple(sorted(used.values(), key=lambda node: uses.places[id(node)]))
    made = {value for node in nodes for value in node.outputs}
    if made.intersection(graph.outputs) or any(
        id(node) not in used and node is not taker for value in made for node in uses.takers.get(value, ())
    ):
        return None
    inputs = tuple(v for v in graph.inputs if v in found)
    constants = {v: raw for v, raw in graph.constants.items() if v in found}
    return Graph(inputs, nodes, outputs, graph.types, constants)
