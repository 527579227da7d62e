"""The fixer of namedtuples that compiled blocks have made lists: their callers make namedtuples of them again."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext, LostName
from hybridlint.fixers.toolkit.names import dotted_parts, plain_value
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text.edits import Fix


def named_again(event: LostName) -> Fix | None:
    """Write ``out = self.head(x)`` as ``out = Normal(*self.head(x))``, where names of `out` are read.

    Unsafe if it is not known which block is called. None if the name is bound elsewhere too, or to something else.
    """
    frame, read = event.frame, event.node
    if event.maker is None or not isinstance(read, ast.Attribute):
        return None
    made = read.value if isinstance(read.value, ast.Call) else _bound(frame, read.value)
    if made is None or (frame.unrolled and (dotted_parts(made.func) or ("",))[0] != "self"):
        # Steps of a loop may call several blocks, which return namedtuples of other classes.
        return None
    new = expression("{maker}(*{outputs})", maker=event.maker, outputs=frame.concrete(made))
    return rewrite(frame, made, new, safe_if(event.returned is None))


def _bound(frame: CodeContext, node: ast.expr) -> ast.Call | None:
    """Return the call whose result a name always has where it is read; None if there is none."""
    value = plain_value(frame, node)
    return value if isinstance(value, ast.Call) else None
