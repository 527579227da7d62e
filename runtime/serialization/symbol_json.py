"""Symbol JSON exactly as MXNet 1.9.1 writes it. Older layouts ("attr", "param") can be read too."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hybridlint.runtime.attribute import HIDDEN, kept
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.control_flow import nodes as loops
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts import registry
from hybridlint.runtime.symbol.node import SymbolEntry, SymbolNode, auxiliary_nodes, topological
from hybridlint.runtime.symbol.symbol import Symbol
from hybridlint.runtime.util import is_np_shape

VERSION = 10901
#: Most outputs of a node that is read.
_MOST_OUTPUTS = 1_000_000


def dumps(symbol: Symbol) -> str:
    """Return the graph of the symbol's outputs as JSON."""
    return "{\n  " + ", \n  ".join([*_graph(symbol), f'"attrs": {_about()}']) + "\n}"


def _about() -> str:
    """Return a file's metadata: MXNet's version, and whether shapes follow numpy."""
    version = f'"mxnet_version": ["int", {VERSION}]'
    return f'{{\n    "is_np_shape": ["int", 1], \n    {version}\n  }}' if is_np_shape() else f"{{{version}}}"


def _graph(symbol: Symbol) -> list[str]:
    """Return the fields of a graph."""
    nodes = topological(symbol._entries)
    ids = {id(node): k for k, node in enumerate(nodes)}
    aux = auxiliary_nodes(nodes)
    rows = [0]
    for node in nodes:
        rows.append(rows[-1] + _outputs_written(node))
    written = ", \n    ".join(_node(node, ids, aux) for node in nodes)
    heads = _wrapped([[ids[id(n)], k, 0] for n, k in symbol._entries])
    arguments = _wrapped([k for k, node in enumerate(nodes) if node.op is None])
    return [
        f'"nodes": [\n    {written}\n  ]',
        f'"arg_nodes": {arguments}',
        f'"node_row_ptr": {_wrapped(rows)}',
        f'"heads": {heads}',
    ]


def _wrapped(items: Sequence[Any], indent: str = "  ") -> str:
    """Format a list on one line if it has up to ten items, else one item per line."""
    if len(items) <= 10:
        return json.dumps(items)
    return f"[\n{indent}  " + f", \n{indent}  ".join(map(json.dumps, items)) + f"\n{indent}]"


def _outputs_written(node: SymbolNode) -> int:
    """Return the number of outputs written to the file. MXNet's max pooling has a hidden one, its workspace."""
    if node.subgraphs:
        return node.visible
    if node.op is None or node.op.name != "Pooling":
        return node.outputs
    layout = node.params["layout"]
    return 2 if node.params["pool_type"] == "max" and (layout is None or layout[-1] != "C") else 1


def _node(node: SymbolNode, ids: Mapping[int, int], aux: set[int]) -> str:
    attributes = {**node.given, **node.attributes}
    fields = [f'"op": {json.dumps("null" if node.op is None else node.op.name)}', f'"name": {json.dumps(node.name)}']
    if attributes:
        fields.append(f'"attrs": {_attributes(attributes)}')
    entries = [e for e in node.inputs if e is not None]
    inputs = [[ids[id(n)], k, max(n.changes, int(id(n) in aux))] for n, k in entries]
    fields.append(f'"inputs": {_wrapped(inputs, "      ")}')
    if node.subgraphs:
        fields.append(f'"subgraphs": [\n        {_subgraphs(node)}\n      ]')
    return "{\n      " + ", \n      ".join(fields) + "\n    }"


def _subgraphs(node: SymbolNode) -> str:
    """Format the subgraphs of a loop or branch."""
    graphs = ["{\n  " + ", \n  ".join(_graph(graph)) + "\n}" for graph in node.subgraphs]
    return ", \n".join(graphs).replace("\n", "\n        ")


def _attributes(attributes: Mapping[str, str]) -> str:
    pairs = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in sorted(attributes.items())]
    if len(pairs) == 1:
        return "{" + pairs[0] + "}"
    return "{\n        " + ", \n        ".join(pairs) + "\n      }"


def loads(text: str) -> Symbol:
    """Parse JSON and return its heads as a symbol. Raises MXNetError for malformed text or a missing operator."""
    try:
        return _read_graph(json.loads(text))
    except MXNetError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
        raise MXNetError(f"malformed symbol JSON: {type(error).__name__}: {error}") from error
    except (SyntaxError, MemoryError, AssertionError) as error:
        raise MXNetError(f"malformed symbol JSON: {type(error).__name__}") from error


def _read_graph(data: Mapping[str, Any]) -> Symbol:
    _require_keys("graph", data, _OF_GRAPHS, {"nodes", "arg_nodes", "heads"})
    nodes: list[SymbolNode] = []
    old = "mxnet_version" not in data.get("attrs", {})
    for entry in data["nodes"]:
        nodes.append(_read_node(entry, nodes, old=old))
        if nodes[-1].outputs > _MOST_OUTPUTS:
            raise MXNetError(f"malformed symbol JSON: node {nodes[-1].name} has {nodes[-1].outputs} outputs")
    heads = [_entry(head, nodes) for head in data["heads"]]
    if not heads:
        raise MXNetError("malformed symbol JSON: it has no heads")
    return Symbol(heads)


#: What a graph and a node hold in a file.
_OF_GRAPHS = frozenset({"nodes", "arg_nodes", "node_row_ptr", "heads", "attrs"})
_OF_NODES = frozenset(
    {"op", "name", "attrs", "attr", "param", "inputs", "control_deps", "subgraphs", "backward_source_id"}
)


def _require_keys(kind: str, found: Mapping[str, Any], known: frozenset[str], needed: set[str]) -> None:
    """Raise MXNetError for a key of a graph or node that MXNet does not know, and for a missing key."""
    strange = sorted(found.keys() - known) or sorted(needed - found.keys())
    if strange:
        what = "is not known" if strange[0] in found else "is missing"
        raise MXNetError(f"malformed symbol JSON: {strange[0]!r} of a {kind} {what}")


def _entry(reference: Sequence[Any], nodes: Sequence[SymbolNode]) -> SymbolEntry:
    """Return the output of an earlier node that a file refers to. Raises MXNetError if there is none."""
    place, output, *_ = reference
    if not all(type(number) is int for number in reference[:3]):
        raise MXNetError(f"malformed symbol JSON: {reference} names no output of a node")
    if not 0 <= place < len(nodes):
        raise MXNetError(f"malformed symbol JSON: node {place} does not come before the node that uses it")
    if not 0 <= output < nodes[place].outputs:
        raise MXNetError(f"malformed symbol JSON: node {nodes[place].name} has no output {output}")
    return nodes[place], output


def _custom_operator(attributes: Mapping[str, Any]) -> registry.Operator:
    """Return the custom operator of a node. Raises MXNetError if it is not registered."""
    from hybridlint.runtime.operator.custom import find

    return find({k: v for k, v in attributes.items() if not (k.startswith("__") and k.endswith("__"))})


def _read_node(entry: Mapping[str, Any], nodes: Sequence[SymbolNode], *, old: bool) -> SymbolNode:
    """Read a node whose inputs have already been read.

    A file of a version before 0.9 is `old`: it spells attributes without underscores, those of a parameter at the layer
    (``weight_lr_mult``), and lists no auxiliary states.
    """
    _require_keys("node", entry, _OF_NODES, {"op", "name", "inputs"})
    sources: list[SymbolEntry] = [_entry(reference, nodes) for reference in entry["inputs"]]
    for (node, _), (_, _, *version) in zip(sources, entry["inputs"], strict=True):
        node.changes = max(node.changes, *version, 0)
    attributes = {**entry.get("param", {}), **entry.get("attr", {}), **entry.get("attrs", {})}
    if old:
        attributes = _of_parameters(kept(attributes), entry["name"], sources)
    name, op_name = entry["name"], entry["op"]
    if not all(isinstance(text, str) for text in (name, op_name, *attributes, *attributes.values())):
        raise MXNetError(f"malformed symbol JSON: name, operator and attributes of node {name!r} are no texts")
    if op_name == "null":
        return SymbolNode(None, name, attributes=attributes)
    if op_name in loops.KINDS:
        own = {k: v for k, v in attributes.items() if k in loops.ATTRIBUTES}
        others = {k: v for k, v in attributes.items() if k not in own}
        return loops.make_node(op_name, name, own, [_read_graph(g) for g in entry["subgraphs"]], sources, others)
    op = _custom_operator(attributes) if op_name == "Custom" else registry.find(op_name)
    if op is None:
        raise MXNetError(f"the bundled runtime has no operator {op_name} yet (node {name})")
    given = {k: v for k, v in attributes.items() if k in op.params or k == "num_args"}
    # Files of old versions have attributes of others at the operators; in later ones MXNet knows no other parameters.
    params = normalize(
        op, {k: v for k, v in (given if old else attributes).items() if k != "num_args" or k in op.params}
    )
    inputs: Sequence[SymbolEntry | None] = sources
    if not op.variadic:
        inputs = _aligned(op, [*sources, *(_states(op, name, len(sources), params) if old else ())], params)
    return SymbolNode(op, name, given, params, inputs, {k: v for k, v in attributes.items() if k not in given})


def _of_parameters(attributes: dict[str, Any], name: str, sources: Sequence[SymbolEntry]) -> dict[str, Any]:
    """Move the attributes of parameters, spelled ``weight_lr_mult`` at their layer, to the variables."""
    variables = {node.name.removeprefix(f"{name}_"): node for node, _ in sources if node.op is None}
    left = {}
    for key, value in attributes.items():
        hidden = next((h for h in HIDDEN if key.endswith(f"_{h}")), None)
        owner = None if hidden is None else variables.get(key.removesuffix(f"_{hidden}"))
        if owner is None:
            left[key] = value
        else:
            owner.attributes[f"__{hidden}__"] = value
    return left


def _states(op: registry.Operator, name: str, given: int, params: Mapping[str, Any]) -> list[SymbolEntry]:
    """Return variables for the inputs that a node lists no more: an operator's auxiliary states."""
    missing = op.active_inputs(params)[given:]
    return [(SymbolNode(None, f"{name}_{one}"), 0) for one in missing if one in op.aux]


def _aligned(
    op: registry.Operator, sources: Sequence[SymbolEntry], params: Mapping[str, Any]
) -> list[SymbolEntry | None]:
    """Arrange inputs by the operator's positions, because a file lists only those that the call uses."""
    active = op.active_inputs(params)
    if len(sources) >= len(op.inputs):
        return list(sources)
    names = [n for n in op.inputs if n in active]
    names += [n for n in op.inputs if n not in active][: len(sources) - len(names)]
    places = dict(zip(sorted(names, key=op.inputs.index), sources, strict=False))
    aligned = [places.get(n) for n in op.inputs]
    while aligned and aligned[-1] is None:
        aligned.pop()
    return aligned
