"""The scope of train mode around the whole call of a block: ``forward`` enters it, and calls the graph there."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext, ScopeEvent
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.blocks.retracing import reached_classes, with_reserve
from hybridlint.fixers.evidence.tensors import ignores_mode
from hybridlint.fixers.toolkit.names import class_around
from hybridlint.fixers.toolkit.signature_edits import method_added
from hybridlint.fixers.toolkit.statements import join_fixes, taken_out
from hybridlint.fixers.toolkit.templates import statements
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import each, own

_FORWARD = """
def forward(self, *args):
    with {scope}:
        return super().forward(*args)
"""
_MESSAGE = "Enter train mode around the graph"
#: Functions of Python, and methods of lists, that enter no block.
_PLAIN = frozenset({"append", "enumerate", "extend", "float", "int", "len", "list", "range", "tuple", "zip"})


def scope_around_forward(event: ScopeEvent) -> Fix | None:
    """Move ``with autograd.train_mode()`` from the traced method into ``forward``, around the call of the graph.

    None if anything outside of the scope may ask for the mode, or if the block may be part of another graph, whose
    mode is that of its own caller.
    """
    frame, node, owner = event.frame, event.node, class_around(event.frame)
    function = frame.function
    if event.name != "train_mode" or owner is None or not isinstance(node, ast.With) or len(node.items) != 1:
        return None
    if not isinstance(function, ast.FunctionDef) or function.name != ENTRY or node not in function.body:
        return None
    inside = set(own(node))
    outside = (call for call in each(function, ast.Call) if call not in inside)
    reached = reached_classes(frame, node)
    if reached is None or len(reached) != 1 or not all(_ignores_mode(frame, call) for call in outside):
        return None
    (method,) = statements(_FORWARD, scope=frame.concrete(node.items[0].context_expr))
    assert isinstance(method, cst.FunctionDef)
    fixes = [
        taken_out(frame, node, Applicability.SAFE, message=_MESSAGE),
        method_added(frame, reached[0].node, method),
    ]
    return with_reserve(frame, [owner.name], join_fixes(_MESSAGE, fixes))


def _ignores_mode(frame: CodeContext, call: ast.Call) -> bool:
    """Whether a call does the same in train mode and in predict mode, calls of Python's own functions included."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(value=ast.Name(), attr=name) if name in _PLAIN:
            return True
    return ignores_mode(frame, call)
