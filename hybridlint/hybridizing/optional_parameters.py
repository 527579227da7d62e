"""Parameters that a block has for some arguments of its constructor alone: a bias that `use_bias` asks for."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import CapturedArray, ParameterRef
from hybridlint.hybridizing.reachable_methods import this_of
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectClass
    from hybridlint.analysis.project.instances import Instance


def optional_of(instance: Instance, names: Collection[str]) -> Iterator[str]:
    """Yield the parameters and constants among `names` that some ways through a block's constructor do not store.

    Gluon hands `hybrid_forward` those that are there, so that the others need a default value. One that no statement
    stores by name counts as there.
    """
    first = instance.info.method("__init__")
    if first is None:
        return
    methods = [method for info in instance.info.lineage for method in info.methods.values()]
    for name in names:
        held = isinstance(instance.attributes.get(name), ParameterRef | CapturedArray)
        written = any(_assigns(node, name, method) for method in methods for node in walk(method))
        if written and not (held and _stores(instance.info, *first, name)):
            yield name


def _assigns(node: ast.AST, name: str, method: ast.FunctionDef) -> bool:
    """Whether a node is a statement that stores an attribute of self."""
    match node:
        case ast.Assign(targets=targets):
            return any(_is_own(target, name, method) for target in targets)
        case ast.AnnAssign(target=target, value=ast.expr()):
            return _is_own(target, name, method)
        case _:
            return False


def _stores(info: ProjectClass, method: ast.FunctionDef, owner: ProjectClass, name: str) -> bool:
    """Whether each way through a method that ends without an error stores an attribute of self."""

    def body_stores(body: Sequence[ast.stmt]) -> bool:
        return any(map(statement_stores, body))

    def statement_stores(statement: ast.stmt) -> bool:
        match statement:
            case ast.With(body=body):
                return body_stores(body)
            case ast.If(body=body, orelse=other):
                return all(body_stores(each) or _raises(each) for each in (body, other))
            case ast.Raise():
                return True
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=called))):
                above = info.method_after(called, owner)
                return above is not None and above[0] is not method and _stores(info, *above, name)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=this), attr=called))):
                own = info.method(called) if this == this_of(method) else None
                return own is not None and own[0] is not method and _stores(info, *own, name)
            case _:
                return _assigns(statement, name, method)

    return body_stores(method.body)


def _is_own(target: ast.expr, name: str, method: ast.FunctionDef) -> bool:
    match target:
        case ast.Attribute(value=ast.Name(id=this), attr=attr):
            return attr == name and this == this_of(method)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return any(_is_own(part, name, method) for part in parts)
        case _:
            return False


def _raises(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Raise)
