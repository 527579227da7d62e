"""Fixers of blocks whose graph depends on the mode of autograd: each change of mode gets its own graph."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import BlockCall, CodeContext, TraceConstant
from hybridlint.analysis.mxnet.blocks.retracing import MODES, PASSED, retrace_conditions, retraced_by
from hybridlint.fixers.evidence.cross_file_uses import why_only_shown
from hybridlint.fixers.evidence.eager.holders import Holder, holders_in
from hybridlint.fixers.toolkit.imports import imported_names
from hybridlint.fixers.toolkit.names import classes_in, dotted_parts
from hybridlint.fixers.toolkit.signature_edits import method_added
from hybridlint.fixers.toolkit.statements import insert_statements, join_fixes
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts.records import replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix, FixKind, ImportEdit
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import walk

_FORWARD = """
def forward(self, *args):
    # A graph keeps the mode of its trace, so that each change of mode needs another one.
    if getattr(self, "_traced_mode", None) != {mode}():
        self._traced_mode = {mode}()
        self._clear_cached_op()
    return super().forward(*args)
"""

_DROP = """
if getattr(self, {name}, None) != {mode}():
    # A graph keeps the mode of its trace, so that each change of mode needs another one.
    self._clear_cached_op()
"""


def trace_each_mode(event: TraceConstant) -> Fix | None:
    """Override ``forward``, in a class that reads the mode and in its holders, to trace each mode anew.

    None if a block of the class may be part of something else that is compiled as a whole. It is only shown if other
    files use the classes, or if there are many.
    """
    path = dotted_parts(event.node.func) if isinstance(event.node, ast.Call) else None
    if path is None or path[-1] not in MODES:
        return None
    return _traced(event.frame, event.node, ".".join(path))


def drop_where_stored(event: TraceConstant) -> Fix | None:
    """Drop the graph where a ``forward`` of the file stores another mode, such as ``self._train = is_training()``.

    Its class, or an heir of it, reads the attribute at the trace. None as for `trace_each_mode`.
    """
    frame = event.frame
    owner = holders_in(frame.source).class_of(event.node)
    stored = None if owner is None or not frame.certain else _stored(frame.source, owner, event.source_of_value)
    if owner is None or stored is None:
        return None
    store, mode = stored
    reached = reached_classes(frame, event.node, _with_bases(frame.source, owner))
    if reached is None:
        return None
    new = statements(_DROP, mode=mode, name=expression(f'"{event.source_of_value.removeprefix("self.")}"'))
    names = [owner.name, *(one.node.name for one in reached)]
    drop = insert_statements(frame, new, Applicability.SAFE, message="", before=store)
    return with_reserve(
        frame, names, join_fixes(_message(names), [drop, *(_forward(frame, one, mode) for one in reached)])
    )


def _stored(source: SourceFile, owner: ast.ClassDef, target: str) -> tuple[ast.Assign, str] | None:
    """Return the statement in a class's ``forward`` that stores the mode, and the function that it calls.

    None if there is no such statement at its top, or if there are several.
    """
    found: list[tuple[ast.Assign, str]] = []
    for one in _with_bases(source, owner):
        for method in (n for n in one.body if isinstance(n, ast.FunctionDef) and n.name in PASSED):
            for node in walk(method):
                match node:
                    case ast.Assign(targets=[place], value=ast.Call(func=asked, args=[], keywords=[])) if (
                        ast.unparse(place) == target
                    ):
                        path = dotted_parts(asked) or ("",)
                        if path[-1] not in MODES or node not in method.body:
                            return None
                        found.append((node, ".".join(path)))
                    case ast.Assign(targets=targets) if target in map(ast.unparse, targets):
                        return None
                    case _:
                        pass
    return found[0] if len(found) == 1 else None


def _with_bases(source: SourceFile, owner: ast.ClassDef) -> list[ast.ClassDef]:
    """Return a class and its ancestors in the file."""
    named = {one.name: one for one in classes_in(source)}
    found = [owner]
    for one in found:
        bases = (named.get((dotted_parts(base) or ("",))[-1]) for base in one.bases)
        found += [base for base in bases if base is not None and base not in found]
    return found


def trace_like_child(event: BlockCall) -> Fix | None:
    """Override ``forward`` in a class whose child is traced again in each mode, for the graph that holds both."""
    modes = {name for one in event.block.known if one.info is not None for name in retrace_conditions(one.info)}
    if len(modes) != 1:
        return None
    return _traced(event.frame, event.node, f"autograd.{modes.pop()}")


def _traced(frame: CodeContext, node: ast.AST, mode: str) -> Fix | None:
    reached = reached_classes(frame, node) if frame.certain else None
    if not reached:
        return None
    names = [one.node.name for one in reached]
    fix = join_fixes(_message(names), [_forward(frame, one, mode) for one in reached])
    if fix is not None and mode.partition(".")[0] not in imported_names(frame.source):
        fix = replace(fix, imports=(*fix.imports, ImportEdit("mxnet", "autograd")))
    return with_reserve(frame, names, fix)


def with_reserve(frame: CodeContext, names: Sequence[str], fix: Fix | None) -> Fix | None:
    """Return the fix of some classes as safe; only shown if other files use them, or if there are many."""
    if fix is None:
        return None
    reserve = why_only_shown(frame.source, names, "would be traced anew", "might keep the mode in a graph of its own")
    if reserve is None:
        return replace(fix, applicability=Applicability.SAFE, kind=FixKind.RETRACE)
    return replace(fix, message=f"{fix.message} Not applied: {reserve}.", applicability=Applicability.DISPLAY)


def reached_classes(frame: CodeContext, node: ast.AST, done: Sequence[ast.ClassDef] = ()) -> list[Holder] | None:
    """Return the classes that need the override: the class around a node, and the classes that hold its blocks.

    Classes in `done` are left out.

    None if code outside of these classes may hold such blocks, if a class overrides ``forward``, or if nothing in the
    file holds a class without child blocks: it is a layer of other blocks, whose graphs keep the mode of their trace.
    """
    holders = holders_in(frame.source)
    owner = holders.class_of(node, (call.node for call in frame.calls if call.source is frame.source))
    reached = None if owner is None else holders.reached(owner)
    alone = reached is not None and len(reached) == 1 and not holders.have_other_parts(reached)
    if reached is None or reached[0].sequences or alone:
        return None
    compiled = [one for one in reached if one.method is None or one.compiled]
    new = [one for one in compiled if not retraced_by(one.node) and one.node not in done]
    taken = (n for one in new for n in one.node.body if isinstance(n, ast.FunctionDef) and n.name in PASSED)
    return None if any(True for _ in taken) else new


def _forward(frame: CodeContext, one: Holder, mode: str) -> Fix | None:
    (method,) = statements(_FORWARD, mode=mode)
    assert isinstance(method, cst.FunctionDef)
    return method_added(frame, one.node, method)


def _message(names: Sequence[str]) -> str:
    first, *others = names
    held = f" and what holds it, {', '.join(f'`{name}`' for name in others)}," if others else ""
    return f"Trace `{first}`{held} anew at each change of mode, which costs a trace each time."
