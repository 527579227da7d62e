"""Brackets: their items, and their layout over several lines in Black's style."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from hybridlint.fixers.toolkit.parentheses import level
from hybridlint.text import cst

if TYPE_CHECKING:
    Item: TypeAlias = cst.Arg | cst.BaseElement | cst.BaseDictElement | cst.SubscriptElement

#: The indentation of the contents of brackets.
STEP = "    "


def held_items(node: cst.BaseExpression) -> Sequence[Item]:
    """Return the items in the brackets with which an expression ends: ``a, b`` of ``f(a, b)``; () without any."""
    match node:
        case cst.Call(args=items) | cst.List(elements=items) | cst.Set(elements=items) | cst.Dict(elements=items):
            return items
        case cst.Tuple(elements=items) if node.lpar:
            return items
        case cst.Subscript(slice=items) if len(items) > 1:
            return items
    return ()


def open_brackets(
    node: cst.BaseExpression,
    indent: str,
    at_start: Sequence[str] = (),
    after: Mapping[int, Sequence[str]] | None = None,
    *,
    one_line: bool = False,
    wrap: bool = False,
) -> cst.BaseExpression:
    """Return an expression with each item of its brackets on a line of its own.

    `at_start` holds the comments after the opening bracket, and `after` those after the item of each index. An
    expression without items in brackets gets parentheses, and so does every expression if `wrap` is true. With
    `one_line` the items share one line.
    """
    items, after = held_items(node), after or {}
    if isinstance(node, cst.ListComp | cst.SetComp) and not wrap and not at_start:
        return _with_items(node, (), line_break(indent + STEP), line_break(indent))
    if wrap or not items:
        return _wrapped(node, indent, at_start)
    inner, final = indent + STEP, len(items) - 1
    changed: list[Item] = []
    for index, item in enumerate(items):
        if index == final and (one_line or not takes_comma(node)):
            changed.append(item.with_changes(comma=cst.MaybeSentinel.DEFAULT))
        elif one_line:
            changed.append(item)
        else:
            changed.append(_with_comma(item, line_break(indent if index == final else inner, after.get(index, ()))))
    bare = isinstance(changed[-1].comma, cst.MaybeSentinel)
    return _with_items(
        node, changed, line_break(inner, at_start), line_break(indent, after.get(final, ())) if bare else None
    )


def reopen_brackets(node: cst.BaseExpression, indent: str) -> cst.BaseExpression:
    """Return an expression in parentheses of the file with a line of its own inside of these."""
    opening = node.lpar[-1].with_changes(whitespace_after=line_break(indent + STEP))
    closing = node.rpar[0].with_changes(whitespace_before=line_break(indent))
    return node.with_changes(lpar=[*node.lpar[:-1], opening], rpar=[closing, *node.rpar[1:]])


def with_held_items(node: cst.BaseExpression, items: Sequence[Item]) -> cst.BaseExpression:
    """Return an expression with other items in the brackets with which it ends."""
    match node:
        case cst.Call():
            return node.with_changes(args=items)
        case cst.Subscript():
            return node.with_changes(slice=items)
    return node.with_changes(elements=items)


def split_at_operators(node: cst.BaseExpression, indent: str) -> cst.BaseExpression:
    """Return an expression with a line break before each operator of its lowest precedence."""
    space = line_break(indent)
    match node:
        case cst.BinaryOperation() | cst.BooleanOperation():
            left = node.left
            if type(left) is type(node) and not left.lpar and level(left) == level(node):
                left = split_at_operators(left, indent)
            operator = node.operator.with_changes(whitespace_before=space, whitespace_after=cst.SimpleWhitespace(" "))
            return node.with_changes(left=left, operator=operator)
        case cst.Comparison(comparisons=parts):
            operators = [part.operator.with_changes(whitespace_before=space) for part in parts]
            changed = [part.with_changes(operator=new) for part, new in zip(parts, operators, strict=True)]
            return node.with_changes(comparisons=changed)
        case cst.GeneratorExp() | cst.ListComp() | cst.SetComp():
            return node.with_changes(for_in=_split_loops(node.for_in, space))
        case cst.IfExp():
            return node.with_changes(whitespace_before_if=space, whitespace_before_else=space)
    return node


def _split_loops(loop: cst.CompFor, space: cst.ParenthesizedWhitespace) -> cst.CompFor:
    inner = loop.inner_for_in
    return loop.with_changes(
        whitespace_before=space,
        ifs=[condition.with_changes(whitespace_before=space) for condition in loop.ifs],
        inner_for_in=None if inner is None else _split_loops(inner, space),
    )


def takes_comma(node: cst.BaseExpression) -> bool:
    """Whether a comma may follow the last item in an expression's brackets; ``x[0,]`` is another expression."""
    items = held_items(node)
    if len(items) != 1:
        return True
    match items[0]:
        case cst.Arg(value=cst.GeneratorExp() as generator):
            return bool(generator.lpar)
    return not isinstance(node, cst.Subscript)


def _with_comma(item: Item, space: cst.ParenthesizedWhitespace) -> Item:
    if isinstance(item, cst.Arg):
        return item.with_changes(comma=cst.Comma(whitespace_after=space), whitespace_after_arg=cst.SimpleWhitespace(""))
    return item.with_changes(comma=cst.Comma(whitespace_after=space))


def _with_items(
    node: cst.BaseExpression,
    items: Sequence[Item],
    first: cst.ParenthesizedWhitespace,
    last: cst.ParenthesizedWhitespace | None,
) -> cst.BaseExpression:
    match node:
        case cst.Call():
            if last is not None:
                items = [*items[:-1], items[-1].with_changes(whitespace_after_arg=last)]
            return node.with_changes(args=items, whitespace_before_args=first)
        case cst.Tuple():
            closing = node.rpar[0].with_changes(whitespace_before=last or cst.SimpleWhitespace(""))
            opening = node.lpar[-1].with_changes(whitespace_after=first)
            return node.with_changes(elements=items, lpar=[*node.lpar[:-1], opening], rpar=[closing, *node.rpar[1:]])
        case cst.List() | cst.ListComp():
            held = {"elements": items} if isinstance(node, cst.List) else {}
            return node.with_changes(
                **held,
                lbracket=node.lbracket.with_changes(whitespace_after=first),
                rbracket=node.rbracket.with_changes(whitespace_before=last or cst.SimpleWhitespace("")),
            )
        case cst.Set() | cst.Dict() | cst.SetComp():
            held = {} if isinstance(node, cst.SetComp) else {"elements": items}
            return node.with_changes(
                **held,
                lbrace=node.lbrace.with_changes(whitespace_after=first),
                rbrace=node.rbrace.with_changes(whitespace_before=last or cst.SimpleWhitespace("")),
            )
        case cst.Subscript():
            return node.with_changes(
                slice=items,
                lbracket=node.lbracket.with_changes(whitespace_after=first),
                rbracket=node.rbracket.with_changes(whitespace_before=last or cst.SimpleWhitespace("")),
            )
    raise TypeError(f"{type(node).__name__} has no brackets of its own")


def _wrapped(node: cst.BaseExpression, indent: str, comments: Sequence[str]) -> cst.BaseExpression:
    """Return an expression in parentheses, on a line of its own."""
    opening = cst.LeftParen(whitespace_after=line_break(indent + STEP, comments))
    closing = cst.RightParen(whitespace_before=line_break(indent))
    return node.with_changes(lpar=[opening, *node.lpar], rpar=[*node.rpar, closing])


def line_break(indent: str, comments: Sequence[str] = ()) -> cst.ParenthesizedWhitespace:
    """Return a line break and `indent`. The first comment ends the old line, the others get lines of their own."""
    first, others = (comments[0], comments[1:]) if comments else (None, [])
    return cst.ParenthesizedWhitespace(
        first_line=cst.TrailingWhitespace(
            whitespace=cst.SimpleWhitespace("  " if first else ""), comment=cst.Comment(first) if first else None
        ),
        empty_lines=[
            cst.EmptyLine(indent=False, whitespace=cst.SimpleWhitespace(indent), comment=cst.Comment(other))
            for other in others
        ],
        indent=False,
        last_line=cst.SimpleWhitespace(indent),
    )
