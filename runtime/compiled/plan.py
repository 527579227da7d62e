"""Memory plan of a graph: the buffer that each value is written to, and when buffers are reused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.facts.dims import product
from hybridlint.runtime.facts.recipes import BufferRecipe
from hybridlint.runtime.facts.types import TensorType, itemsize


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """A memory plan: `slots` maps values to buffer numbers, `sizes` holds the bytes of each buffer.

    Values without a slot get memory of their own: outputs, which the caller keeps, and results of kernels without
    ``out``. `scratch` and `kept` have the buffers of the nodes that compute by a recipe, by their number.
    """

    graph: Graph
    slots: Mapping[int, int]
    sizes: tuple[int, ...]
    last_use: Mapping[int, int]
    scratch: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    kept: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    #: The values that lie in memory with their second axis last.
    channels_last: frozenset[int] = frozenset()
    #: Bytes of the outputs that stay inside the runtime: what forward keeps for backward, and gradients.
    inside: int = 0

    @property
    def bytes_planned(self) -> int:
        """Total bytes of all buffers, and of outputs that stay inside the runtime."""
        return sum(self.sizes) + self.inside

    def __str__(self) -> str:
        lines = []
        for at, node in enumerate(self.graph.nodes):
            places = ", ".join(
                f"%{v} -> " + (f"buffer {self.slots[v]}" if v in self.slots else "new") for v in node.outputs
            )
            freed = [f"%{v}" for v, last in self.last_use.items() if last == at and v in self.slots]
            lines.append(f"{at}: {node.op.name} {places}" + (f"; frees {', '.join(freed)}" if freed else ""))
        return "\n".join([*lines, f"{len(self.sizes)} buffers, {self.bytes_planned} bytes"])


def make_plan(
    graph: Graph, recipes: Mapping[int, BufferRecipe] | None = None, results: int | None = None
) -> MemoryPlan:
    """Plan the buffers. A buffer is reused once nothing that may share the value's memory is needed any more.

    `recipes` has those by which nodes compute, by the node's number. Outputs beyond the first `results` stay inside the
    runtime.
    """
    recipes = recipes or {}
    roots = _memory_roots(graph, recipes)
    last_use: dict[int, int] = {}
    for at, node in enumerate(graph.nodes):
        for value in (*node.inputs, *node.outputs):
            for root in roots.get(value, ()) if value is not None else ():
                last_use[root] = at
    ending: dict[int, list[int]] = {}
    for value, last in last_use.items():
        ending.setdefault(last, []).append(value)
    kept = {root for value in graph.outputs for root in roots.get(value, ())}
    slots: dict[int, int] = {}
    sizes: list[int] = []
    free: list[int] = []
    scratch: dict[int, tuple[int, ...]] = {}
    taken = taken_values(graph)
    turned = _channels_last(graph, recipes)
    for at, node in enumerate(graph.nodes):
        for value in node.outputs:
            if at in recipes and value not in taken:
                continue
            if roots[value] == frozenset({value}) and value not in kept and _plannable(graph, at, recipes):
                over = _overwritable(graph, at, recipes)
                place = next(
                    (v for v in over if v in slots and last_use[v] == at and (v in turned) == (value in turned)), None
                )
                if place is None:
                    slots[value] = _take(free, sizes, bytes_of(graph.types[value]))
                else:
                    slots[value] = slots[place]
                    ending[at].remove(place)
        if at in recipes:
            scratch[at] = tuple(_take(free, sizes, bytes_of(t)) for t in recipes[at].scratch)
            free += scratch[at]
        free += [slots[v] for v in ending.get(at, ()) if v in slots]
    lasting: dict[int, tuple[int, ...]] = {}
    for at, recipe in recipes.items():
        lasting[at] = tuple(range(len(sizes), len(sizes) + len(recipe.kept)))
        sizes += map(bytes_of, recipe.kept)
    return MemoryPlan(graph, slots, tuple(sizes), last_use, scratch, lasting, turned, bytes_inside(graph, results))


def bytes_inside(graph: Graph, results: int | None) -> int:
    """Return the bytes of the outputs beyond the first `results`, which belong to the user; 0 for None."""
    return 0 if results is None else sum(bytes_of(graph.types[v]) for v in dict.fromkeys(graph.outputs[results:]))


def taken_values(graph: Graph) -> set[int | None]:
    """Return the values that nodes take, or that are outputs."""
    return {value for node in graph.nodes for value in node.inputs} | set(graph.outputs)


def bytes_of(t: TensorType) -> int:
    """Return the bytes that a value of known type takes."""
    assert t.shape is not None
    count = product(t.shape)
    assert isinstance(count, int)
    return count * itemsize(t.dtype or "float32")


def _plannable(graph: Graph, at: int, recipes: Mapping[int, BufferRecipe]) -> bool:
    node = graph.nodes[at]
    return at in recipes or ("out" in node.op.reserved and len(node.outputs) == 1)


def _overwritable(graph: Graph, at: int, recipes: Mapping[int, BufferRecipe]) -> list[int]:
    """Return the inputs of a node that its output may overwrite: those of its type, element by element."""
    node = graph.nodes[at]
    held = graph.types[node.outputs[0]]
    able = recipes[at].in_place if at in recipes else node.op.pointwise
    given = node.inputs[:1] if at in recipes else node.inputs
    return [v for v in given if v is not None and graph.types[v] == held] if able else []


def _channels_last(graph: Graph, recipes: Mapping[int, BufferRecipe]) -> frozenset[int]:
    """Return the values that lie in memory with their second axis last, by recipes or as functions of such values."""
    found: set[int] = set()
    results = set(graph.outputs)
    for at, node in enumerate(graph.nodes):
        first, recipe = node.outputs[0], recipes.get(at)
        held = graph.types[first]
        if first in results or len(held.shape or ()) < 3:
            continue
        if recipe is not None:
            lies = recipe.channels_last or (recipe.follows and node.inputs[0] in found)
        else:
            alike = [v for v in node.inputs if v is not None and graph.types[v].shape == held.shape]
            lies = node.op.pointwise and bool(alike) and found.issuperset(alike)
        if lies:
            found.add(first)
    return frozenset(found)


def _memory_roots(graph: Graph, recipes: Mapping[int, BufferRecipe]) -> dict[int, frozenset[int]]:
    """Map each value to those whose memory it may share: a kernel without ``out`` may return a view of inputs."""
    roots: dict[int, frozenset[int]] = {v: frozenset({v}) for v in (*graph.inputs, *graph.constants)}
    for at, node in enumerate(graph.nodes):
        shared: frozenset[int] = frozenset()
        if "out" not in node.op.reserved and at not in recipes:
            shared = frozenset(r for v in node.inputs if v is not None for r in roots[v])
        for value in node.outputs:
            roots[value] = shared | {value} if shared else frozenset({value})
    return roots


def _take(free: list[int], sizes: list[int], wanted: int) -> int:
    """Return the number of the smallest free buffer of at least `wanted` bytes.

    If none is large enough, the largest free one, enlarged; if none is free, a new one.
    """
    fitting = [slot for slot in free if sizes[slot] >= wanted]
    if fitting:
        slot = min(fitting, key=sizes.__getitem__)
    elif free:
        slot = max(free, key=sizes.__getitem__)
        sizes[slot] = wanted
    else:
        sizes.append(wanted)
        return len(sizes) - 1
    free.remove(slot)
    return slot
