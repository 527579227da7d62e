"""Fixers of blocks whose graph goes by the mode of autograd: each change of mode gets a graph of its own."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from hybridlint.analysis.model.events import BlockCall, Frame, TraceConstant
from hybridlint.analysis.mxnet.retracing import MODES, PASSED, retraced, retraced_by
from hybridlint.fixers.evidence.holders import Holder, holders_in
from hybridlint.fixers.evidence.users_elsewhere import user_elsewhere
from hybridlint.fixers.toolkit.heads import method_added
from hybridlint.fixers.toolkit.names import dotted
from hybridlint.fixers.toolkit.statements import joined
from hybridlint.fixers.toolkit.templates import statements
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix, Import
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import walk

#: Most classes that one fix has traced anew.
_MOST_CLASSES = 4

_FORWARD = """
def forward(self, *args):
    # A graph keeps the mode of its trace, so that each change of mode needs another one.
    if getattr(self, "_traced_mode", None) != {mode}():
        self._traced_mode = {mode}()
        self._clear_cached_op()
    return super().forward(*args)
"""


def trace_each_mode(event: TraceConstant) -> Fix | None:
    """Override ``forward`` in a class that asks for the mode, and in those that hold it, to trace each mode anew.

    None if a block of the class may be part of something else that is compiled as a whole. It is only shown if other
    files use the classes, or if there are many.
    """
    path = dotted(event.node.func) if isinstance(event.node, ast.Call) else None
    if path is None or path[-1] not in MODES:
        return None
    return _traced(event.frame, event.node, ".".join(path))


def trace_like_child(event: BlockCall) -> Fix | None:
    """Override ``forward`` in a class whose child is traced anew in each mode, for the graph that holds both."""
    modes = {name for one in event.block.known if one.info is not None for name in retraced(one.info)}
    if len(modes) != 1:
        return None
    return _traced(event.frame, event.node, f"autograd.{modes.pop()}")


def _traced(frame: Frame, node: ast.AST, mode: str) -> Fix | None:
    reached = _reached(frame, node) if frame.certain else None
    if not reached:
        return None
    names = [one.node.name for one in reached]
    fix = joined(_message(names), [_forward(frame, one, mode) for one in reached])
    if fix is None:
        return None
    if mode.partition(".")[0] not in _imported(frame.source):
        fix = replace(fix, imports=(*fix.imports, Import("mxnet", "autograd")))
    reserve = _reserve(frame, names)
    if reserve is None:
        return replace(fix, applicability=Applicability.SAFE, tentative=True, retraces=True)
    return replace(fix, message=f"{fix.message} Not applied: {reserve}.", applicability=Applicability.DISPLAY)


@lru_cache(maxsize=1)
def _imported(source: SourceFile) -> frozenset[str]:
    """Return the names that the imports of a file bind; the last file's are kept."""
    aliases = (node for node in walk(source.tree) if isinstance(node, ast.alias))
    return frozenset((alias.asname or alias.name).partition(".")[0] for alias in aliases)


def _reached(frame: Frame, node: ast.AST) -> list[Holder] | None:
    """Return the classes that need the override: the one whose method contains a node, and those that hold its blocks.

    None if code outside of these classes may hold such blocks, if one overrides ``forward``, or if they have no child
    blocks: such a class is a layer of other blocks, whose graphs keep the train or predict mode of their trace.
    """
    holders = holders_in(frame.source)
    owner = holders.class_of(node, (call.node for call in frame.calls if call.source is frame.source))
    reached = None if owner is None else holders.reached(owner)
    if reached is None or not holders.have_other_parts(reached):
        return None
    compiled = [one for one in reached if one.method is None or one.compiled]
    new = [one for one in compiled if not retraced_by(one.node)]
    taken = (n for one in new for n in one.node.body if isinstance(n, ast.FunctionDef) and n.name in PASSED)
    return None if any(True for _ in taken) else new


def _forward(frame: Frame, one: Holder, mode: str) -> Fix | None:
    (method,) = statements(_FORWARD, mode=mode)
    assert isinstance(method, cst.FunctionDef)
    return method_added(frame, one.node, method)


def _message(names: Sequence[str]) -> str:
    first, *others = names
    held = f" and what holds it, {', '.join(f'`{name}`' for name in others)}," if others else ""
    return f"Trace `{first}`{held} anew at each change of mode, which costs a trace each time."


def _reserve(frame: Frame, names: Sequence[str]) -> str | None:
    """Return the reason why the fix is only shown, None if there is none."""
    if len(names) > _MOST_CLASSES:
        return f"{len(names)} classes would be traced anew"
    other = user_elsewhere(frame.source, names)
    return None if other is None else f"`{other}` uses them too, and might keep the mode in a graph of its own"
