"""Arguments for what a block registers among its parameters: `hybrid_forward` gets them, and hands them to helpers."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.toolkit.class_hierarchy import derives_from
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.signature_edits import head_of, rewrite_head, with_parameter
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk


def is_reached(owner: ast.ClassDef, function: ast.FunctionDef) -> bool:
    """Return whether `hybrid_forward` can give a function of its class another argument: itself, or a helper it calls.

    A helper is a method that nothing but calls in `hybrid_forward` names.
    """
    return function.name == ENTRY or bool(_calls(owner, function))


def as_argument(frame: CodeContext, owner: ast.ClassDef, function: ast.FunctionDef, name: str) -> list[Fix | None]:
    """Return the fixes that make a parameter of the block an argument of a function.

    None is among them if the argument cannot be added. A helper gets it from `hybrid_forward`.
    """
    if function.name == ENTRY:
        return [_argument(frame, function, name)]
    entry = entry_of(owner)
    if entry is None or is_taken(entry, name):
        return [None]
    return [_argument(frame, entry, name), *handed_on(frame, owner, function, name)]


def handed_on(
    frame: CodeContext, owner: ast.ClassDef, function: ast.FunctionDef, name: str, *, value: str = ""
) -> list[Fix | None]:
    """Return the fixes by which `hybrid_forward` passes an argument to a helper; None among them if impossible.

    The helper is a method that nothing but calls in `hybrid_forward` names. It gets what these call `value`, without
    one what they call `name` too.
    """
    calls = _calls(owner, function)
    if not calls or not _is_alone(frame.source.tree, function, calls):
        return [None]
    inside = [call for call in calls if any(call is not other and call in set(walk(other)) for other in calls)]
    passed = (
        []
        if inside
        else [rewrite(frame, call, _passed(frame, call, name, value or name), Applicability.UNSAFE) for call in calls]
    )
    return [_parameter(frame, function, name), *(passed or [None])]


def entry_of(owner: ast.ClassDef) -> ast.FunctionDef | None:
    """Return the `hybrid_forward` that a class itself defines."""
    return next((n for n in owner.body if isinstance(n, ast.FunctionDef) and n.name == ENTRY), None)


def _calls(owner: ast.ClassDef, function: ast.FunctionDef) -> list[ast.Call]:
    """Return the calls of a method in `hybrid_forward` of its class."""
    entry = entry_of(owner)
    if entry is None or function not in owner.body or function.decorator_list:
        return []
    return [
        node
        for node in walk(entry)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "self"
        and node.func.attr == function.name
        and not any(isinstance(argument, ast.Starred) for argument in node.args)
        and all(keyword.arg is not None for keyword in node.keywords)
    ]


def _is_alone(tree: ast.Module, function: ast.FunctionDef, calls: Iterable[ast.Call]) -> bool:
    """Return whether nothing in a file but these calls names a method."""
    own = {id(call.func) for call in calls}
    return not any(
        (isinstance(n, ast.Attribute) and n.attr == function.name and id(n) not in own)
        or (isinstance(n, ast.Constant) and n.value == function.name)
        or (isinstance(n, ast.FunctionDef) and n.name == function.name and n is not function)
        for n in walk(tree)
    )


def is_taken(function: ast.FunctionDef, name: str) -> bool:
    """Return whether a function has an argument or another name that is called so."""
    used = {n.id for n in walk(function) if isinstance(n, ast.Name)}
    return name in used | {n.arg for n in walk(function) if isinstance(n, ast.arg)}


def _passed(frame: CodeContext, call: ast.Call, name: str, value: str) -> cst.BaseExpression:
    """Return a call with an argument more, by its name if others are given by theirs."""
    whole = frame.concrete(call)
    assert isinstance(whole, cst.Call)
    plain = cst.SimpleWhitespace("")
    named = cst.Arg(cst.Name(value), keyword=cst.Name(name), equal=cst.AssignEqual(plain, plain))
    return whole.with_changes(args=[*whole.args, named if call.keywords else cst.Arg(cst.Name(value))])


def _parameter(frame: CodeContext, function: ast.FunctionDef, name: str) -> Fix | None:
    """Return the fix that adds a parameter to a helper; None if its signature has defaults, ``*args`` or the like."""
    spec = function.args
    if spec.vararg or spec.kwarg or spec.kwonlyargs or spec.posonlyargs or spec.defaults or not spec.args:
        return None
    return _taking(frame, function, name)


def _argument(frame: CodeContext, function: ast.FunctionDef, name: str) -> Fix | None:
    """Return the fix that adds an argument to hybrid_forward; None if the signature has ``*args`` or the like.

    None too if the file calls the function itself, or has subclasses of the class.
    """
    spec = function.args
    owner = next((n for n in walk(frame.source.tree) if isinstance(n, ast.ClassDef) and function in n.body), None)
    if owner is not None and any(derives_from(n, owner.name) for n in walk(frame.source.tree)):
        # A parameter that a class registers is passed as an argument in its subclasses too.
        return None
    called = any(isinstance(n, ast.Attribute) and n.attr == function.name for n in walk(frame.source.tree))
    if called or spec.vararg or spec.kwarg or spec.kwonlyargs or spec.posonlyargs or not spec.args:
        return None
    return _taking(frame, function, name)


def _taking(frame: CodeContext, function: ast.FunctionDef, name: str) -> Fix | None:
    """Return the fix that adds a parameter behind those of a function."""
    new = with_parameter(head_of(frame.source, function), name)
    return rewrite_head(frame.source, function, new, Applicability.UNSAFE, message=f"Take `{name}` as an argument")
