"""Parameters that ``__init__`` declares by name, and the prefix that it puts before all names."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.text.syntax import branches


def declared_parameters(init: ast.FunctionDef) -> Iterator[tuple[ast.Call, str]]:
    """Yield each ``params.get("name", ...)`` or ``params.get_constant("name", ...)`` with the name."""
    for node in branches(init):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Attribute(attr="params"), attr="get" | "get_constant"),
                args=[ast.Constant(value=str() as name), *_],
            ):
                yield node, name


def written_prefix(init: ast.FunctionDef) -> str | None:
    """Return the constant prefix in ``super().__init__(prefix="...")``; None if there is none."""
    for node in branches(init):
        match node:
            case ast.Call(func=ast.Attribute(attr="__init__"), keywords=keywords):
                given = (k.value for k in keywords if k.arg == "prefix")
                return next((v.value for v in given if isinstance(v, ast.Constant) and isinstance(v.value, str)), None)
    return None
