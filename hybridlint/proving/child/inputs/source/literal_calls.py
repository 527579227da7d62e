"""Calls of a block in its project whose arguments are written out, such as ``net(mx.nd.ones((2, 3)))``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from hybridlint.proving.child.build.values import source_index
from hybridlint.proving.child.build.values.callsites import CallScopes, ConstructorCalls
from hybridlint.proving.child.build.values.source_index import key_of, scoped_calls

if TYPE_CHECKING:
    #: The functions around a node, the outermost first.
    _Functions = tuple[Any, ...]
    #: A constructor call, and the functions around it.
    _Built = tuple[ast.Call, _Functions]

#: Most calls that are read for one class, and how many names and functions lead to the constructor's call.
_MOST, _DEEPEST = 6, 3


class LiteralCall(NamedTuple):
    """How a project builds a block and calls it, as expressions for its module; `named` are keyword arguments."""

    arguments: tuple[tuple[str, str], ...]
    inputs: tuple[str, ...]
    named: tuple[tuple[str, str], ...]


def literal_calls(sites: ConstructorCalls, cls: Any) -> list[LiteralCall]:
    """Return the calls of instances of a class whose arguments are all known, those in its own file first."""
    found: dict[LiteralCall, None] = {}
    for text, tree in sites.naming(cls.__name__):
        makers = _Makers(tree, cls.__name__)
        for call, functions in scoped_calls(tree):
            built = makers.built(call.func, functions)
            literal = None if built is None else _literal(sites, cls, (text, tree), built, (call, functions))
            if literal is not None:
                found.setdefault(literal)
    return list(found)[:_MOST]


def _literal(
    sites: ConstructorCalls, cls: Any, file: tuple[str, ast.Module], built: _Built, called: _Built
) -> LiteralCall | None:
    """Return how an instance is built and called, None if an argument is not known."""
    arguments = sites.arguments_of(cls, built[0], CallScopes(*file, built[1], sites.namespace))
    call, scopes = called[0], CallScopes(*file, called[1], sites.namespace)
    inputs = [scopes.expression(node) for node in call.args]
    named = [(keyword.arg or "", scopes.expression(keyword.value)) for keyword in call.keywords]
    if arguments is None or not (inputs or named):
        return None
    known = tuple(text for text in inputs if text is not None)
    known_named = tuple((name, text) for name, text in named if name and text is not None)
    if len(known) < len(inputs) or len(known_named) < len(named):
        return None
    return LiteralCall(tuple(sorted(arguments.items())), known, known_named)


class _Makers:
    """Finds the calls of a constructor behind the expressions of a file."""

    def __init__(self, tree: ast.Module, name: str) -> None:
        self._tree = tree
        self._name = name
        self._functions = source_index.functions_by_name(tree)

    def built(self, node: ast.expr, functions: _Functions, depth: int = _DEEPEST) -> _Built | None:
        """Return the constructor's call whose instance an expression is, None if it is none."""
        if isinstance(node, ast.Call):
            if getattr(node.func, "id", getattr(node.func, "attr", None)) == self._name:
                return node, functions
            makers = self._functions.get(getattr(node.func, "id", ""))
            return None if makers is None or not depth else self._returned(makers[-1], depth - 1)
        key = key_of(node)
        if key is None or not depth:
            return None
        for place, around in self._scopes(key, functions):
            bound = source_index.assignments(place).get(key, [])
            before = [value for value in bound if place not in functions or value.lineno < node.lineno]
            if bound:
                return self.built(before[-1], around, depth - 1) if before else None
        return None

    def _scopes(self, key: str, functions: _Functions) -> Iterator[tuple[ast.AST, _Functions]]:
        """Yield where a name or an attribute may be stored, the nearest place first."""
        for count in range(len(functions), 0, -1):
            yield functions[count - 1], functions[:count]
        if "." in key:
            yield from ((node, (node,)) for node in self._functions.get("__init__", ()))
        yield self._tree, ()

    def _returned(self, function: ast.FunctionDef, depth: int) -> _Built | None:
        returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
        return self.built(returned[0], (function,), depth) if len(returned) == 1 and returned[0] is not None else None
