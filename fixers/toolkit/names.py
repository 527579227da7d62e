"""Names and the code around an expression: dotted names, parents, blocks, classes, bindings."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import DataDependentValue, StaticValue, Tensor, Unknown
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.runtime.facts import lookup
from hybridlint.text.dotted import dotted_parts as dotted_parts  # noqa: PLC0414
from hybridlint.text.parameters import required_of
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import branches, children, reads, walk

#: The names by which code calls the namespace of arrays.
ARRAYS = frozenset({("nd",), ("mx", "nd"), ("mxnet", "nd")})
LIST_METHODS = frozenset(name for name in dir(list) if not name.startswith("_"))


def parent_of(frame: CodeContext, node: ast.AST, within: ast.AST | None = None) -> ast.AST | None:
    """Return the parent of a node within the frame's statement, or within the node `within`."""
    whole = within or frame.statement
    if whole is None:
        return None
    return next((p for p in branches(whole) if any(c is node for c in children(p))), None)


def only_subscripts(frame: CodeContext, node: ast.AST) -> list[ast.Subscript] | None:
    """Return the subscripts of a call's result: ``f(x)[0]``, or ``y[0]`` after ``y = f(x)``.

    None if the result is used in any other way.
    """
    match parent_of(frame, node):
        case ast.Subscript(value=value) as parent if value is node:
            return [parent]
        case ast.Assign(targets=[ast.Name(id=name)]) if frame.function is not None:
            found = [n for n in walk(frame.function) if isinstance(n, ast.Subscript)]
            taken = {id(read): [n for n in found if n.value is read] for read in reads(frame.function, name)}
            return [part for parts in taken.values() for part in parts] if all(taken.values()) else None
        case _:
            return None


def block_around(frame: CodeContext, statement: ast.stmt) -> list[ast.stmt] | None:
    """Return the list of statements that contains a statement."""
    for parent in walk(frame.source.tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and statement in block:
                return block
    return None


def class_around(frame: CodeContext) -> ast.ClassDef | None:
    """Return the class whose method the frame is in."""
    return next((owner for owner in classes_in(frame.source) if frame.function in owner.body), None)


@lru_cache(maxsize=1)
def classes_in(source: SourceFile) -> tuple[ast.ClassDef, ...]:
    """Return the classes of a file, outer ones first. Those of the last file are cached: many findings ask for them."""
    return tuple(node for node in branches(source.tree) if isinstance(node, ast.ClassDef))


def free_name(frame: CodeContext, name: str) -> str:
    """Return a name that the function does not use yet, if possible the given one."""
    nodes = list(walk(frame.function or ast.Pass()))
    taken = {n.id for n in nodes if isinstance(n, ast.Name)} | {n.arg for n in nodes if isinstance(n, ast.arg)}
    return next(new for new in (name, *(f"{name}_{number}" for number in range(2, len(taken) + 3))) if new not in taken)


def bound_value(frame: CodeContext, node: ast.expr) -> ast.expr:
    """Return the value that a name always has where it is read, by a plain assignment; other nodes unchanged."""
    return plain_value(frame, node) or node


def plain_value(frame: CodeContext, node: ast.expr) -> ast.expr | None:
    """Return the value that a plain assignment gives a name wherever it is read, else None."""
    binding = frame.binding(node)
    return binding.value if binding is not None and binding.is_plain else None


def array_behind(node: ast.expr) -> ast.expr:
    """Return the array ``y`` that a chain such as ``y.T`` and ``y.reshape(...)`` starts from."""
    match node:
        case ast.Attribute(value=inner, attr="T"):
            return array_behind(inner)
        case ast.Call(func=ast.Attribute(value=inner, attr=name)) if lookup.method(name) is not None:
            return array_behind(inner)
        case _:
            return node


def values_bound(frame: CodeContext, node: ast.expr) -> list[ast.expr]:
    """Return the values that the function's plain assignments bind to a name; none for any other node."""
    bindings = frame.flow.bindings_of(node.id) if isinstance(node, ast.Name) else ()
    return [binding.value for binding in bindings if binding.is_plain and binding.value is not None]


def choices(node: ast.expr) -> list[ast.expr]:
    """Return the expressions between which ``a if test else b`` and ``a or b`` choose; just itself for any other."""
    match node:
        case ast.IfExp(body=body, orelse=orelse):
            return [*choices(body), *choices(orelse)]
        case ast.BoolOp(op=ast.Or(), values=values):
            return [part for value in values for part in choices(value)]
        case _:
            return [node]


def required_inputs(frame: CodeContext) -> list[str]:
    """Return the names of the inputs of `hybrid_forward` that have no default."""
    function = frame.function
    if not isinstance(function, ast.FunctionDef) or function.name != ENTRY:
        return []
    return required_of(function.args)[2:]


def named_operand(frame: CodeContext) -> bool:
    """Whether the statement binds a number to a name that is read only as an operand, and bound only once.

    Return False inside a `try`, whose handler may bind the name to something else.
    """
    function = frame.function
    match frame.statement:
        case ast.Assign(targets=[ast.Name(id=name)]) if function is not None:
            pass
        case _:
            return False
    tries = (n for n in walk(function) if isinstance(n, ast.Try))
    if any(part is frame.statement for n in tries for statement in n.body for part in walk(statement)):
        return False
    parents = {id(child): node for node in walk(function) for child in ast.iter_child_nodes(node)}
    bound_once = len(frame.flow.bindings_of(name)) == 1
    return bound_once and all(_is_operand(frame, parents, read) for read in frame.flow.reads_of(name))


def _is_operand(frame: CodeContext, parents: Mapping[int, ast.AST], node: ast.expr) -> bool:
    """Whether a number is an operand beside a tensor: directly, inside arithmetic on numbers, or after ``float``.

    So is ``max(n, 1)`` of it and a literal.
    """
    parent = parents[id(node)]
    match parent:
        case ast.Call(func=ast.Name(id="float")) | ast.UnaryOp():
            return _is_operand(frame, parents, parent)
        case ast.Call(func=ast.Name(id="max" | "min"), args=[left, right], keywords=[]):
            bound = right if left is node else left
            return isinstance(bound, ast.Constant) and _is_operand(frame, parents, parent)
        case ast.BinOp(left=left, right=right) as whole:
            other = frame.seen.value(right if left is node else left)
            if isinstance(other, StaticValue | DataDependentValue) and not isinstance(getattr(other, "value", 0), str):
                return _is_operand(frame, parents, whole)
            return isinstance(other, Tensor)
        case ast.AugAssign(target=target):
            return target is not node and isinstance(frame.seen.value(target), Tensor | Unknown)
    return False


def used_as_list(frame: CodeContext, name: str) -> bool:
    """Whether the function uses a name as a list may be used: subscripted, iterated, starred or in ``len``."""
    return any(_uses_as_list(node, name) for node in walk(frame.function or ast.Pass()))


def _uses_as_list(node: ast.AST, name: str) -> bool:
    match node:
        case (
            ast.Subscript(value=inner) | ast.Starred(value=inner) | ast.For(iter=inner) | ast.comprehension(iter=inner)
        ):
            parts = [inner]
        case ast.Call(func=ast.Name(), args=parts):
            pass
        case ast.Assign(targets=[ast.Tuple() | ast.List(), *_], value=inner):
            parts = [inner]
        case _:
            return False
    return any(isinstance(part, ast.Name) and part.id == name for part in parts)
