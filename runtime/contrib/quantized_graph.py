"""Graphs whose layers compute on integers of 8 bits, with conversions at the ends of the integer parts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hybridlint.runtime.core.operator_params import normalize, show
from hybridlint.runtime.facts import registry
from hybridlint.runtime.symbol.node import SymbolEntry, SymbolNode, topological
from hybridlint.runtime.symbol.symbol import Symbol

#: A quantized value and the ends of its range.
Triple = tuple[SymbolEntry, SymbolEntry, SymbolEntry]

#: Layers with a weight -> their quantized form.
_LAYERS = {"Convolution": "_contrib_quantized_conv", "FullyConnected": "_contrib_quantized_fully_connected"}
#: Operators that pass integers on, which is worth it where they come from a layer -> their quantized form.
_PASSING = {
    "Activation": "_contrib_quantized_act",
    "Concat": "_contrib_quantized_concat",
    "Flatten": "_contrib_quantized_flatten",
    "Pooling": "_contrib_quantized_pooling",
}


@dataclass(frozen=True, slots=True)
class Quantizing:
    """What to quantize and how. `ranges` are those of values whose range is known, by the name of the value."""

    dtype: str
    params: Collection[str]
    excluded_names: Collection[str] = ()
    excluded_operators: Collection[str] = ()
    #: Whether all operators that have a quantized form get it, not only those that integers come to.
    everything: bool = False
    ranges: Mapping[str, tuple[float, float]] | None = None


class _Pass:
    """The conversion of one graph."""

    def __init__(self, options: Quantizing) -> None:
        self._options = options
        self._floats: dict[tuple[int, int], SymbolEntry] = {}
        self._integers: dict[tuple[int, int], Triple] = {}

    def outputs(self, entries: Sequence[SymbolEntry]) -> list[SymbolEntry]:
        """Return the outputs of the graph as numbers."""
        for node in topological(entries):
            self._visit(node)
        return [self._number(entry) for entry in entries]

    def _visit(self, node: SymbolNode) -> None:
        if node.op is None:
            self._floats[id(node), 0] = (node, 0)
        elif self._refused(node):
            inputs = [None if e is None else self._number(e) for e in node.inputs]
            new = SymbolNode(
                node.op, node.name, node.given, node.params, inputs, dict(node.attributes), subgraphs=node.subgraphs
            )
            self._floats.update({(id(node), k): (new, k) for k in range(new.outputs)})
        elif node.op.name in _LAYERS:
            self._layer(node)
        else:
            self._passing(node)

    def _refused(self, node: SymbolNode) -> bool:
        assert node.op is not None
        options, name = self._options, node.op.name
        if node.name in options.excluded_names or name in options.excluded_operators:
            return True
        if name in _LAYERS:
            return node.params.get("layout") not in {None, "NCHW"} or len(node.params.get("kernel", (1, 1))) != 2
        if name not in _PASSING:
            return True
        if name == "Activation" and node.params["act_type"] != "relu":
            return True
        if name == "Pooling" and node.params["pool_type"] not in {"max", "avg"}:
            return True
        integers = [e is not None and (id(e[0]), e[1]) in self._integers for e in node.inputs]
        return not (options.everything or all(integers))

    def _layer(self, node: SymbolNode) -> None:
        """Replace a layer: its sums of 32 bits become integers of 8 again."""
        assert node.op is not None
        parts = [self._quantized(e) for e in node.inputs if e is not None]
        ends = [end for part in parts for end in part[1:]]
        op = registry.get(_LAYERS[node.op.name])
        inputs: list[SymbolEntry | None] = [part[0] for part in parts]
        if len(inputs) == 2:
            inputs.append(None)
        sums = _made(op.name, f"quantized_{node.name}", [*inputs, *ends], node)
        narrow = {"out_type": self._options.dtype}
        result = _made(
            "_contrib_requantize", f"requantize_{node.name}", [(sums, 0), (sums, 1), (sums, 2)], None, narrow
        )
        self._integers[id(node), 0] = ((result, 0), (result, 1), (result, 2))

    def _passing(self, node: SymbolNode) -> None:
        assert node.op is not None
        parts = [self._quantized(e) for e in node.inputs if e is not None]
        inputs = [part[0] for part in parts] + [end for part in parts for end in part[1:]]
        new = _made(_PASSING[node.op.name], f"quantized_{node.name}", inputs, node)
        self._integers[id(node), 0] = ((new, 0), (new, 1), (new, 2))

    def _quantized(self, entry: SymbolEntry) -> Triple:
        """Return a value as integers: existing ones, a parameter's quantized arrays, or a conversion."""
        node, index = entry
        known = self._integers.get((id(node), index))
        if known is not None:
            return known
        if node.op is None and node.name in self._options.params:
            names = [f"{node.name}_quantize{end}" for end in ("", "_min", "_max")]
            made = [SymbolNode(None, name) for name in names]
            found: Triple = ((made[0], 0), (made[1], 0), (made[2], 0))
        else:
            name = node.name if node.op is None else f"{node.name}_{index}"
            options: dict[str, Any] = {"out_type": self._options.dtype}
            limits = (self._options.ranges or {}).get(node.output_name(index))
            if limits is not None:
                options.update(min_calib_range=f"{limits[0]:.6g}", max_calib_range=f"{limits[1]:.6g}")
            new = _made("_contrib_quantize_v2", f"{name}_quantize", [self._number(entry)], None, options)
            found = ((new, 0), (new, 1), (new, 2))
        self._integers[id(node), index] = found
        return found

    def _number(self, entry: SymbolEntry) -> SymbolEntry:
        """Return a value as numbers."""
        node, index = entry
        known = self._floats.get((id(node), index))
        if known is None:
            new = _made("_contrib_dequantize", f"{node.name}_dequantize", list(self._integers[id(node), index]))
            known = self._floats[id(node), index] = (new, 0)
        return known


def _made(
    name: str,
    node_name: str,
    inputs: Sequence[SymbolEntry | None],
    model: SymbolNode | None = None,
    options: Mapping[str, Any] | None = None,
) -> SymbolNode:
    """Return a node, with those parameters of the node `model` that its operator has too."""
    op = registry.get(name)
    given = {} if model is None else {k: v for k, v in model.given.items() if k in op.params}
    given.update({k: show(v) for k, v in (options or {}).items()})
    params = normalize(op, given)
    if op.variadic:
        given = {"num_args": str(len(inputs) // op.facts.inputs_per_argument), **given}
    return SymbolNode(op, node_name, given, params, list(inputs))


def quantized(symbol: Symbol, options: Quantizing) -> Symbol:
    """Return a graph whose layers compute on integers."""
    return type(symbol)(_Pass(options).outputs(symbol._entries))
