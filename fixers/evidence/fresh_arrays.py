"""Arrays that a statement has just made, so that nothing but one name refers to them yet."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.evidence.aliases import makes_array
from hybridlint.fixers.toolkit.names import block_around
from hybridlint.text.syntax import walk


def is_just_made(frame: CodeContext, node: ast.stmt, name: str) -> bool:
    """Return whether the last statement that mentions a name before another one of its block makes the name's array.

    Stores into items of the array may stand between the two: they copy what they are given.
    """
    block = block_around(frame, node) or [node]
    for before in reversed(block[: block.index(node)]):
        uses = [n for n in walk(before) if isinstance(n, ast.Name) and n.id == name]
        match before:
            case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name:
                return makes_array(frame, value)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=held) as base)]) if held == name:
                if uses != [base]:
                    return False
            case _ if uses:
                return False
    return False
