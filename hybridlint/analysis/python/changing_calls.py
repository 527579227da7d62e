"""Functions that mutate an argument: ``heapq.heappop(self.heap)``, ``list.append(self.log, 1)``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import evaluate
from hybridlint.analysis.flow.persistent_state import emit_change, outlives
from hybridlint.analysis.model.arguments import moves_on
from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.lattice import element
from hybridlint.analysis.model.tables import CHANGING, words
from hybridlint.analysis.model.values import ContainerValue, Value
from hybridlint.analysis.syntax.named_attributes import store_named
from hybridlint.analysis.syntax.subscripts import rebind

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: Library functions that mutate their first argument.
_OF_LIBRARIES = words(
    """
    heapq.heappop heapq.heappush heapq.heapify heapq.heapreplace heapq.heappushpop bisect.insort bisect.insort_left
    bisect.insort_right numpy.fill_diagonal numpy.put numpy.place numpy.copyto
    """
)
_CLASSES = words(
    """
    builtins.list builtins.dict builtins.set collections.deque collections.OrderedDict collections.Counter
    collections.defaultdict
    """
)


def changing_call(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value | None:
    """Evaluate a call of a function that mutates an argument, emitting an event.

    None if the function mutates nothing, or if its result is modelled elsewhere.
    """
    if name == "builtins.object.__setattr__" and len(args.values) == 3:
        return store_named(act, node, args.values[0], args.values[2])
    kind, _, method = name.rpartition(".")
    if kind in _CLASSES and method in CHANGING and args.nodes:
        return _as_method(act, node, method)
    out = args.keyword_nodes.get("out") if name.startswith("numpy.") else None
    if out is not None and moves_on(out, args) and outlives(act, out, args.keywords.get("out")):
        emit_change(act, node, out)
        return None
    if name not in _OF_LIBRARIES or not args.nodes or isinstance(args.nodes[0], ast.Starred):
        return None
    holder, value = args.nodes[0], args.values[0]
    if outlives(act, holder, value):
        emit_change(act, node, holder)
    if isinstance(value, ContainerValue):
        rebind(act, holder, ContainerValue(value.kind, None, element(value)))
    return None


def _as_method(act: Activation, node: ast.Call, method: str) -> Value:
    """Evaluate ``list.append(values, 1)`` as ``values.append(1)``."""
    function = ast.copy_location(ast.Attribute(node.args[0], method, ast.Load()), node)
    call = ast.copy_location(ast.Call(function, node.args[1:], node.keywords), node)
    with act.run.reporting.rewriting():
        return evaluate(act, call)
