"""The names that the statements of a module or a function bind."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.imports.statements import ImportStatement, imports


def definitions(body: list[ast.stmt]) -> dict[str, ast.AST | ImportStatement]:
    """Return the last binding of each name by the statements of a module or a function, conditional code included."""
    found: dict[str, ast.AST | ImportStatement] = {}
    for node in _statements(body):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            found |= dict(bound_by(node))
        else:
            found |= dict(imports(iter([node])))
    return found


def bound_by(statement: ast.stmt) -> Iterator[tuple[str, ast.AST]]:
    """Yield the names that an assignment binds, each with its value, or the statement where no expression is that."""
    waiting: list[tuple[ast.expr, ast.expr]] = []
    match statement:
        case ast.Assign(targets=targets, value=value):
            waiting += [(target, value) for target in targets]
        case ast.AnnAssign(target=ast.Name() as name, value=ast.expr() as value):
            waiting.append((name, value))
        case _:
            pass
    for target, value in waiting:
        match target, value:
            case ast.Name(id=bound), _:
                yield bound, value
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
