"""The source of expressions, and the names of blocks, in messages."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import BlockRef
from hybridlint.text.shortening import shorten_code
from hybridlint.text.syntax import each, own

_LONGEST = 40


def snippet(frame: CodeContext, node: ast.AST) -> str:
    """Return the source of an expression in backquotes, on one line, shortened if it is long."""
    return f"`{shorten_code(frame.source.code(node), _LONGEST)}`"


def block_name(block: BlockRef) -> str:
    """Return the class names of a block in backquotes, joined by "or", or "the block" if no class is known."""
    names = dict.fromkeys(f"`{one.layer}`" for one in block.known if one.layer)
    return " or ".join(names) or "the block"


def subject(node: ast.AST) -> ast.AST:
    """Return the object of an attribute read or method call, also for ``getattr(x, "shape")``."""
    match node:
        case ast.Attribute(value=inner) | ast.Call(func=ast.Attribute(value=inner)):
            return inner
        case ast.Call(args=[inner, *_]):
            return inner
    return node


def yields(function: ast.AST) -> Iterator[ast.AST]:
    """Iterate over a function's yield expressions in source order, leaving out nested functions."""
    if not each(function, ast.Yield) and not each(function, ast.YieldFrom):
        return iter(())
    found = [node for node in own(function) if isinstance(node, ast.Yield | ast.YieldFrom)]
    return iter(sorted(found, key=lambda node: (node.lineno, node.col_offset)))
