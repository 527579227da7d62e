"""Calls of a block in its project whose arguments are written out, such as ``net(mx.nd.ones((2, 3)))``."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from hybridlint.proving.brief import source_index
from hybridlint.proving.brief.call_sites import CallScopes, call_site, naming
from hybridlint.proving.brief.project_texts import ProjectText
from hybridlint.proving.brief.source_index import key_of, scoped_calls
from hybridlint.proving.child.brief.construction import WrittenCall

#: The functions around a node, the outermost first.
_Functions: TypeAlias = tuple[Any, ...]
#: A constructor call, and the functions around it.
_Built: TypeAlias = tuple[ast.Call, _Functions]

#: Most calls that are read for one class, and how many names and functions lead to the constructor's call.
_MOST, _DEEPEST = 30, 3


def literal_calls(texts: list[ProjectText], name: str, namespace: Mapping[str, str]) -> tuple[WrittenCall, ...]:
    """Return the calls of instances of a class whose inputs are all known, those in its own file first."""
    found: dict[str, WrittenCall] = {}
    for text in naming(texts, name):
        makers = _Makers(text.tree, name)
        for call, functions in scoped_calls(text.tree):
            built = makers.built(call.func, functions)
            literal = None if built is None else _literal(text, built, (call, functions), namespace)
            if literal is not None:
                found.setdefault(str(literal._replace(origin="", built=literal.built._replace(origin=""))), literal)
    return tuple(found.values())[:_MOST]


def _literal(text: ProjectText, built: _Built, called: _Built, namespace: Mapping[str, str]) -> WrittenCall | None:
    """Return how an instance is built and called, None if an input is not known."""
    call, scopes = called[0], CallScopes(text.text, text.tree, called[1], namespace)
    inputs = [scopes.expression(node) for node in call.args]
    named = {keyword.arg or "": scopes.expression(keyword.value) for keyword in call.keywords}
    if not (inputs or named) or None in inputs or None in named.values() or "" in named:
        return None
    site = call_site(text, built[0], CallScopes(text.text, text.tree, built[1], namespace))
    return WrittenCall(
        text.origin(call), site, tuple(filter(None, inputs)), {name: value for name, value in named.items() if value}
    )


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
