"""Values that backward recomputes from kept values, to write and read less memory than keeping them would."""

from __future__ import annotations

from collections.abc import Callable, Collection

from hybridlint.runtime.compiled.graph import Graph, GraphNode


def computed_again(
    graph: Graph, used: Collection[int], kept: Collection[int], cheap: Callable[[Graph, GraphNode], bool]
) -> list[GraphNode]:
    """Return the nodes of a graph that backward computes again, of whose values it has `used` some.

    They are `cheap`, and follow from the graph's inputs and from what is kept for other reasons, as what is in `kept`.
    """
    there = {*graph.inputs, *graph.constants, *kept}
    makers: dict[int, GraphNode] = {}
    for node in graph.nodes:
        taken = [v for v in node.inputs if v is not None]
        follows = len(node.outputs) == 1 and all(v in there or v in makers for v in taken)
        if follows and node.outputs[0] not in kept and cheap(graph, node):
            makers[node.outputs[0]] = node
        else:
            there.update(v for v in node.outputs if v in used)
    found: set[int] = set()
    waiting = [v for v in used if v in makers]
    while waiting:
        value = waiting.pop()
        if value not in found:
            found.add(value)
            waiting += [v for v in makers[value].inputs if v in makers]
    return [node for node in graph.nodes if node.outputs[0] in found]
