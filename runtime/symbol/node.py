"""Nodes of a symbolic graph, as in ``tojson``: an operator with attributes, or a variable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.storage import STYPES

if TYPE_CHECKING:
    from hybridlint.runtime.symbol.symbol import Symbol


@dataclass(eq=False, slots=True)
class SymbolNode:
    """An operator call, or a variable if `op` is None.

    `given` holds the parameters as passed (and written to symbol JSON), `params` all parameters normalized,
    `attributes` the attached ones (``__shape__``, ``__lr_mult__`` and users' own). An absent optional input is None.
    `source` is the user's line that created the node. `changes` counts the calls that use a variable as auxiliary
    state. `subgraphs` are the graphs that a loop or branch runs.
    """

    op: Operator | None
    name: str
    given: Mapping[str, str] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    inputs: Sequence[SymbolEntry | None] = ()
    attributes: dict[str, str] = field(default_factory=dict)
    source: str | None = None
    changes: int = 0
    subgraphs: Sequence[Symbol] = ()

    @property
    def visible(self) -> int:
        """Number of outputs that a user sees."""
        return 1 if self.op is None else self.op.visible(self.params)

    @property
    def outputs(self) -> int:
        """Number of outputs, hidden ones included."""
        return 1 if self.op is None else self.op.outputs(self.params)

    def output_name(self, index: int) -> str:
        """Return the name of an output as ``list_outputs`` gives it."""
        if self.op is None:
            return self.name
        if self.op.facts.output_names:
            return f"{self.name}_{self.op.facts.output_names[index]}"
        return f"{self.name}_output" if self.visible == 1 else f"{self.name}_output{index}"


SymbolEntry: TypeAlias = tuple[SymbolNode, int]


def topological(entries: Sequence[SymbolEntry]) -> list[SymbolNode]:
    """Return the nodes that the entries depend on, inputs first, in depth-first order. Iterative."""
    order: list[SymbolNode] = []
    seen: set[int] = set()
    for root, _ in entries:
        stack = [(root, iter(root.inputs))] if id(root) not in seen else []
        seen.add(id(root))
        while stack:
            node, left = stack[-1]
            for entry in left:
                if entry is None or id(entry[0]) in seen:
                    continue
                below = entry[0]
                seen.add(id(below))
                if below.inputs:
                    stack.append((below, iter(below.inputs)))
                    break
                order.append(below)
            else:
                order.append(node)
                stack.pop()
    return order


def auxiliary_nodes(nodes: Sequence[SymbolNode]) -> set[int]:
    """Return the ids of variables that are auxiliary states: an operator's aux inputs."""
    found: set[int] = set()
    for node in nodes:
        if node.op is None or not node.op.aux:
            continue
        for name, entry in zip(node.op.inputs, node.inputs, strict=False):
            if name in node.op.aux and entry is not None and entry[0].op is None:
                found.add(id(entry[0]))
    return found


def declared_stype(node: SymbolNode) -> str:
    """Return the storage type that a variable declares."""
    number = node.attributes.get("__storage_type__", "0")
    return STYPES[int(number)] if number in {"0", "1", "2"} else "default"
