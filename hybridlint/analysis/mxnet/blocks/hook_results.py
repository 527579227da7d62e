"""Values that hooks on children keep on the parent block, and that the same call may read again."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from hybridlint.analysis.model.events import BlockCall
from hybridlint.analysis.model.tables import CHANGING
from hybridlint.analysis.model.values import Function, Hook, Partial, ProjectObject, SelfRef, Unknown, Value
from hybridlint.analysis.run.activation import Activation
from hybridlint.text.syntax import each, is_own, is_self, walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.run import AnalysisRun


class _Kept(NamedTuple):
    """The attributes of self whose containers a hook fills, and the attributes or items that it sets."""

    filled: frozenset[str]
    replaced: frozenset[str]


def serves_trace(run: AnalysisRun, hook: Hook, instance: ProjectObject, begun: Set[tuple[int, str]]) -> bool:
    """Return whether traced code reads what a hook keeps: then both belong to one trace.

    `begun` are the attributes that the trace begins anew. Another object's hook is taken to keep what it keeps for one
    call, unless it counts; one of the block itself must either replace it, or fill what the trace has emptied, before
    it is read.
    """
    body = _body(hook.function)
    if body is None:
        return False
    inside = {id(node) for node in walk(body)}
    kept = {node.attr for node in walk(body) if isinstance(node, ast.Attribute) and is_self(node.value)}
    if hook.own:
        filled, replaced = _kept_by(hook.function)
        kept = (kept & replaced) | {name for name in filled if (id(instance), name) in begun}
        if filled - kept:
            return False
    reads = [n for n in run.seen.values if isinstance(n, ast.Attribute) and n.attr in kept and id(n) not in inside]
    if not hook.own:
        counted = _counted(body) - {name for _, name in begun}
        return bool(reads) and counted.isdisjoint(node.attr for node in reads)
    return bool(reads) and _follow_calls(run, instance, reads)


def _counted(body: ast.AST) -> set[str]:
    """Return the attributes of self to which a hook adds a number, ``self.seen += 1``: they go on from call to call."""
    added = (node.target for node in each(body, ast.AugAssign) if isinstance(node.value, ast.Constant))
    return {target.attr for target in added if is_own(target)}


def forget_kept(act: Activation) -> None:
    """Forget the values of attributes that hooks on children may change, because a child is called."""
    if act.this is None or act.role.building:
        return
    for hook in act.this.instance.hooks:
        for name in frozenset().union(*_kept_by(hook.function)) if hook.own else ():
            act.flow.names[f"self.{name}"] = Unknown()


def _kept_by(function: Value) -> _Kept:
    body = _body(function)
    if body is None:
        return _Kept(frozenset(), frozenset())
    while isinstance(function, Partial):
        function = function.callee
    maker = (
        function.closure.node if isinstance(function, Function) and isinstance(function.closure, Activation) else None
    )
    names = _aliases(maker) if maker is not None else {}
    return _Kept(frozenset(_filled(body, names)), frozenset(_replaced(body, names)))


def _body(function: Value) -> ast.AST | None:
    """Return the code that a hook runs; None if it is unknown."""
    match function:
        case Function(node=node):
            return node
        case Partial(callee=callee):
            return _body(callee)
        case SelfRef(instance=instance):
            found = instance.info.method("__call__")
            return None if found is None else found[0]
        case _:
            return None


@lru_cache(maxsize=16)
def _aliases(function: ast.AST) -> Mapping[str, str]:
    """Return the names of a function that hold what an attribute of self holds, each with the attribute."""
    found: dict[str, str] = {}
    for node in walk(function):
        if isinstance(node, ast.Assign):
            both = [*node.targets, node.value]
            names = [part.id for part in both if isinstance(part, ast.Name)]
            own = [part.attr for part in both if isinstance(part, ast.Attribute) and is_self(part.value)]
            found.update((name, own[0]) for name in names if own)
    return found


def _attribute(node: ast.AST, names: Mapping[str, str]) -> set[str]:
    """Return the attribute of self that an expression is, if it is one."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return {name}
        case ast.Name(id=name) if name in names:
            return {names[name]}
        case _:
            return set()


def _filled(body: ast.AST, names: Mapping[str, str]) -> Iterator[str]:
    for node in walk(body):
        match node:
            case ast.Call(func=ast.Attribute(value=owner, attr=method)) if method in CHANGING:
                yield from _attribute(owner, names)
            case ast.AugAssign(target=target):
                yield from _attribute(target, names)
            case _:
                pass


def _replaced(body: ast.AST, names: Mapping[str, str]) -> Iterator[str]:
    targets = [target for node in walk(body) if isinstance(node, ast.Assign) for target in node.targets]
    for target in targets:
        if isinstance(target, ast.Subscript):
            yield from _attribute(target.value, names)
        elif isinstance(target, ast.Attribute):
            yield from _attribute(target, {})


def _follow_calls(run: AnalysisRun, instance: ProjectObject, reads: Sequence[ast.Attribute]) -> bool:
    """Return whether all reads come after a call of a block, where their method has one."""
    calls = [event.node for event in run.events if isinstance(event, BlockCall)]
    for method in (one for info in instance.info.lineage for one in info.methods.values()):
        inside = {id(node) for node in walk(method)}
        lines = [node.lineno for node in calls if id(node) in inside and isinstance(node, ast.Call)]
        own = [node.lineno for node in reads if id(node) in inside and not _is_emptied(node, method)]
        if lines and own and min(own) <= min(lines):
            return False
    return True


def _is_emptied(read: ast.Attribute, method: ast.FunctionDef) -> bool:
    """Return whether a read is the one of ``self.kept.clear()``, ``del self.kept[:]`` or ``self.kept[:] = []``."""
    return any(
        (isinstance(n, ast.Attribute) and n.attr == "clear")
        or (isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Slice) and not isinstance(n.ctx, ast.Load))
        for n in walk(method)
        if getattr(n, "value", None) is read
    )
