"""Aliases: names that hold the same array or a part of it. An in-place change through a name changes its aliases."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import BlockRef, External, Function, Namespace, OperatorRef, Outputs, Tensor
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.evidence.dead_arguments import is_given_up
from hybridlint.fixers.evidence.tensors import is_layer
from hybridlint.fixers.toolkit.names import class_around, classes_in
from hybridlint.runtime.facts.fluent import SHARING_MEMORY, TAKING_INPLACE
from hybridlint.runtime.facts.records import record
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import branches, each, holds, walk

#: How the names of functions begin whose arrays share the memory of others: ``nd.from_numpy``.
_SHARING = ("from_", "to_")
#: Expressions that hold their elements without copying them.
_DISPLAYS = (ast.List, ast.Tuple, ast.Dict, ast.Set, ast.ListComp, ast.DictComp)


@record(frozen=True, slots=True)
class _Link:
    """Names that share an array after an assignment. Not `sure`: only in some runs; `view`: one is a part of it."""

    names: frozenset[str]
    sure: bool
    view: bool
    row: int


def may_be_aliased(frame: CodeContext, name: str, known: ast.Call | None = None) -> bool:
    """Whether something that cannot be listed by name may refer to the array of `name`: a caller, or a container.

    If so, ``x = z = x + y`` does not replace ``x += y``: the in-place change is seen there too. The call `known` is one
    that keeps nothing.
    """
    if is_held_alone(frame, name):
        return False
    if _is_handed_in(frame, name):
        return True
    found = _component(frame, name)
    names = {name, *(other for link in found for other in link.names)}
    if any(_gives_away(frame, node, names) for node in walk(frame.function or ast.Pass()) if node is not known):
        return True
    # Where no other name ever holds the array, it does not matter which branch above has bound the name.
    here = 0 if found or frame.statement is None else frame.statement.lineno
    certain = set(map(id, getattr(frame.function, "body", ())))
    assignments = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Assign))
    rebound = any(
        isinstance(target, ast.Name) and target.id in names and id(node) not in certain and node.lineno > here
        for node in assignments
        for target in node.targets
    )
    return rebound or any(not link.sure for link in found) or _seen_in_parts(frame, found)


def is_held_alone(frame: CodeContext, name: str) -> bool:
    """Whether the statement changes an array in place that the function has just made, and only this name holds it.

    The name is not read between. What other names hold since earlier rounds of a loop is another array.
    """
    if not _is_made_before(frame, name) or not isinstance(frame.statement, ast.AugAssign):
        return False
    changed = frame.statement
    binding = frame.binding(changed.target)
    if binding is None or binding.statement is None or _loops(frame, binding.statement) != _loops(frame, changed):
        return False
    start = (binding.statement.end_lineno or 0, binding.statement.end_col_offset or 0)
    uses = ((use.lineno, use.col_offset) for use in frame.uses(binding) if use is not changed.target)
    return not any(start <= use < (changed.lineno, changed.col_offset) for use in uses)


def _loops(frame: CodeContext, statement: ast.stmt) -> list[ast.AST]:
    """Return the loops of the function around a statement."""
    loops = (node for kind in (ast.For, ast.While) for node in each(frame.function or ast.Pass(), kind))
    return [loop for loop in loops if holds(loop, statement)]


def _is_handed_in(frame: CodeContext, name: str) -> bool:
    """Whether a name is, or aliases, an argument that code of this file passes: its caller sees in-place changes.

    A caller that no longer needs the argument does not.
    The arguments of a block that no other class of the file builds come from the user of the file, and do not count.
    """
    function = frame.function
    arguments = set() if function is None else {a.arg for a in function.args.args}
    found = _component(frame, name)
    if not arguments & {name, *(other for link in found for other in link.names)} or (
        not found and _is_made_before(frame, name)
    ):
        return False
    if getattr(function, "name", "") == ENTRY:
        return _is_built_here(frame)
    return not is_given_up(frame, name, _is_shared)


def _is_made_before(frame: CodeContext, name: str) -> bool:
    """Whether the name that the statement changes in place was bound last to an array that the function has made."""
    match frame.statement:
        case ast.AugAssign(target=ast.Name(id=changed) as target) if changed == name:
            binding = frame.binding(target)
            value = binding.value if binding is not None and binding.is_plain else None
            return value is not None and makes_array(frame, value)
    return False


def _is_shared(frame: CodeContext, name: str, known: ast.Call) -> bool:
    """Whether anything else may refer to the array of `name`, by a name or without one, except a call."""
    return bool(_component(frame, name)) or may_be_aliased(frame, name, known)


def _is_built_here(frame: CodeContext) -> bool:
    """Whether another class of the file builds blocks of this class."""
    own = class_around(frame)
    return own is not None and bool(_calling_classes(frame.source).get(own.name, frozenset()) - {own})


@lru_cache(maxsize=1)
def _calling_classes(source: SourceFile) -> Mapping[str, frozenset[ast.ClassDef]]:
    """Return the classes of a file that call each bare name; the last file's are kept."""
    found: dict[str, set[ast.ClassDef]] = {}
    for owner in classes_in(source):
        for node in branches(owner):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                found.setdefault(node.func.id, set()).add(owner)
    return {name: frozenset(owners) for name, owners in found.items()}


def changes_array(frame: CodeContext, name: str) -> bool:
    """Whether the function may change a name's array in place, by a store into it or through an alias."""
    nodes = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Subscript))
    stored = any(isinstance(n.value, ast.Name) and n.value.id == name and isinstance(n.ctx, ast.Store) for n in nodes)
    return stored or bool(_component(frame, name))


def decides_alias(frame: CodeContext) -> bool:
    """Whether the statement binds a name to an array that other names share and that is changed in place later."""
    statement = frame.statement
    if statement is None:
        return False
    stored = {n.id for n in walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    names = {other for name in stored for link in _component(frame, name) for other in link.names}
    later = (n for n in walk(frame.function or ast.Pass()) if getattr(n, "lineno", 0) > statement.lineno)
    return any(_changed(node) in names for node in later)


def part_changes(frame: CodeContext, node: ast.expr) -> bool:
    """Whether an expression is a view of a named array, and a later in-place change shows in both."""
    match frame.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is node:
            return _seen_in_parts(frame, _component(frame, name))
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
            bound = next((n for n, value in zip(names, values, strict=True) if value is node), None)
            return isinstance(bound, ast.Name) and _seen_in_parts(frame, _component(frame, bound.id))
    return False


def _gives_away(frame: CodeContext, node: ast.AST, names: set[str]) -> bool:
    """Whether a node passes the array itself to what may keep it: a default, ``:=``, `yield`, a function."""
    match node:
        case ast.arguments(defaults=defaults, kw_defaults=more):
            given = [*defaults, *(d for d in more if d is not None)]
        case ast.NamedExpr(value=value) | ast.Yield(value=ast.expr() as value):
            given = [value]
        case ast.Call(func=function, args=args, keywords=keywords) if _may_keep(frame, function):
            given = [*args, *(k.value for k in keywords)]
        case _:
            return False
    return any(names & _held(part) for part in given)


def _held(value: ast.expr) -> set[str]:
    """Return the names whose arrays an expression holds without copying them."""
    match value:
        case ast.Starred(value=inner):
            return _held(inner)
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            return {name for part in parts for name in _held(part)}
        case ast.Dict(values=parts):
            return {name for part in parts for name in _held(part)}
    return _chosen(value)


def _may_keep(frame: CodeContext, function: ast.expr) -> bool:
    """Whether a called function may keep its arguments; operators, tensor methods, layers and builtins do not."""
    receiver = frame.seen.value(function.value) if isinstance(function, ast.Attribute) else None
    if isinstance(receiver, Tensor | Outputs | Namespace):
        return False
    match frame.seen.value(function):
        case OperatorRef() | BlockRef() | Function():
            return False
        case External(name=name):
            return name == "builtins.setattr"
    return True


def _component(frame: CodeContext, name: str) -> list[_Link]:
    """Return all links between names that share an array with `name`, directly or through other names."""
    links = _links(frame)
    reached, size = {name}, 0
    while len(reached) > size:
        size = len(reached)
        reached |= {other for link in links if link.names & reached for other in link.names}
    return [link for link in links if link.names & reached]


def _links(frame: CodeContext) -> list[_Link]:
    function = frame.function
    certain = set(map(id, function.body)) if isinstance(function, ast.FunctionDef) else set()
    links: list[_Link] = []
    for node in walk(function or ast.Pass()):
        if isinstance(node, ast.For):
            links.append(_Link(_names(node.target) | _names(node.iter), True, True, node.lineno))
        if not isinstance(node, ast.Assign):
            continue
        if isinstance(node.value, _DISPLAYS):
            held = {name for part in walk(node.value) if isinstance(part, ast.expr) for name in _chosen(part)}
            links.append(_Link(frozenset({*_names(node.targets[0]), *held}), True, True, node.lineno))
            continue
        names = {target.id for target in node.targets if isinstance(target, ast.Name)}
        base = None if isinstance(node.value, ast.Name) else _base(frame, node.value)
        sources = _chosen(node.value) or ({base} if base else set())
        if names and sources:
            plain = isinstance(node.value, ast.Name) or base is not None
            links.append(
                _Link(frozenset(names | sources), id(node) in certain and plain, base is not None, node.lineno)
            )
    return links


def _names(node: ast.expr) -> frozenset[str]:
    return frozenset(n.id for n in walk(node) if isinstance(n, ast.Name))


def _chosen(value: ast.expr) -> set[str]:
    """Return the names that an expression may evaluate to: both names for ``a if c else b`` and for ``a or b``."""
    match value:
        case ast.Name(id=name):
            return {name}
        case ast.IfExp(body=body, orelse=orelse):
            return _chosen(body) | _chosen(orelse)
        case ast.BoolOp(values=values):
            return {name for part in values for name in _chosen(part)}
    return set()


def _base(frame: CodeContext, value: ast.expr) -> str | None:
    """Return the name whose memory an expression shares: ``x`` for ``x``, ``x[0]``, ``x.reshape(...)``; or None."""
    match value:
        case ast.Name(id=name):
            return None if isinstance(frame.seen.value(value), Namespace) else name
        case ast.Subscript(slice=ast.Tuple(elts=[ast.Slice(), *_])):
            # A subscript that selects columns copies them.
            return None
        case ast.Subscript(value=inner):
            return _base(frame, inner)
        case ast.Call(func=ast.Attribute(value=inner)) as call if shares_memory(call):
            return _base(frame, inner)
    return None


def shares_memory(call: ast.Call) -> bool:
    """Return whether the result of a method may share the memory of its array."""
    assert isinstance(call.func, ast.Attribute)
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    match call.func.attr:
        case method if method in TAKING_INPLACE:
            return "inplace" in given
        case "astype":
            return "copy" in given
        case method:
            return method in SHARING_MEMORY


def makes_array(frame: CodeContext, value: ast.expr) -> bool:
    """Whether an expression creates a new array. Some methods share the memory of their array instead."""
    made = frame.seen.value(value)
    if not isinstance(made, Tensor) or made.mode != "legacy":
        return False
    return isinstance(value, ast.BinOp | ast.UnaryOp) or (isinstance(value, ast.Call) and _call_makes(frame, value))


def _call_makes(frame: CodeContext, call: ast.Call) -> bool:
    """Whether a call of an operator, a method or a layer returns a new array; all layers with operators do."""
    if is_layer(frame.seen.value(call.func)):
        return True
    if not isinstance(call.func, ast.Attribute) or any(keyword.arg == "out" for keyword in call.keywords):
        return False
    match frame.seen.value(call.func.value):
        case Namespace():
            return not call.func.attr.startswith(_SHARING)
        case Tensor():
            return not shares_memory(call)
    return False


def _seen_in_parts(frame: CodeContext, links: list[_Link]) -> bool:
    """Whether an array is changed in place and later read under another name that shares only a part of it."""
    first = min((link.row for link in links if link.view), default=None)
    if first is None:
        return False
    names = {name for link in links for name in link.names}
    nodes = list(walk(frame.function or ast.Pass()))
    reads = [n for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id in names]
    changes = [(node, name) for node in nodes if (name := _changed(node)) in names]
    return any(
        read.id != name and (first < row < read.lineno or id(read) in again)
        for node, name in changes
        for row, again in [(getattr(node, "lineno", first), _run_again(frame, node))]
        for read in reads
    )


def _run_again(frame: CodeContext, node: ast.AST) -> set[int]:
    """Return the ids of the nodes that may run again after a node: those in the loops around it.

    The iterable of the outermost loop is left out, as it is evaluated once.
    """
    loops = [n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.For | ast.While)]
    around = [loop for loop in loops if holds(loop, node)]
    once = {id(n) for n in walk(around[0].iter)} if around and isinstance(around[0], ast.For) else set()
    return {id(n) for loop in around for n in walk(loop)} - once


def _changed(node: ast.AST) -> str | None:
    """Return the name of the array that a statement or a call changes in place."""
    match node:
        case ast.AugAssign(target=ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name))):
            return name
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name)), *_]):
            return name
        case ast.Call(keywords=keywords):
            outs = [k.value.id for k in keywords if k.arg == "out" and isinstance(k.value, ast.Name)]
            return outs[0] if outs else None
    return None
