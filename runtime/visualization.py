"""``mx.viz``: a graph as a table, or as a drawing by the package graphviz."""

from __future__ import annotations

import importlib
import json
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any

from hybridlint.runtime.core.literals import literal
from hybridlint.runtime.symbol.symbol import Symbol

__all__ = ["plot_network", "print_summary"]

_WEIGHTS = (
    "_weight",
    "_bias",
    "_beta",
    "_gamma",
    "_moving_var",
    "_moving_mean",
    "_running_var",
    "_running_mean",
)
_STATES = ("_moving_var", "_moving_mean", "_running_var", "_running_mean")
#: Operators -> colour.
_COLOURS = {
    "null": "#8dd3c7",
    "Convolution": "#fb8072",
    "Deconvolution": "#fb8072",
    "FullyConnected": "#fb8072",
    "Activation": "#ffffb3",
    "LeakyReLU": "#ffffb3",
    "BatchNorm": "#bebada",
    "Pooling": "#80b1d3",
    "Concat": "#fdb462",
    "Flatten": "#fdb462",
    "Reshape": "#fdb462",
    "Softmax": "#b3de69",
}
_OTHER = "#fccde5"

Shapes = Mapping[str, Sequence[int]]


def print_summary(
    symbol: Symbol,
    shape: Shapes | None = None,
    line_length: int = 120,
    positions: Sequence[float] = (0.44, 0.64, 0.74, 1.0),
) -> None:
    """Print the operators of a graph with shapes, numbers of parameters, and the operators before each.

    `shape` are the shapes of the inputs; `positions` are where columns end, in characters or shares of the line.
    Raises TypeError for anything but a Symbol, ValueError if the shapes do not suffice.
    """
    if not isinstance(symbol, Symbol):
        raise TypeError("symbol must be Symbol")
    known = {} if shape is None else _inferred(symbol, shape)
    ends = [int(line_length * end) if positions[-1] <= 1 else int(end) for end in positions]
    print("_" * line_length)
    print(_row(("Layer (type)", "Output Shape", "Param #", "Previous Layer"), ends))
    print("=" * line_length)
    total = 0
    nodes = json.loads(symbol.tojson())["nodes"]
    shown = [k for k, node in enumerate(nodes) if node["op"] != "null" or k == 0]
    for place in shown:
        node = nodes[place]
        count = _parameters(node, nodes, known)
        total += count
        before = [nodes[k]["name"] for k, *_ in node["inputs"] if k in shown] or [""]
        output = "x".join(map(str, known.get(_output(node), ())[1:]))
        print(_row((f"{node['name']}({node['op']})", output, count, before[0]), ends))
        for name in before[1:]:
            print(_row(("", "", "", name), ends))
        print(("=" if place == shown[-1] else "_") * line_length)
    print(f"Total params: {total}")
    print("_" * line_length)


def plot_network(
    symbol: Symbol,
    title: str = "plot",
    save_format: str = "pdf",
    shape: Shapes | None = None,
    dtype: Any = None,
    node_attrs: Mapping[str, str] | None = None,
    hide_weights: bool = True,
) -> Any:
    """Return a drawing, a `graphviz.Digraph`, of a graph.

    `shape` are the shapes of the inputs, for the labels of edges. Warns of names that several nodes have, which are one
    node of the drawing. Raises ImportError without the package graphviz,
    TypeError for anything but a Symbol, ValueError if the shapes do not suffice.
    """
    if not isinstance(symbol, Symbol):
        raise TypeError("symbol must be a Symbol")
    try:
        graphviz = importlib.import_module("graphviz")
    except ImportError:
        raise ImportError("plot_network draws with the package graphviz: install it") from None
    known = {} if shape is None else _inferred(symbol, shape)
    usual = {"shape": "box", "fixedsize": "true", "width": "1.3", "height": "0.8034", "style": "filled"}
    drawing = graphviz.Digraph(name=title, format=save_format)
    nodes = json.loads(symbol.tojson())["nodes"]
    repeated = [name for name, count in Counter(node["name"] for node in nodes).items() if count > 1]
    if repeated:
        warnings.warn(
            "There are multiple variables with the same name in your graph, this may result in cyclic graph. "
            f"Repeated names: {','.join(repeated)}",
            RuntimeWarning,
            stacklevel=2,
        )
    weights = {node["name"] for node in nodes if node["op"] == "null" and node["name"].endswith(_WEIGHTS)}
    for node in nodes:
        if node["name"] not in weights:
            form = {"shape": "oval"} if node["op"] == "null" else {}
            colour = {"fillcolor": _COLOURS.get(node["op"], _OTHER)}
            drawing.node(name=node["name"], label=_label(node), **{**usual, **form, **(node_attrs or {}), **colour})
    for tail, head, label in _edges(nodes, known):
        if not (hide_weights and head in weights):
            drawing.edge(tail_name=tail, head_name=head, label=label, dir="back", arrowtail="open")
    return drawing


def _inferred(symbol: Symbol, shape: Shapes) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all variables and outputs by name. Raises ValueError if some are unknown."""
    internals = symbol.get_internals()
    shapes = internals.infer_shape(**shape)[1]
    if shapes is None:
        raise ValueError("Input shape is incomplete")
    return dict(zip(internals.list_outputs(), shapes, strict=True))


def _output(node: Mapping[str, Any], index: int = 0) -> str:
    if node["op"] == "null":
        return str(node["name"])
    several = "num_outputs" in node.get("attrs", {})
    return f"{node['name']}_output{index if several else ''}"


def _parameters(node: Mapping[str, Any], nodes: Sequence[Mapping[str, Any]], known: Shapes) -> int:
    """Return how many trained numbers an operator has; where shapes are unknown, those that its attributes tell."""
    if known:
        inputs = (nodes[k] for k, *_ in node["inputs"])
        named = (i["name"] for i in inputs if i["op"] == "null")
        mine = (name for name in named if name.endswith(_WEIGHTS) and not name.endswith(_STATES))
        return sum(prod(known[name]) for name in mine)
    attributes = node.get("attrs", {})
    if node["op"] == "Embedding":
        return int(attributes["input_dim"]) * int(attributes["output_dim"])
    without = attributes.get("no_bias", "False") in {"True", "1"}
    return 0 if without else int(attributes.get("num_hidden", attributes.get("num_filter", 0)))


def _row(fields: Sequence[object], ends: Sequence[int]) -> str:
    line = ""
    for field, end in zip(fields, ends, strict=True):
        line = f"{line}{field}"[:end].ljust(end)
    return line


def _label(node: Mapping[str, Any]) -> str:
    op, attributes = node["op"], node.get("attrs", {})
    if op == "Convolution":
        return f"Convolution\n{_sizes(attributes, 'kernel')}/{_sizes(attributes, 'stride')}, {attributes['num_filter']}"
    if op == "FullyConnected":
        return f"FullyConnected\n{attributes['num_hidden']}"
    if op in {"Activation", "LeakyReLU"}:
        return f"{op}\n{attributes.get('act_type', '')}"
    if op == "Pooling":
        kind = attributes.get("pool_type", "max")
        return f"Pooling\n{kind}, {_sizes(attributes, 'kernel')}/{_sizes(attributes, 'stride')}"
    return str(node["name"])


def _sizes(attributes: Mapping[str, str], name: str) -> str:
    value = literal(attributes.get(name, "1"))
    return "x".join(map(str, value if isinstance(value, (list, tuple)) else (value,)))


def _edges(nodes: Sequence[Mapping[str, Any]], known: Shapes) -> Iterator[tuple[str, str, str]]:
    """Yield each operator with each of its inputs, and the input's shape without the batch axis."""
    for node in nodes:
        for place, index, *_ in node["inputs"]:
            before = nodes[place]
            yield node["name"], before["name"], "x".join(map(str, known.get(_output(before, index), ())[1:]))
