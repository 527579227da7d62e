"""Evidence that a key of unknown dtype holds row numbers, not a mask: its other uses and its name."""

from __future__ import annotations

import ast
import re

from hybridlint.analysis.model.events import CodeContext
from hybridlint.runtime.facts import lookup
from hybridlint.text.syntax import walk

#: Names of row numbers: single letters of counters, steps, and words for positions, alone or as parts of a name.
_NUMBERS = re.compile(
    r"[ijknt]\d?|(.*_)?(i|idx|id|ids|index|indexes|indices|inds|rows?|cols?|columns?|nodes?|neighbou?rs?|near"
    r"|perm|permutation|order|positions?|timesteps?|steps?|labels?|tokens?|src|dst|tails?|heads?|users?|items?)"
)


def are_row_numbers(frame: CodeContext, key: ast.expr) -> bool:
    """Whether a name is used, or called, like row numbers, and nothing compares it or inverts it as a mask."""
    if not isinstance(key, ast.Name):
        return False
    nodes = list(walk(frame.function or ast.Pass()))
    made = [n.value for n in nodes if isinstance(n, ast.Assign) and _binds(n, key.id)]
    if any(isinstance(value, ast.Compare | ast.BoolOp) or _is_logical(value) for value in made):
        return False
    return any(_takes(node, key.id) for node in nodes) or _NUMBERS.fullmatch(key.id) is not None


def _binds(statement: ast.Assign, name: str) -> bool:
    return any(isinstance(t, ast.Name) and t.id == name for t in statement.targets)


def _is_logical(value: ast.expr) -> bool:
    """Whether a value combines masks: ``a & b``, ``~a``."""
    combined = isinstance(value, ast.BinOp) and isinstance(value.op, ast.BitAnd | ast.BitOr | ast.BitXor)
    return combined or (isinstance(value, ast.UnaryOp) and isinstance(value.op, ast.Invert | ast.Not))


def _takes(node: ast.AST, name: str) -> bool:
    """Whether a node is a call of an operator that takes the rows with the numbers in a name."""
    match node:
        case ast.Call(func=ast.Attribute(attr=function), args=args):
            operator = lookup.function((), function) or lookup.function(("npx",), function)
            places = () if operator is None else map(operator.inputs.index, operator.facts.indices)
            return any(isinstance(row, ast.Name) and row.id == name for at in places for row in args[at : at + 1])
    return False
