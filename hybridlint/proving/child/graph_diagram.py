"""The nodes of a compiled graph as they are drawn: operators, inputs, shapes, and the node at which it fails."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

#: Larger graphs are not drawn, so their nodes are not returned.
MOST_NODES = 150
#: How MXNet names the node of a graph whose inputs do not fit.
_FAILING = re.compile(r"Error in operator (\S+?)(?::| at )")
#: The ends of the names of a node's first output.
_ENDS = ("_output", "_output0", "")


def graph_nodes(text: str | None, shapes: Mapping[str, Sequence[int]] | None = None) -> list[dict[str, Any]]:
    """Return the nodes of a graph given as JSON text; empty if it is too large for a picture.

    `shapes` are the shapes of the nodes' first outputs, by the names of the nodes.
    """
    nodes = [] if text is None else json.loads(text)["nodes"]
    if len(nodes) > MOST_NODES:
        return []
    return [
        {
            "name": node["name"],
            "operator": "" if node["op"] == "null" else node["op"],
            "inputs": [entry[0] for entry in node["inputs"]],
            "row": None,
            "state": "agrees",
            "shape": (shapes or {}).get(node["name"]),
        }
        for node in nodes
    ]


def node_shapes(symbol: Any, given: Mapping[str, Sequence[int]]) -> dict[str, list[int]]:
    """Return the inferable shapes of the first outputs of a symbol's nodes, given shapes of some inputs.

    `given` may name inputs that the symbol does not have.
    """
    internals = symbol.get_internals()
    names = internals.list_outputs()
    if len(names) > 2 * MOST_NODES:
        return {}
    try:
        found = dict(zip(names, _outputs(internals, given)))  # noqa: B905 - the child also runs under Python 3.8
    except Exception:
        # What does not fit hides what does: each is asked by itself.
        found = {name: _alone(internals[name], given) for name in names}
    nodes = {node["name"] for node in json.loads(symbol.tojson())["nodes"]}
    shapes = {name: next((found[name + end] for end in _ENDS if name + end in found), None) for name in nodes}
    return {name: list(shape) for name, shape in shapes.items() if shape is not None and all(n > 0 for n in shape)}


def failing_node(symbol: Any, given: Mapping[str, Sequence[int]]) -> str | None:
    """Return the name of the node whose inputs do not fit together, None if all do."""
    try:
        symbol.infer_shape(**_known(symbol, given))
    except Exception as error:
        named = _FAILING.search(str(error))
        return named[1] if named else None
    return None


def _outputs(symbol: Any, given: Mapping[str, Sequence[int]]) -> Sequence[Any]:
    return symbol.infer_shape_partial(**_known(symbol, given))[1] or ()


def _alone(symbol: Any, given: Mapping[str, Sequence[int]]) -> Any:
    try:
        (shape,) = _outputs(symbol, given)
    except Exception:
        return None
    return shape


def _known(symbol: Any, given: Mapping[str, Sequence[int]]) -> dict[str, tuple[int, ...]]:
    inputs = {*symbol.list_arguments(), *symbol.list_auxiliary_states()}
    return {name: tuple(shape) for name, shape in given.items() if name in inputs}
