"""Arguments of a constructor that a block holds and calls: they are blocks, whatever their names are."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from enum import Enum
from typing import Any

#: Layers that stand for any block, and a network that can be taken apart.
LAYERS = ("nn.Dense(4)", "nn.Conv2D(4, 3, padding=1)")
SEQUENTIALS = tuple(
    f"(lambda net: net.add({layer}, {layer}) or net)(nn.HybridSequential())"
    for layer in ("nn.Conv2D(4, 3, padding=1)", "nn.Dense(4)")
)


class Part(Enum):
    """What a block does with another one that it is given: it calls it, or takes it apart too."""

    CALLED = "called"
    TAKEN_APART = "taken apart"


def parts(cls: Any) -> dict[str, Part]:
    """Return the arguments that the methods of a class call under the names that it keeps them by."""
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
    """Iterate over attributes that hold an argument as it is, with its name."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef) and function.name == "__init__":
            names = {argument.arg for argument in (*function.args.args, *function.args.kwonlyargs)}
            for node in ast.walk(function):
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in names:
                    yield from ((attribute, node.value.id) for t in node.targets if (attribute := _own(t)))


def _called(tree: ast.AST) -> Iterator[str]:
    """Iterate over attributes that are called, or that are gone through to call what they hold."""
    names = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and (attribute := _own(node.func)):
            yield attribute
        elif isinstance(node, (ast.For, ast.comprehension)):
            bound = {part.id for part in ast.walk(node.target) if isinstance(part, ast.Name)}
            if bound & names:
                yield from filter(None, map(_own, _sources(node.iter)))


def _sources(node: ast.expr) -> list[ast.expr]:
    """Return what a loop goes through: the arguments of `enumerate` and `zip`, or the expression itself."""
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
    """Return the attribute of the block itself that an expression is, an empty string for all others."""
    plain = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if isinstance(node, ast.Attribute) and plain else ""
