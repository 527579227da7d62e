"""A ``hybrid_forward`` without an argument for `F`, whose first input receives the operators."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import ProjectClass, Unknown
from hybridlint.analysis.mxnet.operators.unreached_calls import FUNCTIONS
from hybridlint.analysis.project.instances import blocks_in
from hybridlint.runtime.facts.fluent import OTHER_METHODS, fluent
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectObject


def stands_for_functions(method: ast.FunctionDef, instance: ProjectObject) -> str | None:
    """Return the name of the input in the position of `F`; None if the signature has an argument for `F`.

    A block takes at least one input, so a single argument behind `self` is one. Of several, the first is an input if
    it is used as the operators cannot be: in arithmetic, with a subscript, or as what a child is given.
    """
    spec = method.args
    positional = [*spec.posonlyargs, *spec.args]
    if len(positional) < 2 or spec.vararg is not None or _has_own_protocol(instance.info):
        return None
    first = positional[1].arg
    if first == FUNCTIONS:
        return None
    if len(positional) == 2 and not spec.kwonlyargs:
        return first
    if any(_is_operator(node, first) for node in walk(method)):
        return None
    return first if any(_is_named(part, first) for part in _used_as_data(method, instance)) else None


def _has_own_protocol(info: ProjectClass) -> bool:
    """Return whether the project itself defines what calls ``hybrid_forward``."""
    return any(info.method(name) is not None for name in ("forward", "__call__"))


def _is_operator(node: ast.AST, name: str) -> bool:
    """Return whether a node reads an attribute that tensors do not have: ``name.FullyConnected``."""
    match node:
        case ast.Attribute(value=ast.Name(id=owner), attr=attribute):
            return owner == name and attribute not in fluent() and attribute not in OTHER_METHODS
        case _:
            return False


def _used_as_data(method: ast.FunctionDef, instance: ProjectObject) -> Iterator[ast.expr]:
    """Yield the expressions of a method that stand where only data can stand."""
    for node in walk(method):
        match node:
            case ast.BinOp(left=left, right=right):
                yield from (left, right)
            case ast.UnaryOp(operand=only) | ast.Subscript(value=only) | ast.For(iter=only):
                yield only
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name), args=args):
                if blocks_in(instance.attributes.get(name, Unknown())):
                    yield from args
            case _:
                pass


def _is_named(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
