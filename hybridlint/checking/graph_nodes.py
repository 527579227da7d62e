"""The lines of a class that make a node of its graph, told by the node's name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.text.screening import may_be_hybrid

if TYPE_CHECKING:
    from hybridlint.analysis.model.events import Event
    from hybridlint.text.source import SourceFile


def rows_of_node(source: SourceFile, class_name: str, node: str) -> tuple[int, ...]:
    """Return the rows of a class whose operators or calls of children create a node or a layer's parameter.

    `node` is the name without the prefix of the class: ``_plus1`` is the second sum of a call, ``dense0_weight`` is of
    its first Dense. Where loops or branches make the number useless, all rows of the operator are returned. Raises
    SourceError.
    """
    match = re.match(r"(?P<hint>.*?)(?P<number>\d+)(?:_|$)", node)
    if not may_be_hybrid(source.text):
        return ()
    from hybridlint.analysis.interpret import module_events

    events = [
        event
        for event in module_events(source)
        if event.frame.class_name == class_name and event.frame.source.path == source.path
    ]
    named = [event for event in events if node in _given_names(event)]
    if named or match is None:
        return tuple(dict.fromkeys(_rows(named)))
    made = [event for event in events if _plain(match["hint"]) in map(_plain, _hints(event))]
    by_place = {_end(event.node): event for event in made}
    ordered = [by_place[place] for place in sorted(by_place)]
    number = int(match["number"])
    counted = number < len(ordered) and not any(event.frame.unrolled for event in made)
    return tuple(dict.fromkeys(_rows([ordered[number]] if counted else ordered)))


def _hints(event: Event) -> Iterator[str]:
    """Yield the words by which MXNet may call the node of an event, or Gluon the layer that it calls."""
    from hybridlint.analysis.model.events import Binary, BlockCall, MethodCall, OpCall
    from hybridlint.analysis.model.values import StaticValue
    from hybridlint.runtime.facts.registry import spellings

    if isinstance(event, BlockCall):
        yield from (block.layer for block in event.block.known)
    elif isinstance(event, Binary) and (isinstance(event.left, StaticValue) or isinstance(event.right, StaticValue)):
        return
    elif isinstance(event, Binary | MethodCall | OpCall) and event.operator is not None:
        yield event.operator.name
        yield from (name for name, operator in spellings().items() if operator is event.operator)
    if isinstance(event, MethodCall | OpCall):
        yield event.name


def _given_names(event: Event) -> Iterator[str]:
    """Yield the name that a call gives to its node: ``F.relu(x, name="gate")``."""
    from hybridlint.analysis.model.events import OpCall

    if isinstance(event, OpCall):
        match event.arguments.keyword_nodes.get("name"):
            case ast.Constant(value=str(name)):
                yield name


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _end(node: ast.AST) -> tuple[int, int]:
    """Return where a node ends: Python evaluates what ends first."""
    return getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)


def _rows(events: list[Event]) -> Iterator[int]:
    return (event.node.lineno for event in events if isinstance(event.node, ast.expr | ast.stmt))
