"""Texts of Python expressions: parentheses where the precedence of operators needs them, and plain numbers."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

#: Precedence by node, and by the operator of a BinOp; what is not named binds as tightly as a name.
_LEVELS: dict[type, int] = {
    ast.NamedExpr: 0, ast.Lambda: 1, ast.IfExp: 2, ast.Or: 3, ast.And: 4, ast.Not: 5, ast.Compare: 6, ast.BitOr: 7,
    ast.BitXor: 8, ast.BitAnd: 9, ast.LShift: 10, ast.RShift: 10, ast.Add: 11, ast.Sub: 11, ast.Mult: 12, ast.Div: 12,
    ast.FloorDiv: 12, ast.Mod: 12, ast.MatMult: 12, ast.USub: 13, ast.UAdd: 13, ast.Invert: 13, ast.Pow: 14,
    ast.Await: 15,
}  # fmt: skip
_ATOM = 20
_SIGNS = {
    "+": 11, "-": 11, "*": 12, "/": 12, "//": 12, "%": 12, "@": 12, "**": 14, "==": 6, "!=": 6, "<": 6, "<=": 6,
    ">": 6, ">=": 6, "&": 9, "|": 7, "^": 8,
}  # fmt: skip
_FLOATED = re.compile(r"\((?P<inner>.*)\)\.float\(\)", re.DOTALL)


@lru_cache(maxsize=4096)
def _level(text: str) -> int:
    try:
        node: ast.expr = ast.parse(f"({text}\n)", mode="eval").body
    except SyntaxError:
        return 0
    if isinstance(node, ast.Tuple) and not text.startswith("("):
        return 0
    kind: ast.AST = node
    if isinstance(node, ast.BinOp | ast.BoolOp | ast.UnaryOp):
        kind = node.op
    if type(kind) not in _LEVELS or _is_parenthesized(text, node):
        return _ATOM
    return _LEVELS[type(kind)]


def _is_parenthesized(text: str, node: ast.expr) -> bool:
    """Whether one pair of parentheses of the text itself surrounds the whole expression."""
    return text.startswith("(") and (node.lineno, node.col_offset) > (1, 1)


def operand_levels(sign: str) -> tuple[int, int]:
    """Return how tightly the operands of a binary operation have to bind, at least; 0 for an unknown sign."""
    level = _SIGNS.get(sign, -1)
    return (level + 1, level) if sign == "**" else (level, level + 1)


def bound(text: str, least: int | None = None) -> str:
    """Return an expression in parentheses if it binds less tightly than has to be; without a level, than a name."""
    return text if _level(text) >= (_ATOM if least is None else least) else f"({text})"


def receiver(text: str) -> str:
    """Return an expression in a form that a method or a subscript can follow."""
    level = _level(text)
    return text if level == _ATOM and not re.fullmatch(r"[\d.]+", text) else f"({text})"


def infix(left: str, sign: str, right: str) -> str:
    """Return a binary operation."""
    level = _SIGNS[sign]
    tight = sign == "**"
    shown_left = left if _level(left) > level or (_level(left) == level and not tight and level != 6) else f"({left})"
    shown_right = right if _level(right) > level or (tight and _level(right) >= 13) else f"({right})"
    return f"{shown_left} {sign} {shown_right}"


def negative(text: str) -> str:
    """Return the negated expression."""
    return f"-{text}" if _level(text) >= _LEVELS[ast.USub] else f"-({text})"


def floated(condition: str) -> str:
    """Return a condition as numbers of 0 and 1, which MXNet's comparisons return."""
    return f"{receiver(condition)}.float()"


def as_condition(text: str) -> str:
    """Return a tensor of truth values for a tensor of numbers, or the comparison that it was made of."""
    match = _FLOATED.fullmatch(text)
    if match is not None and _level(match["inner"]) > 0:
        return match["inner"]
    return f"{receiver(text)}.bool()"


def listed(items: list[str]) -> str:
    """Return a list display."""
    return f"[{', '.join(items)}]"


def number(value: float) -> str:
    """Return a number as a person would write it: MXNet's defaults are float32 numbers such as 9.99999994e-09."""
    if isinstance(value, int):
        return repr(value)
    short = float(f"{value:.6g}")
    text = repr(short)
    return str(int(short)) if short == int(short) and abs(short) < 1e6 else text.replace("e-0", "e-")


def shape_arguments(text: str) -> str:
    """Return a shape as arguments: the items of a tuple that is written out, else the expression."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return text
    if isinstance(node, ast.Tuple | ast.List) and node.elts:
        return ", ".join(ast.unparse(item) for item in node.elts)
    return text


def literal(value: object) -> str:
    """Return a literal for a value: numbers short, tuples of one size as that size where `sizes` has asked before."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return repr(value).replace("'", '"') if isinstance(value, str) else repr(value)
    if isinstance(value, int | float):
        return number(value)
    if isinstance(value, tuple | list):
        inner = ", ".join(map(literal, value)) + ("," if len(value) == 1 and isinstance(value, tuple) else "")
        return f"({inner})" if isinstance(value, tuple) else f"[{inner}]"
    return repr(value)
