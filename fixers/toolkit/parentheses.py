"""Parentheses: whether an expression needs them where it is put, by the precedence of operators."""

from __future__ import annotations

import ast
from functools import cache

from hybridlint.text import cst
from hybridlint.text.concrete import code, origin, with_origin

#: Levels of Python's grammar, the loosest first.
LOOSE, CHOICE, OR, AND, NOT, COMPARED, BIT_OR, BIT_XOR, BIT_AND, SHIFT, SUM, PRODUCT, SIGN, POWER, AWAIT, ATOM = range(
    16
)


@cache
def _operators() -> dict[type[cst.CSTNode], int]:
    return {
        cst.Or: OR,
        cst.And: AND,
        cst.Not: NOT,
        cst.BitOr: BIT_OR,
        cst.BitXor: BIT_XOR,
        cst.BitAnd: BIT_AND,
        cst.LeftShift: SHIFT,
        cst.RightShift: SHIFT,
        cst.Add: SUM,
        cst.Subtract: SUM,
        cst.Multiply: PRODUCT,
        cst.MatrixMultiply: PRODUCT,
        cst.Divide: PRODUCT,
        cst.FloorDivide: PRODUCT,
        cst.Modulo: PRODUCT,
        cst.Minus: SIGN,
        cst.Plus: SIGN,
        cst.BitInvert: SIGN,
        cst.Power: POWER,
    }


@cache
def _expressions() -> dict[type[cst.CSTNode], int]:
    return {
        cst.NamedExpr: LOOSE,
        cst.Yield: LOOSE,
        cst.Tuple: LOOSE,
        cst.GeneratorExp: LOOSE,
        cst.IfExp: CHOICE,
        cst.Lambda: CHOICE,
        cst.Comparison: COMPARED,
        cst.Await: AWAIT,
    }


def level(node: cst.BaseExpression) -> int:
    """Return the precedence level of an expression as it is written."""
    if node.lpar:
        return ATOM
    if isinstance(node, cst.BooleanOperation | cst.UnaryOperation | cst.BinaryOperation):
        return _operators()[type(node.operator)]
    return _expressions().get(type(node), ATOM)


def fit_parentheses(node: cst.BaseExpression, parent: cst.CSTNode, field: str) -> cst.BaseExpression:
    """Return an expression for a field of a parent node, in parentheses only if it needs them there.

    Existing parentheses stay if they hold comments, or if they alone allow an expression over several lines.
    """
    if len(node.lpar) == 1 and not isinstance(node, cst.Tuple | cst.GeneratorExp):
        bare = with_origin(node.with_changes(lpar=[], rpar=[]), origin(node))
        inside = isinstance(parent, cst.Arg | cst.BaseElement | cst.Index)
        if "#" not in _around(node) and (inside or "\n" not in code(bare)):
            node = bare
    dotted = field == "value" and isinstance(parent, cst.Attribute) and isinstance(node, cst.Integer)
    return parenthesize(node) if level(node) < _required_level(parent, field) or (dotted and not node.lpar) else node


def _around(node: cst.BaseExpression) -> str:
    """Return the text inside an expression's parentheses that is not part of the expression."""
    return "".join(code(space) for space in (node.lpar[0].whitespace_after, node.rpar[0].whitespace_before))


def parenthesize(node: cst.BaseExpression) -> cst.BaseExpression:
    """Return an expression in parentheses."""
    changed = node.with_changes(lpar=[cst.LeftParen(), *node.lpar], rpar=[*node.rpar, cst.RightParen()])
    return with_origin(changed, origin(node))


def _required_level(parent: cst.CSTNode, field: str) -> int:  # noqa: PLR0911 - the table that it reads as
    """Return the lowest precedence level that needs no parentheses in a field of a libcst node."""
    match parent:
        case cst.Attribute() | cst.Call() | cst.Subscript() | cst.Await():
            return ATOM
        case cst.UnaryOperation():
            return _operators()[type(parent.operator)]
        case cst.BinaryOperation(operator=cst.Power()):
            return AWAIT if field == "left" else SIGN
        case cst.BinaryOperation() | cst.BooleanOperation():
            return _operators()[type(parent.operator)] + (field == "right")
        case cst.Comparison() | cst.ComparisonTarget() | cst.StarredElement():
            return BIT_OR
        case cst.IfExp():
            return CHOICE if field == "orelse" else OR
        case cst.CompFor() | cst.CompIf():
            return OR
        case (
            cst.Assign()
            | cst.AssignTarget()
            | cst.AugAssign()
            | cst.Return()
            | cst.Expr()
            | (cst.If() | cst.While() | cst.For())
        ):
            return LOOSE
    return CHOICE


_AST_OPERATORS: dict[type[ast.AST], int] = {
    ast.Or: OR,
    ast.And: AND,
    ast.Not: NOT,
    ast.BitOr: BIT_OR,
    ast.BitXor: BIT_XOR,
    ast.BitAnd: BIT_AND,
    ast.LShift: SHIFT,
    ast.RShift: SHIFT,
    ast.Add: SUM,
    ast.Sub: SUM,
    ast.Mult: PRODUCT,
    ast.MatMult: PRODUCT,
    ast.Div: PRODUCT,
    ast.FloorDiv: PRODUCT,
    ast.Mod: PRODUCT,
    ast.USub: SIGN,
    ast.UAdd: SIGN,
    ast.Invert: SIGN,
    ast.Pow: POWER,
}


def required_level(parent: ast.AST | None, node: ast.AST) -> int:  # noqa: PLR0911 - as above
    """Return the lowest precedence level that needs no parentheses in the place of `node` in the file."""
    match parent:
        case ast.Attribute() | ast.Await():
            return ATOM
        case ast.Call(func=place) | ast.Subscript(value=place) if place is node:
            return ATOM
        case ast.UnaryOp(op=operator):
            return _AST_OPERATORS[type(operator)]
        case ast.BinOp(left=left, op=ast.Pow()):
            return AWAIT if left is node else SIGN
        case ast.BinOp(op=operator, left=left):
            return _AST_OPERATORS[type(operator)] + (left is not node)
        case ast.BoolOp(op=operator):
            return _AST_OPERATORS[type(operator)] + 1
        case ast.Compare():
            return BIT_OR
        case ast.Starred():
            return BIT_OR
        case ast.IfExp(orelse=place):
            return CHOICE if place is node else OR
        case ast.comprehension():
            return OR
        case ast.expr() | ast.keyword() | ast.withitem():
            return CHOICE
    return LOOSE
