"""Settings that ``__init__`` hands on: to layers, to parameters, to whatever else it builds."""

from __future__ import annotations

import ast

from hybridlint.text.syntax import walk


def hands_on(init: ast.FunctionDef, name: str) -> bool:
    """Return whether an ``__init__`` hands what ``self.name`` holds, or what is stored there, to a call.

    A call whose result is stored there, such as ``self.name = int(size)``, is no such call.
    """
    stores = [n for n in walk(init) if isinstance(n, ast.Assign) and any(_is_own(t, name) for t in _targets(n))]
    made = {id(part) for store in stores for part in walk(store)}
    sources = {n.id for store in stores for n in walk(store.value) if isinstance(n, ast.Name)}
    for call in walk(init):
        if isinstance(call, ast.Call) and id(call) not in made:
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            parts = [part for value in given for part in walk(value)]
            if any(_is_own(part, name) or (isinstance(part, ast.Name) and part.id in sources) for part in parts):
                return True
    return False


def _targets(node: ast.Assign) -> list[ast.expr]:
    """Return the targets of an assignment, each of those that it unpacks to by itself."""
    found: list[ast.expr] = []
    for target in node.targets:
        found += target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    return found


def _is_own(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == name and getattr(node.value, "id", "") == "self"
