"""The global names that a module's statements bind."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.project.imports import Import, imports


def definitions(tree: ast.Module) -> dict[str, ast.AST | Import]:
    """Return the last binding of each global name, conditional code included."""
    found: dict[str, ast.AST | Import] = {}
    for node in _statements(tree.body):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            found |= {t.id: node.value for t in node.targets if isinstance(t, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            found[node.target.id] = node.value
        else:
            found |= dict(imports(iter([node])))
    return found


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.If | ast.Try | ast.With):
            yield from _statements(node.body)
            for handler in getattr(node, "handlers", ()):
                yield from _statements(handler.body)
            yield from _statements(getattr(node, "orelse", []))
        else:
            yield node
