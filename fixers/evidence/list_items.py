"""The items of lists that are spread over the arguments of an operator: ``F.stack(*rows)``."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.text.syntax import walk


def spread_items(frame: CodeContext, node: ast.expr) -> list[ast.expr]:
    """Return the expressions that make the items of a list, of which each may make several; empty for others."""
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items) if not any(isinstance(each, ast.Starred) for each in items):
            return items
        case ast.ListComp(elt=item) | ast.GeneratorExp(elt=item):
            return [item]
        case ast.Name(id=name):
            return appended_items(frame, name)
    return []


def appended_items(frame: CodeContext, name: str) -> list[ast.expr]:
    """Return the items of a list that a function makes and only appends to, else an empty list."""
    nodes = list(walk(frame.function or ast.Pass()))
    uses = {id(n) for n in nodes if isinstance(n, ast.Name) and n.id == name}
    fine: list[ast.expr] = []
    items: list[ast.expr] = []
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name() as target], value=ast.List(elts=elements)) if id(target) in uses:
                fine.append(target)
                items += elements
            case ast.Call(func=ast.Attribute(value=ast.Name() as used, attr="append"), args=[item]) if id(used) in uses:
                fine.append(used)
                items.append(item)
            case ast.Starred(value=ast.Name() as used) if id(used) in uses:
                fine.append(used)
    return items if len(fine) == len(uses) else []
