"""Blocks that get their first parameter by a fix, and whether someone initializes them."""

from __future__ import annotations

import ast

from hybridlint.analysis.mxnet.classes import HYBRID_BLOCK
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.runtime.facts.abstract.layers import layer_of_any
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import each, walk

#: Classes of Gluon to derive from that have no parameters.
_WITHOUT_PARAMETERS = frozenset({HYBRID_BLOCK, "Loss"})
_REGISTERING = ("self", "params", "get_constant")


def has_no_parameters(owner: ast.ClassDef) -> bool:
    """Return whether a block has no parameters so far, nor children that may, so that code may never initialize it."""
    bases = {base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in owner.bases}
    if not bases <= _WITHOUT_PARAMETERS:
        return False
    methods = {n.name for n in owner.body if isinstance(n, ast.FunctionDef)} | {"name_scope"}
    methods |= {name for n in each(owner, ast.Assign) if (name := _layer_without_parameters(n)) is not None}
    constants = {id(part) for node in each(owner, ast.Call) if _is_constant(node) for part in walk(node)}
    for node in walk(owner):
        if id(node) in constants:
            continue
        match node:
            case ast.Attribute(value=ast.Name(id="self"), attr="params" | "register_child" | "_children"):
                return False
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=called)) if called not in methods:
                return False
            case ast.Assign(targets=[ast.Attribute()], value=ast.Call(func=made)) if _may_have_parameters(made):
                return False
    return True


def initializes_itself(source: SourceFile, owner: ast.ClassDef) -> bool:
    """Return whether a block has to initialize its first constant itself, because its users do not.

    A network places a constant on its own device when it is initialized; a constant that its block has initialized
    stays on the default device. So only a file that makes such blocks outside of classes, and initializes nothing, gets
    the call.
    """
    if not has_no_parameters(owner):
        return False
    inside = {id(call) for one in each(source.tree, ast.ClassDef) for call in each(one, ast.Call)}
    calls = [call for call in each(source.tree, ast.Call) if id(call) not in inside]
    names = [(dotted_parts(call.func) or ("",))[-1] for call in calls]
    return owner.name in names and not {"initialize", "load_parameters", "load_params"} & set(names)


def registering_message(source: SourceFile, owner: ast.ClassDef, message: str) -> str:
    """Return the message of a fix that registers a constant, with what it asks of the users of the block."""
    needs_call = has_no_parameters(owner) and not initializes_itself(source, owner)
    return f"{message}; the block needs `initialize()` before its first call" if needs_call else message


def _is_constant(node: ast.Call) -> bool:
    """Return whether a call registers a constant, which an earlier fix may have written."""
    return dotted_parts(node.func) == _REGISTERING


def _may_have_parameters(made: ast.expr) -> bool:
    """Return whether an expression is named like a class, so that its result may be a child with parameters."""
    path = dotted_parts(made)
    if path is None or not path[-1][:1].isupper():
        return False
    return not _is_without_parameters(path[-1])


def _is_without_parameters(name: str) -> bool:
    """Return whether a class is a layer of Gluon that has no parameters, and holds no other blocks."""
    known = layer_of_any(name)
    return known is not None and known.has_parameters is False and not known.holds_others


def _layer_without_parameters(statement: ast.Assign) -> str | None:
    """Return the attribute that a statement gives a layer without parameters; None for other statements."""
    match statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=ast.Call(func=made)) if (
            _is_without_parameters((dotted_parts(made) or ("",))[-1])
        ):
            return name
    return None
