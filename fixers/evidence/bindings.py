"""Where code binds names and reads them, and to which values it binds them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

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


def run_of_stores(frame: Frame, name: str) -> list[ast.Assign] | None:
    """Return the assignments that bind a name, if they run one after another and all that reads it follows the first.

    They stand in one block then, ``b, c = x.shape`` and later ``b, d = y.shape``. None if anything else binds the name,
    or if a function within the function reads it, which may be called at any time.
    """
    whole = frame.function or ast.Pass()
    stores = stores_of(frame, name)
    for block in _blocks(whole):
        run = [s for s in block if isinstance(s, ast.Assign) and any(part in stores for part in targets_of(s))]
        if not run:
            continue
        bound = [part for statement in run for part in targets_of(statement) if part in stores]
        reads = [n for n in each(whole, ast.Name) if n.id == name and isinstance(n.ctx, ast.Load)]
        inner = (n for n in walk(whole) if isinstance(n, ast.FunctionDef | ast.Lambda) and n is not whole)
        hidden = {id(n) for scope in inner for n in walk(scope)}
        follow = all(_is_behind(n, run[0]) and id(n) not in hidden for n in reads)
        return run if follow and len(bound) == len(stores) else None
    return None


def stored_for(run: Iterable[ast.Assign], node: ast.Name) -> ast.Assign | None:
    """Return the last of a run of assignments before a read, which gave the name its value there."""
    before = [statement for statement in run if _is_behind(node, statement)]
    return before[-1] if before else None


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for part in walk(node):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(part, field, None)
            if isinstance(block, list):
                yield block


def _is_behind(node: ast.expr, statement: ast.stmt) -> bool:
    """Whether an expression begins behind the end of a statement."""
    end = (statement.end_lineno or statement.lineno, statement.end_col_offset or statement.col_offset)
    return (node.lineno, node.col_offset) >= end


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
