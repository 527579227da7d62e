"""The compiled engine's graph: immutable, typed, in topological order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.types import TensorType


class GraphError(AssertionError):
    """A pass produced an inconsistent graph: a defect of the runtime, never of the user's code."""


@dataclass(frozen=True, slots=True)
class GraphNode:
    """One operator call. Values are identified by numbers; an absent optional input is None."""

    op: Operator
    params: Mapping[str, Any]
    inputs: tuple[int | None, ...]
    outputs: tuple[int, ...]
    name: str
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes over numbered values of known types. `constants` are the values known before the graph runs."""

    inputs: tuple[int, ...]
    nodes: tuple[GraphNode, ...]
    outputs: tuple[int, ...]
    types: Mapping[int, TensorType]
    constants: Mapping[int, Any] = field(default_factory=dict)

    def check(self) -> None:
        """Raise GraphError if a value is used before it is defined, defined twice, or of incomplete type."""
        made = {*self.inputs, *self.constants}
        if len(made) != len(self.inputs) + len(self.constants):
            raise GraphError("an input is given twice, or is a constant")
        for node in self.nodes:
            missing = [v for v in node.inputs if v is not None and v not in made]
            if missing:
                raise GraphError(f"{node.name} uses {missing} before they are made")
            if made & set(node.outputs):
                raise GraphError(f"{node.name} makes a value that exists")
            made |= set(node.outputs)
        if not made.issuperset(self.outputs):
            raise GraphError("an output is never made")
        for value in made:
            if value not in self.types or not self.types[value].known:
                raise GraphError(f"value {value} has no complete type")

    def __str__(self) -> str:
        def show(value: int | None) -> str:
            if value is None:
                return "none"
            return f"%{value}"

        lines = [f"inputs {', '.join(f'%{v}: {_show(self.types[v])}' for v in self.inputs)}"]
        lines += [f"constant %{v}: {_show(self.types[v])}" for v in self.constants]
        for node in self.nodes:
            outs = ", ".join(f"%{v}: {_show(self.types[v])}" for v in node.outputs)
            lines.append(f"{outs} = {node.op.name}({', '.join(map(show, node.inputs))})")
        return "\n".join([*lines, f"return {', '.join(map(show, self.outputs))}"])


def _show(t: TensorType) -> str:
    return f"{t.dtype}{t}"
