"""Sequences that functions and classes outside of traced code put blocks into, and who makes them."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import walk

#: The container that is compiled as a whole, and the one that compiles each of its blocks by itself.
COMPILED_WHOLE = "HybridSequential"
COMPILED_EACH = "Sequential"
#: What may stand between a block and the call that puts it into a container.
_BETWEEN = (ast.Starred, ast.List, ast.Tuple, ast.ListComp, ast.GeneratorExp, ast.IfExp, ast.BoolOp)
#: What a function does with a container besides returning it.
_OPENED = frozenset({"add", "name_scope"})
#: Methods that only compiled containers have.
_NEEDS_WHOLE = frozenset({"export", "infer_shape", "infer_type", "optimize_for"})


@record(frozen=True, slots=True)
class MadeSequence:
    """A sequence: the expression that names its class, and the name of the function or class whose blocks it holds.

    `renamed` says whether names of parameters may begin with the name of its class.
    """

    kind: ast.expr
    maker: str
    renamed: bool


def sequence_around(way: Sequence[ast.AST]) -> MadeSequence | None:
    """Return the sequence that a block is put into, given the name of its class and the nodes around it.

    None if it is put elsewhere, or if the sequence is used for more than to be filled and returned.
    """
    name, call, *around = way
    if not isinstance(call, ast.Call) or call.func is not name:
        return None
    while around and isinstance(around[0], _BETWEEN):
        around = around[1:]
    match around:
        case [ast.Call(func=ast.Attribute(value=taker, attr="add")), *outer]:
            function = next((node for node in outer if isinstance(node, ast.FunctionDef)), None)
            owner = next((node for node in outer if isinstance(node, ast.ClassDef)), None)
        case _:
            return None
    if function is None:
        return None
    if owner is not None:
        return _of_class(owner, taker)
    return _of_function(function, taker.id) if isinstance(taker, ast.Name) else None


def needs_whole(tree: ast.Module) -> bool:
    """Return whether a file calls what only compiled containers have."""
    return any(isinstance(n, ast.Attribute) and n.attr in _NEEDS_WHOLE for n in walk(tree))


def _of_class(owner: ast.ClassDef, taker: ast.expr) -> MadeSequence | None:
    """Return the sequence that an object of a class is: ``self.add(...)`` in a class derived from it."""
    own = isinstance(taker, ast.Name) and taker.id == "self"
    above = isinstance(taker, ast.Call) and dotted_parts(taker.func) == ("super",)
    if not (own or above) or len(owner.bases) != 1 or not _is_whole(owner.bases[0]):
        return None
    return MadeSequence(owner.bases[0], owner.name, renamed=False)


def _of_function(function: ast.FunctionDef, name: str) -> MadeSequence | None:
    """Return the sequence that a function binds to a name, fills and returns."""
    nodes = list(walk(function))
    values = [n.value for n in nodes if isinstance(n, ast.Assign) and any(_is(t, name) for t in n.targets)]
    if len(values) != 1 or not isinstance(values[0], ast.Call) or not _is_whole(values[0].func):
        return None
    known = {id(n.value) for n in nodes if isinstance(n, ast.Attribute) and n.attr in _OPENED}
    known |= {id(n.value) for n in nodes if isinstance(n, ast.Return) and n.value is not None}
    known |= {id(t) for n in nodes if isinstance(n, ast.Assign) for t in n.targets}
    if any(_is(n, name) and id(n) not in known for n in nodes):
        return None
    named = any(k.arg == "prefix" for k in values[0].keywords)
    scoped = any(isinstance(n, ast.Attribute) and n.attr == "name_scope" and _is(n.value, name) for n in nodes)
    return MadeSequence(values[0].func, function.name, renamed=scoped and not named)


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _is_whole(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == COMPILED_WHOLE
