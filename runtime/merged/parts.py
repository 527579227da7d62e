"""The parts of a merged layer, read from its subgraph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.symbol.node import SymbolEntry, SymbolNode, topological

if TYPE_CHECKING:
    from hybridlint.runtime.symbol.symbol import Symbol

_ADDITIONS = {"elemwise_add", "broadcast_add", "_npi_add"}


@dataclass(frozen=True, slots=True)
class Parts:
    """A layer, with a normalization, an addition and a rectifier after it, each of which may be absent.

    `places` are positions of variables in the subgraph's inputs: those of the layer, of gamma, beta, mean and variance,
    and of the array that is added.
    """

    layer: SymbolNode
    layer_places: tuple[int, ...]
    normalization: Mapping[str, Any] | None
    normalization_places: tuple[int, ...]
    added_place: int | None
    rectified: bool

    @property
    def integers(self) -> tuple[int, ...]:
        """Positions of the inputs that are integers in a quantized layer: the data, and what is added."""
        return (self.layer_places[0], *(() if self.added_place is None else (self.added_place,)))


def read_parts(graph: Symbol, layer: str) -> Parts:
    """Return the parts of a merged layer. Raises MXNetError for a graph of other parts, or in another order."""
    names = graph.list_inputs()
    operators = [node for node in topological(graph._entries) if node.op is not None]

    def places(entries: list[SymbolEntry | None]) -> tuple[int, ...]:
        return tuple(names.index(e[0].name) for e in entries if e is not None and e[0].op is None)

    if not operators or operators[0].op is None or operators[0].op.name != layer:
        raise MXNetError(f"a merged {layer} starts with another operator")
    first = operators[0]
    normalization: SymbolNode | None = None
    added: int | None = None
    rectified = False
    for node in operators[1:]:
        assert node.op is not None
        if node.op.name == "BatchNorm" and normalization is None and added is None and not rectified:
            normalization = node
        elif node.op.name in _ADDITIONS and added is None and not rectified:
            (added,) = places(list(node.inputs))
        elif node.op.name == "Activation" and node.params["act_type"] == "relu" and not rectified:
            rectified = True
        else:
            raise MXNetError(f"a merged {layer} with {node.op.name} there is not supported by the bundled runtime")
    return Parts(
        first,
        places(list(first.inputs)),
        None if normalization is None else normalization.params,
        () if normalization is None else places(list(normalization.inputs)),
        added,
        rectified,
    )
