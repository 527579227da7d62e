"""Calls: their arguments as libcst nodes, and calls with one argument added, removed or replaced."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.toolkit.parentheses import fit_parentheses
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.concrete import argument_at, expression_at


def ordered_arguments(call: ast.Call) -> Sequence[ast.expr | ast.keyword]:
    """Return the positional and keyword arguments of a call in the order in which the file has them."""
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    return sorted(parts, key=lambda part: (part.lineno, part.col_offset))


def argument(frame: CodeContext, node: ast.expr | ast.keyword) -> cst.Arg:
    """Return an argument or element of the file as a libcst argument, with its ``*`` or its keyword."""
    return argument_at(frame.source, node)


def by_name(name: str, value: cst.BaseExpression) -> cst.Arg:
    """Return a keyword argument."""
    plain = cst.SimpleWhitespace("")
    return fitted_argument(cst.Arg(value, cst.Name(name), cst.AssignEqual(plain, plain)))


def arguments(frame: CodeContext, call: ast.Call, but: ast.AST | None = None) -> list[cst.Arg]:
    """Return the arguments of a call as libcst arguments, without the argument `but`."""
    return [argument_at(frame.source, part) for part in ordered_arguments(call) if part is not but]


def without_argument(frame: CodeContext, call: ast.Call, part: ast.expr | ast.keyword) -> cst.Call:
    """Return a call without one of its arguments. All other arguments keep their text."""
    whole = _concrete(frame, call)
    at = ordered_arguments(call).index(part)
    left = [argument for index, argument in enumerate(whole.args) if index != at]
    if left and at == len(left):
        # The new last argument gets the comma and blanks of the old one.
        last = left[-1].with_changes(
            comma=whole.args[at].comma, whitespace_after_arg=whole.args[at].whitespace_after_arg
        )
        left[-1] = last
    return whole.with_changes(args=left)


def with_argument(frame: CodeContext, call: ast.Call, new: cst.Arg) -> cst.Call:
    """Return a call with another argument at its end. All other arguments keep their text."""
    return append_argument(_concrete(frame, call), new)


def append_argument(whole: cst.Call, new: cst.Arg) -> cst.Call:
    """Return a libcst call with another argument at its end. All other arguments keep their text."""
    if not whole.args:
        return whole.with_changes(args=[new])
    last = whole.args[-1]
    before, after = _commas(whole)
    ended = fitted_argument(last).with_changes(comma=before, whitespace_after_arg=cst.SimpleWhitespace(""))
    new = new.with_changes(comma=after, whitespace_after_arg=last.whitespace_after_arg)
    return whole.with_changes(args=[*whole.args[:-1], ended, new])


def _commas(call: cst.Call) -> tuple[cst.Comma | cst.MaybeSentinel, cst.Comma | cst.MaybeSentinel]:
    """Return the commas after the old and after the new last argument, when one is appended to a call."""
    comma, first = call.args[-1].comma, call.whitespace_before_args
    if not isinstance(comma, cst.Comma) or not isinstance(comma.whitespace_after, cst.ParenthesizedWhitespace):
        return cst.MaybeSentinel.DEFAULT, comma
    end = comma.whitespace_after
    line = first if isinstance(first, cst.ParenthesizedWhitespace) else end
    inner = end.with_changes(indent=line.indent, last_line=line.last_line)
    bare = end.with_changes(first_line=cst.TrailingWhitespace(), empty_lines=[])
    return comma.with_changes(whitespace_after=inner), comma.with_changes(whitespace_after=bare)


def with_arguments(frame: CodeContext, call: ast.Call, changed: Mapping[ast.expr | ast.keyword, cst.Arg]) -> cst.Call:
    """Return a call with the arguments in `changed` replaced. All others keep their text."""
    whole = _concrete(frame, call)
    pairs = zip(ordered_arguments(call), whole.args, strict=True)
    args = [
        changed[part].with_changes(comma=old.comma, whitespace_after_arg=old.whitespace_after_arg)
        if part in changed
        else old
        for part, old in pairs
    ]
    return whole.with_changes(args=args)


def with_or_without(
    frame: CodeContext, call: ast.Call, changed: Mapping[ast.expr | ast.keyword, cst.Arg | None]
) -> cst.Call:
    """Return a call with the arguments in `changed` replaced, or removed if their new value is None."""
    new = {part: value for part, value in changed.items() if value is not None}
    whole = with_arguments(frame, call, new)
    kept = [part in new or part not in changed for part in ordered_arguments(call)]
    left = [one for one, stays in zip(whole.args, kept, strict=True) if stays]
    if left and not kept[-1]:
        # The new last argument gets the comma and blanks of the old one.
        last = whole.args[-1]
        left[-1] = left[-1].with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    return whole.with_changes(args=left)


def by_places(frame: CodeContext, call: ast.Call) -> cst.Call:
    """Return a call with all arguments positional, in the order of the file."""
    whole = _concrete(frame, call)
    plain = {"keyword": None, "equal": cst.MaybeSentinel.DEFAULT}
    return whole.with_changes(args=[fitted_argument(argument.with_changes(**plain)) for argument in whole.args])


def call_of_elements(function: cst.BaseExpression, elements: cst.BaseExpression) -> cst.Call:
    """Return ``f(a, b)`` for the function ``f`` and the list ``[a, b]``, with the list's layout and comments."""
    assert isinstance(elements, cst.List)
    args = [
        fitted_argument(cst.Arg(e.value, comma=e.comma, star="*" if isinstance(e, cst.StarredElement) else ""))
        for e in elements.elements
    ]
    args[-1] = args[-1].with_changes(whitespace_after_arg=elements.rbracket.whitespace_before)
    return cst.Call(function, args, whitespace_before_args=elements.lbracket.whitespace_after)


def fitted_argument(argument: cst.Arg) -> cst.Arg:
    """Return an argument whose value is in parentheses if an argument needs them."""
    return argument.with_changes(value=fit_parentheses(argument.value, argument, "value"))


def data_and_rest(
    call: ast.Call, names: tuple[str, ...], namespace: bool
) -> tuple[ast.expr, list[ast.expr | None]] | None:
    """Return the tensor of a call, the receiver or the first argument, and its other arguments by `names`."""
    assert isinstance(call.func, ast.Attribute)
    values = list(call.args)
    given = {k.arg: k.value for k in call.keywords}
    data = (values.pop(0) if values else given.pop("data", None)) if namespace else call.func.value
    rest = [values.pop(0) if values else given.pop(name, None) for name in names]
    if data is None or values or given or any(isinstance(v, ast.Starred) for v in call.args):
        return None
    return data, rest


@record(frozen=True, slots=True)
class Filling:
    """The arguments of ``zeros``, ``ones`` and ``full``: the shape, the number of ``full``, and the others by name."""

    shape: ast.expr
    filler: ast.expr | None
    rest: Mapping[str, ast.expr]


def filling(call: ast.Call, name: str) -> Filling | None:
    """Return the arguments of the creation function `name`; None unless all but the first ones are given by name."""
    values, given = list(call.args), {str(k.arg): k.value for k in call.keywords}
    shape = values.pop(0) if values else given.pop("shape", None)
    fills = name == "full"
    filler = (values.pop(0) if values else given.pop("val", None)) if fills else None
    if shape is None or values or fills != (filler is not None) or any(k.arg is None for k in call.keywords):
        return None
    return Filling(shape, filler, given)


def _concrete(frame: CodeContext, call: ast.Call) -> cst.Call:
    whole = expression_at(frame.source, call, bare=True)
    assert isinstance(whole, cst.Call)
    return whole
