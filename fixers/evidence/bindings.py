"""Where code binds names and reads them, and to which values it binds them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from hybridlint.analysis.model.events import Frame
from hybridlint.text.syntax import each, walk


def stores_of(frame: Frame, name: str) -> list[ast.Name]:
    """Return the name nodes in which the function binds a name."""
    names = each(frame.function, ast.Name) if frame.function is not None else ()
    return [n for n in names if n.id == name and not isinstance(n.ctx, ast.Load)]


def values_of(frame: Frame, name: str) -> list[ast.expr]:
    """Return the values of the function's plain assignments that bind a name, also as one of several."""
    stores = stores_of(frame, name)
    made = each(frame.function, ast.Assign) if stores and frame.function is not None else ()
    return [n.value for n in made if any(part in stores for target in n.targets for part in walk(target))]


def targets_of(statement: ast.stmt) -> list[ast.expr]:
    """Return the targets of an assignment, with those inside tuples."""
    match statement:
        case ast.Assign(targets=targets):
            groups = [t.elts if isinstance(t, ast.Tuple | ast.List) else [t] for t in targets]
            return [part for group in groups for part in group]
        case ast.AugAssign(target=target):
            return [target]
    return []


def loaded(nodes: Iterable[ast.AST]) -> list[str]:
    """Return the names that nodes read, one for each time."""
    names = (n for node in nodes for n in walk(node) if isinstance(n, ast.Name))
    return [n.id for n in names if isinstance(n.ctx, ast.Load)]


def stored(nodes: Iterable[ast.AST]) -> list[str]:
    """Return the names that nodes bind or delete, one for each time."""
    names = (n for node in nodes for n in walk(node) if isinstance(n, ast.Name))
    return [n.id for n in names if not isinstance(n.ctx, ast.Load)]
