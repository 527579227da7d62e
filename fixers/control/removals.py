"""Fixers that remove statements without effect on the result, and caches that keep tensors."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Set
from functools import lru_cache

from hybridlint.analysis.flow.persistent_state import depends_on_inputs
from hybridlint.analysis.flow.reporting_names import is_report, labels, only_reported, only_reports
from hybridlint.analysis.model.events import CodeContext, Concretize, Event, SideEffect
from hybridlint.analysis.model.tables import GROWING
from hybridlint.analysis.model.values import SelfRef, Unknown
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.evidence.debug_methods import shown_to_people
from hybridlint.fixers.evidence.own_reads import of_other_objects
from hybridlint.fixers.evidence.properties import is_property, properties_read
from hybridlint.fixers.evidence.unconditional_code import called_beside, functions_leading_to
from hybridlint.fixers.toolkit.class_hierarchy import methods_in
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.statements import delete_statement, replace_statements
from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.concrete import statements_at
from hybridlint.text.edits import Applicability, Fix, FixKind
from hybridlint.text.syntax import each, is_own, walk

#: Operators that sizes are computed with.
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)


def without_append(event: SideEffect) -> Fix | None:
    """Remove ``self.log.append(...)`` if nothing in the class reads the container."""
    statement = event.frame.statement
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Attribute(value=ast.Name(), attr=container)))):
            pass
        case _:
            return None
    owner = _class(event)
    if owner is None or _reads(owner, container) != 1 or statement is None:
        return None
    return without_effect(event.frame, statement, f"Remove the change of `{event.target}`")


def without_effect(frame: CodeContext, statement: ast.stmt, message: str) -> Fix | None:
    """Remove a statement that eager runs feel, as printing: only a block that compiles then is worth that."""
    fix = delete_statement(frame, statement, Applicability.UNSAFE, message=message)
    return None if fix is None else replace(fix, kind=FixKind.PART)


def without_unused(event: Event) -> Fix | None:
    """Remove an assignment such as ``n = x.shape[0]`` to names that nothing reads.

    Its value reads only attributes of names, items of these, and quotients and the like of sizes, or is an operator's,
    as in ``b, c = F.shape_array(x)``, so that removing it changes nothing else.
    """
    statement, function = event.frame.statement, event.frame.function
    if not isinstance(function, ast.FunctionDef) or not isinstance(statement, ast.Assign):
        return None
    bindings = [b for b in event.frame.flow.bindings if b.statement is statement]
    value = statement.value
    if not all(map(_binds_names, statement.targets)) or not (_reads_attributes(value) or _computes(event.frame, value)):
        return None
    if not bindings or any(event.frame.uses(binding) for binding in bindings):
        return None
    written = ", ".join(f"`{binding.name}`" for binding in bindings)
    return delete_statement(
        event.frame, statement, Applicability.SAFE, message=f"Remove {written}, which nothing reads"
    )


def _computes(frame: CodeContext, value: ast.expr) -> bool:
    """Whether an expression is an operator of one name's tensor that gives whole numbers, such as its sizes."""
    match value:
        case ast.Call(func=ast.Attribute() as function, args=[ast.Name()], keywords=[]):
            path = dotted_parts(function) or ("",)
        case _:
            return False
    operator = lookup.function(path[1:-1], path[-1]) if path[0] == frame.functions else None
    return operator is not None and len(operator.inputs) == 1 and properties.own_dtype(operator) == "int64"


def _binds_names(target: ast.expr) -> bool:
    """Whether an assignment's target is a name, or a tuple of names, with or without a star."""
    parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    return all(isinstance(part.value if isinstance(part, ast.Starred) else part, ast.Name) for part in parts)


def _reads_attributes(value: ast.expr) -> bool:
    """Whether an expression only reads attributes of names, and items of these by number."""
    match value:
        case ast.Tuple(elts=parts):
            return all(map(_reads_attributes, parts))
        case ast.Subscript(value=ast.Attribute(value=ast.Name(), attr="shape"), slice=key):
            return all(isinstance(n, ast.Constant | ast.Slice | ast.UnaryOp | ast.USub | ast.Load) for n in walk(key))
        case ast.Attribute(value=ast.Name()):
            return True
        case ast.BinOp(left=left, right=right):
            return computes_size(value) and any(map(_reads_attributes, (left, right)))
    return False


def computes_size(value: ast.expr) -> bool:
    """Return whether an expression is arithmetic, as sizes are computed with, on names, settings, numbers and sizes."""
    match value:
        case ast.BinOp(left=left, op=op, right=right):
            return isinstance(op, _ARITHMETIC) and all(map(computes_size, (left, right)))
        case _:
            return isinstance(value, ast.Name | ast.Constant) or _reads_attributes(value)


def without_memory(event: Concretize) -> Fix | None:
    """Remove ``@functools.lru_cache`` from an inner function that is called with tensors."""
    function, node = event.frame.function, event.node
    if function is None or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return None
    named = [n for n in walk(function) if isinstance(n, ast.FunctionDef) and n.name == node.func.id]
    if len(named) != 1 or len(named[0].decorator_list) != 1:
        return None
    decorator = named[0].decorator_list[0]
    path = dotted_parts(decorator.func if isinstance(decorator, ast.Call) else decorator)
    if path is None or path[-1] not in {"lru_cache", "cache"}:
        return None
    (whole,) = statements_at(event.frame.source, named)
    message = "Remember no results of tensors"
    new = [whole.with_changes(decorators=[])]
    return replace_statements(event.frame, named[0], new, Applicability.UNSAFE, message=message, line_by_line=True)


def first_read(event: SideEffect) -> ast.expr | None:
    """Return the first read of the attribute or name that the event changes, outside of the change itself.

    It is looked for in the method that changes it, its properties and the methods that it calls, then in the methods of
    the same object that lead there.
    """
    own = {id(node) for node in walk(event.node)}
    frame = event.frame
    for function in functions_leading_to(frame, attribute=event.target.startswith("self.")):
        properties = [method for _, method in properties_read(frame.source.tree, frame.class_name, function)]
        properties += [method for _, _, method in called_beside(frame) if function is frame.function]
        reads = [
            node
            for part in (function, *properties, *_called_by(frame, function))
            for node in walk(part)
            if isinstance(node, ast.Attribute | ast.Name)
            and isinstance(node.ctx, ast.Load)
            and id(node) not in own
            and (ast.unparse(node) == event.target or _is_of_same_object(event, node))
        ]
        if reads:
            return min(reads, key=lambda node: (node.lineno, node.col_offset))
    return None


def _is_of_same_object(event: SideEffect, node: ast.Attribute | ast.Name) -> bool:
    """Return whether a node reads the changed attribute of an object that the block holds, by another name for it."""
    match event.node:
        case ast.Assign(targets=[ast.Attribute() as target]) | ast.AugAssign(target=ast.Attribute() as target):
            pass
        case _:
            return False
    if not isinstance(node, ast.Attribute) or node.attr != target.attr:
        return False
    match event.frame.seen.value(target.value), event.frame.seen.value(node.value):
        case SelfRef(instance=changed), SelfRef(instance=read):
            return changed is read
        case Unknown(held=(_, _) as object_changed), Unknown(held=object_read):
            return object_changed == object_read
        case _:
            return False


def _called_by(frame: CodeContext, function: ast.AST) -> list[ast.FunctionDef]:
    """Return the methods of the same class that a function calls on self, directly or through others."""
    owners = (n for n in walk(frame.source.tree) if isinstance(n, ast.ClassDef) and n.name == frame.class_name)
    methods = {n.name: n for owner in owners for n in owner.body if isinstance(n, ast.FunctionDef)}
    found: list[ast.FunctionDef] = []
    waiting = [function]
    for one in waiting:
        for node in walk(one):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)) if name in methods:
                    if methods[name] is not function and methods[name] not in found:
                        found.append(methods[name])
                        waiting.append(methods[name])
                case _:
                    pass
    return found


def is_read(event: SideEffect) -> bool:
    """Return whether the results of blocks depend on the changed state: they read it, directly or as `x.name`."""
    if first_read(event) is not None:
        return True
    name = event.target.rpartition(".")[2]
    blocks = (
        n for n in walk(event.frame.source.tree) if isinstance(n, ast.ClassDef) and n.name != event.frame.class_name
    )
    methods = (n for owner in blocks for n in owner.body if isinstance(n, ast.FunctionDef) and n.name == ENTRY)
    return any(isinstance(n, ast.Attribute) and n.attr == name and not is_own(n) for m in methods for n in walk(m))


def is_unread(event: SideEffect) -> bool:
    """Return whether the event changes an attribute that no code of the file computes with, by its name.

    A counter is read where it is increased, and what it only reports (prints, logs) depends on it no more. What a call
    reads after storing it is its own. A method that nothing calls shows people what it reads. It may be an attribute of
    the block, of its class or of another object.
    """
    owner, _, name = event.target.rpartition(".")
    if event.kind not in {"attribute", "append"} or not name.isidentifier() or not owner:
        return False
    tree, seen = event.frame.source.tree, event.frame.seen
    named = _named(tree)
    reads, texts = named.loads.get(name, frozenset()), named.texts.get(name, frozenset())
    if owner == "self" and event.frame.class_name is not None:
        reads -= of_other_objects(tree, event.frame.class_name)
        reads = _asked_instead(event, named, reads)
    own: set[int] = set()
    if not event.carried:
        own = {id(node) for node in seen.own - seen.left if isinstance(node, ast.Attribute) and node.attr == name}
    filled = event.kind == "append"
    counted = named.counted.get(name, frozenset())
    reads, texts = reads - counted, texts - counted
    if event.carried or filled:
        reads -= named.reported
    if filled and not reads and own.isdisjoint(map(id, walk(event.node))):
        # Nothing in the file reads the container, so that someone outside does.
        return False
    if event.carried:
        reads -= _reported_as(tree, reads)
    # A container that people are shown would hold one entry, of the trace.
    shown = frozenset() if filled and event.data and not _adds_no_data(event) else shown_to_people(tree)
    return not reads - own - shown and not texts


def _asked_instead(event: SideEffect, named: _Named, reads: frozenset[int]) -> frozenset[int]:
    """Return reads by identity, replacing reads inside a property by the reads of that property."""
    tree, name = event.frame.source.tree, event.frame.class_name
    for method in filter(is_property, methods_in(tree, name).values()):
        inside, asked = reads & set(map(id, walk(method))), named.loads.get(method.name)
        if inside and asked and method.name not in named.texts:
            reads = reads - inside | asked
    return reads


def _reported_as(tree: ast.AST, reads: Set[int]) -> set[int]:
    """Return the reads, by identity, that only serve a reported local name or the labels of results."""
    found = set(reads).intersection(map(id, labels(tree)))
    for function in each(tree, ast.FunctionDef) if reads - found else ():
        for node in each(function, ast.Assign):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    inside = reads & set(map(id, walk(value)))
                    found |= inside if inside and only_reported(function, name) else set()
                case _:
                    pass
    return found


def _adds_no_data(event: SideEffect) -> bool:
    """Return whether nothing that is put into a container depends on the inputs."""
    match event.node:
        case ast.Call(args=parts, keywords=[]):
            pass
        case ast.Assign(value=value):
            parts = [value]
        case _:
            return False
    return not any(depends_on_inputs(event.frame.seen.value(part)) for part in parts)


@record(frozen=True)
class _Named:
    """Where a file reads attributes, by identity: at all, to report them, and to store them under the same name."""

    loads: Mapping[str, frozenset[int]]
    reported: frozenset[int]
    counted: Mapping[str, frozenset[int]]
    #: Texts, by which an attribute may be read too, as `getattr(self, "count", 0)` does.
    texts: Mapping[str, frozenset[int]]


@lru_cache(maxsize=16)
def _named(tree: ast.AST) -> _Named:
    loads: dict[str, set[int]] = {}
    counted: dict[str, set[int]] = {}
    reported: set[int] = set()
    texts: dict[str, set[int]] = {}
    for node in walk(tree):
        match node:
            case ast.Attribute(attr=name, ctx=ast.Load()):
                loads.setdefault(name, set()).add(id(node))
            case ast.Constant(value=str() as text):
                texts.setdefault(text, set()).add(id(node))
            case ast.Assign(targets=[ast.Attribute(attr=stored)]):
                counted.setdefault(stored, set()).update(map(id, walk(node)))
            case (
                ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Attribute(attr=filled), attr=method)))
                | ast.Lambda(body=ast.Call(func=ast.Attribute(value=ast.Attribute(attr=filled), attr=method)))
            ) if method in GROWING:
                counted.setdefault(filled, set()).update(map(id, walk(node)))
            case ast.If() if only_reports(node) and not any(map(_raises_or_works, walk(node))):
                reported.update(map(id, walk(node)))
            case ast.Expr(value=ast.Call(func=called)) if is_report(called):
                reported.update(map(id, walk(node)))
    return _Named(
        {name: frozenset(found) for name, found in loads.items()},
        frozenset(reported),
        {name: frozenset(found) for name, found in counted.items()},
        {text: frozenset(found) for text, found in texts.items()},
    )


def _raises_or_works(node: ast.AST) -> bool:
    """Whether a node raises, or is a statement that calls a method of the block, which may do anything."""
    match node:
        case ast.Raise():
            return True
        case ast.Expr(value=ast.Call(func=ast.Attribute() as method)):
            return is_own(method)
    return False


def _class(event: Event) -> ast.ClassDef | None:
    for node in walk(event.frame.source.tree):
        if isinstance(node, ast.ClassDef) and node.name == event.frame.class_name:
            return node
    return None


def _reads(owner: ast.ClassDef, attribute: str) -> int:
    nodes = (n for n in walk(owner) if isinstance(n, ast.Attribute) and n.attr == attribute)
    return sum(isinstance(n.ctx, ast.Load) for n in nodes)
