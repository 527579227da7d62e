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
            found |= dict(_bound(node))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            found[node.target.id] = node.value
        else:
            found |= dict(imports(iter([node])))
    return found


def _bound(statement: ast.Assign) -> Iterator[tuple[str, ast.AST]]:
    """Yield the names that an assignment binds, each with its value, or the statement where no expression is that."""
    waiting: list[tuple[ast.expr, ast.expr]] = [(target, statement.value) for target in statement.targets]
    for target, value in waiting:
        match target, value:
            case ast.Name(id=name), _:
                yield name, value
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if _are_paired(targets, values):
                waiting += zip(targets, values, strict=True)
            case ast.Tuple() | ast.List(), _:
                names = (part for part in ast.walk(target) if isinstance(part, ast.Name))
                yield from ((part.id, statement) for part in names if isinstance(part.ctx, ast.Store))
            case _:
                pass


def _are_paired(targets: list[ast.expr], values: list[ast.expr]) -> bool:
    return len(targets) == len(values) and not any(isinstance(part, ast.Starred) for part in (*targets, *values))


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in body:
        if isinstance(node, ast.If | ast.Try | ast.With):
            yield from _statements(node.body)
            for handler in getattr(node, "handlers", ()):
                yield from _statements(handler.body)
            yield from _statements(getattr(node, "orelse", []))
        else:
            yield node
