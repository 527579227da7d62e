"""Edits of function signatures (new parameters, other names) and new attributes in a block's `__init__`."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.toolkit.class_hierarchy import constructor_of
from hybridlint.fixers.toolkit.statements import insert_statements
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.text import cst
from hybridlint.text.concrete import block_code, code, statement_at
from hybridlint.text.edits import Applicability, Edit, Fix
from hybridlint.text.line_endings import with_newlines
from hybridlint.text.source import SourceFile, Span

if TYPE_CHECKING:
    from hybridlint.fixers.toolkit.templates import Part


def head_of(source: SourceFile, function: ast.FunctionDef) -> cst.FunctionDef:
    """Return the libcst definition of a function without decorators and with an empty body."""
    whole = statement_at(source, function)
    assert isinstance(whole, cst.FunctionDef)
    nothing = cst.SimpleStatementSuite([cst.Pass()], leading_whitespace=cst.SimpleWhitespace(""))
    return whole.with_changes(body=nothing, decorators=[], leading_lines=[], lines_after_decorators=[])


def rewrite_head(
    source: SourceFile, function: ast.FunctionDef, new: cst.FunctionDef, applicability: Applicability, *, message: str
) -> Fix | None:
    """Replace the signature of a function by the signature of `new`, a changed result of `head_of`."""
    start = source.line_starts[function.lineno - 1]
    line = source.line(function.lineno)
    indent = line[: len(line) - len(line.lstrip())]
    old, content = (_code(source, head, indent).removeprefix(indent) for head in (head_of(source, function), new))
    span = Span(start + len(indent), start + len(indent) + len(old))
    if source.text[span.start : span.end] != old or old == content:
        return None
    return Fix(message, (Edit(span, content),), applicability)


def with_parameter(
    head: cst.FunctionDef, name: str, *, at: int | None = None, default: cst.BaseExpression | None = None
) -> cst.FunctionDef:
    """Return a function's definition with one more parameter, as the last positional one or at index `at`.

    As the last, it has the default None if the parameter before it has a default, and it is given none.
    """
    before = list(head.params.params)
    at = len(before) if at is None else at
    new = cst.Param(cst.Name(name))
    if default is not None or (at == len(before) and before and before[-1].default is not None):
        plain = cst.SimpleWhitespace("")
        new = cst.Param(cst.Name(name), default=default or cst.Name("None"), equal=cst.AssignEqual(plain, plain))
    if 0 < at < len(before):
        new = new.with_changes(comma=_comma_like(before[at - 1]))
    elif at < len(before):
        new = new.with_changes(comma=_plain_comma())
    elif before:
        hanging = isinstance(head.whitespace_before_params, cst.ParenthesizedWhitespace)
        between = _comma_like(before[-2]) if hanging and len(before) > 1 else _plain_comma()
        before[-1], new = _ended(before[-1], between, new)
    return head.with_changes(params=head.params.with_changes(params=[*before[:at], new, *before[at:]]))


def with_renamed(head: cst.FunctionDef, names: Mapping[str, str]) -> cst.FunctionDef:
    """Return a function's definition with other names for some of its parameters, without what annotates these."""
    params = [
        each.with_changes(name=cst.Name(names[each.name.value]), annotation=None) if each.name.value in names else each
        for each in head.params.params
    ]
    return head.with_changes(params=head.params.with_changes(params=params))


def without_parameters(head: cst.FunctionDef, names: Collection[str]) -> cst.FunctionDef:
    """Return a function's definition without some of its parameters."""
    old = list(head.params.params)
    left = [each for each in old if each.name.value not in names]
    if left and left[-1] is not old[-1]:
        # The new last parameter gets the comma and blanks of the old one.
        left[-1] = left[-1].with_changes(comma=old[-1].comma, whitespace_after_param=old[-1].whitespace_after_param)
    return head.with_changes(params=head.params.with_changes(params=left))


def add_attribute(
    frame: CodeContext,
    owner: ast.ClassDef,
    name: str,
    template: str,
    *,
    before: ast.FunctionDef,
    message: str,
    behind: str = "",
    **parts: Part,
) -> Fix | None:
    """Add ``self.name = value`` at the end of `__init__`, or of the `with` that ends it.

    `template` is the value, with a place for `self` too: ``"{self}.params.get({key})"``; `behind` is a statement that
    follows, if there is one. A class without an `__init__` gets one above the method `before`. None if there is no
    place for the attribute.
    """
    init = constructor_of(owner)
    method = init or before
    this = method.args.args[0].arg if method.args.args else None
    if this is None:
        return None
    value = expression(template, self=this, **parts)
    made = statements("{self}.{name} = {value}", self=this, name=name, value=value)
    made += statements(behind, self=this, name=name) if behind else []
    if init is not None:
        last = init.body[-1]
        last = last.body[-1] if isinstance(last, ast.With) else last
        if isinstance(last, ast.Return):
            return None
        return insert_statements(frame, made, Applicability.UNSAFE, message=message, after=last)
    if before.decorator_list:
        return None
    new = statements(
        """
        def __init__({self}, *args, **kwargs):
            super().__init__(*args, **kwargs)
            with {self}.name_scope():
                {made}
        """,
        self=this,
        made=made,
    )
    fix = insert_statements(frame, new, Applicability.UNSAFE, message=message, before=before)
    return None if fix is None else Fix(message, (_with_empty_line(fix.edits[0]),), fix.applicability)


def method_added(frame: CodeContext, owner: ast.ClassDef, method: cst.FunctionDef) -> Fix | None:
    """Add a method to a class behind `__init__`, or else at its end, with an empty line above it.

    Where the next method follows `__init__` without one, so does the new method.
    """
    init = constructor_of(owner)
    fix = insert_statements(frame, [method], Applicability.UNSAFE, message="", after=init or owner.body[-1])
    if fix is None:
        return None
    (edit,) = fix.edits
    below = with_newlines(frame.source.text[edit.span.end :]).removeprefix("\n").partition("\n")[0].strip()
    content = edit.content if below and init is not None and init is not owner.body[-1] else f"\n{edit.content}"
    return Fix(f"Add {method.name.value}", (Edit(edit.span, content),), fix.applicability)


def _with_empty_line(edit: Edit) -> Edit:
    return Edit(edit.span, f"{edit.content}\n")


def _code(source: SourceFile, head: cst.FunctionDef, indent: str) -> str:
    return block_code(source, [head], indent).removesuffix("pass").removesuffix(":")


def _ended(last: cst.Param, between: cst.Comma, new: cst.Param) -> tuple[cst.Param, cst.Param]:
    """Return the old last parameter and a new one, which takes over the comma and line break at the end.

    Each keeps its comments.
    """
    comma = last.comma if isinstance(last.comma, cst.Comma) else None
    closing = last.whitespace_after_param if comma is None else comma.whitespace_after
    if isinstance(closing, cst.ParenthesizedWhitespace) and "#" in code(closing):
        below = between.whitespace_after
        indented = closing.with_changes(last_line=below.last_line) if isinstance(below, type(closing)) else closing
        between = between.with_changes(whitespace_after=indented)
    closing = _without_comments(closing)
    if comma is None:
        new = new.with_changes(whitespace_after_param=closing)
    else:
        new = new.with_changes(comma=comma.with_changes(whitespace_after=closing))
    return last.with_changes(comma=between, whitespace_after_param=cst.SimpleWhitespace("")), new


def _comma_like(parameter: cst.Param) -> cst.Comma:
    """Return a comma with the line break that follows the comma of `parameter`, and without its comments."""
    comma = parameter.comma
    if not isinstance(comma, cst.Comma):
        return _plain_comma()
    return comma.with_changes(whitespace_after=_without_comments(comma.whitespace_after))


def _plain_comma() -> cst.Comma:
    return cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def _without_comments(space: cst.BaseParenthesizableWhitespace) -> cst.BaseParenthesizableWhitespace:
    if not isinstance(space, cst.ParenthesizedWhitespace):
        return space
    return space.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=[])
