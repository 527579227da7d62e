"""Constructor arguments that a block stores and calls: they must be blocks, whatever their names are."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from enum import Enum
from typing import Any

#: Layers that can stand for any block, and a network whose children can be used.
LAYERS = ("nn.Dense(4)", "nn.Conv2D(4, 3, padding=1)")
SEQUENTIALS = tuple(
    f"(lambda net: net.add({layer}, {layer}) or net)(nn.HybridSequential())"
    for layer in ("nn.Conv2D(4, 3, padding=1)", "nn.Dense(4)")
)


class Part(Enum):
    """How a block uses another block that it is given: it only calls it, or it also uses its children."""

    CALLED = "called"
    TAKEN_APART = "taken apart"


def parts(cls: Any) -> dict[str, Part]:
    """Return the arguments that a class calls through the attributes that hold them, and how it uses each."""
    trees = list(_trees(cls))
    kept = {attribute: name for tree in trees for attribute, name in _kept(tree)}
    called = {attribute for tree in trees for attribute in _called(tree)}
    apart = {name for tree in trees for name in _taken_apart(tree)}
    return {
        name: Part.TAKEN_APART if {name, f"self.{attribute}"} & apart else Part.CALLED
        for attribute, name in kept.items()
        if attribute in called
    }


def _trees(cls: Any) -> Iterator[ast.AST]:
    for base in getattr(cls, "__mro__", ()):
        if base.__module__.startswith(("mxnet.", "builtins", "hybridlint.")):
            continue
        try:
            yield ast.parse(textwrap.dedent(inspect.getsource(base)))
        except (OSError, TypeError, SyntaxError, ValueError):
            continue


def _kept(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield pairs of an attribute and the constructor argument that is assigned to it unchanged."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name == "__init__":
            names = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
            for node in ast.walk(function):
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in names:
                    yield from ((attribute, node.value.id) for t in node.targets if (attribute := _own(t)))


def _called(tree: ast.AST) -> Iterator[str]:
    """Yield the attributes that are called, or that a loop iterates over to call their elements."""
    names = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and (attribute := _own(node.func)):
            yield attribute
        elif isinstance(node, (ast.For, ast.comprehension)):
            bound = {part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)}
            if bound & names:
                yield from filter(None, map(_own, _sources(node.iter)))


def _sources(node: ast.expr) -> list[ast.expr]:
    """Return the iterables of a loop: the arguments of `enumerate`, `reversed` or `zip`, or the expression itself."""
    called = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
    return list(node.args) if isinstance(node, ast.Call) and called in ("enumerate", "reversed", "zip") else [node]


def _taken_apart(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        looped = _sources(node.iter) if isinstance(node, (ast.For, ast.comprehension)) else []
        for source in [node.value] if isinstance(node, ast.Subscript) else looped:
            if isinstance(source, ast.Name):
                yield source.id
            elif attribute := _own(source):
                yield f"self.{attribute}"


def _own(node: ast.AST) -> str:
    """Return the name of the attribute of `self` that an expression is, "" for any other expression."""
    plain = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if isinstance(node, ast.Attribute) and plain else ""
