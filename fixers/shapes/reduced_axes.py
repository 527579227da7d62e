"""Fixers of reductions over all axes but the first ones, whose numbers are counted by the rank of a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import AttributeRead, CodeContext
from hybridlint.fixers.evidence.sizes.shape_guesses import shared_leaf
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.arguments import append_argument, by_name, with_arguments
from hybridlint.fixers.toolkit.names import dotted_parts, parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.statements import delete_statement, join_fixes
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup, properties
from hybridlint.text import cst
from hybridlint.text.edits import Fix

_MESSAGE = "Reduce all other axes with exclude=True"


class _OtherUseError(Exception):
    """A rank or the axes that it counts are used in another way."""


def all_but_first(event: AttributeRead) -> Fix | None:
    """Write ``x.sum(axis=tuple(range(1, x.ndim)))`` as ``x.sum(axis=0, exclude=True)``.

    The axes may have a name, and so may the rank. Safe if what is reduced is element-wise in the tensor whose rank it
    is, and so has this rank.
    """
    frame, node = event.frame, event.node
    if frame.functions is None or frame.mode != "legacy" or not isinstance(node, ast.Attribute):
        return None
    rank: ast.expr | None = node
    if event.name == "shape":
        rank = parent if isinstance(parent := _parent(frame, node), ast.Call) and _calls(parent, "len") else None
    if event.name == "size" or rank is None:
        return None
    try:
        found = [_reduction(frame, use, first) for axes, first in _axes(frame, rank) for use in _values(frame, axes)]
    except _OtherUseError:
        return None
    sure = all(shared_leaf(frame, data, node.value) is not None for _, data, _ in found)
    applicability = safe_if(sure)
    fixes = [rewrite(frame, call, new, applicability, message=_MESSAGE) for call, _, new in found]
    held = dict.fromkeys(frame.flow.statement_at(each) for each in _named(frame, rank))
    fixes += [delete_statement(frame, each, applicability, message=_MESSAGE) for each in held if each is not None]
    return join_fixes(_MESSAGE, fixes)


def _parent(frame: CodeContext, node: ast.expr) -> ast.AST | None:
    return parent_of(frame, node, frame.flow.statement_at(node))


def _calls(node: ast.AST | None, *names: str) -> bool:
    """Whether a node calls one of Python's functions."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names


def _values(frame: CodeContext, node: ast.expr) -> list[ast.expr]:
    """Return the expressions that have a value: the one that computes it, or the reads of the name that holds it."""
    statement = frame.flow.statement_at(node)
    if not isinstance(statement, ast.Assign) or statement.value is not node:
        return [node]
    (binding, *others) = [b for b in frame.flow.bindings if b.statement is statement]
    uses = list(frame.uses(binding))
    if others or not binding.is_plain or not uses or any(frame.binding(use) is not binding for use in uses):
        raise _OtherUseError
    return list(uses)


def _axes(frame: CodeContext, rank: ast.expr) -> Iterator[tuple[ast.expr, int]]:
    """Yield the expressions ``tuple(range(1, rank))`` of a rank, each with the first axis that it counts."""
    for use in _values(frame, rank):
        counted = _parent(frame, use)
        if not isinstance(counted, ast.Call) or not _calls(counted, "range") or len(counted.args) != 2:
            raise _OtherUseError
        first = literal(counted.args[0])
        if first is None or first < 1 or counted.args[1] is not use:
            raise _OtherUseError
        around = _parent(frame, counted)
        yield (around if isinstance(around, ast.Call) and _calls(around, "tuple", "list") else counted), first


def _named(frame: CodeContext, rank: ast.expr) -> Iterator[ast.expr]:
    """Yield the values that names hold only for the axes: the rank, and the axes."""
    for value in (rank, *(axes for axes, _ in _axes(frame, rank))):
        statement = frame.flow.statement_at(value)
        if isinstance(statement, ast.Assign) and statement.value is value:
            yield value


def _reduction(frame: CodeContext, axes: ast.expr, first: int) -> tuple[ast.Call, ast.expr, cst.BaseExpression]:
    """Return the reduction over some axes, its data, and the reduction over all but the axes before `first`."""
    keyword = _parent(frame, axes)
    call = _parent_of_keyword(frame, axes, keyword) if isinstance(keyword, ast.keyword) else None
    if call is None or not isinstance(keyword, ast.keyword) or not isinstance(call.func, ast.Attribute):
        raise _OtherUseError
    path = dotted_parts(call.func) or ("",)
    function = path[0] == frame.functions
    operator = lookup.function(path[1:-1], path[-1]) if function else lookup.of_tensors(call.func.attr)
    given = {each.arg for each in call.keywords}
    data = call.args[0] if function and call.args else call.func.value
    if operator is None or not properties.reduces_to_number(operator) or not {"axis", "exclude"} <= {*operator.params}:
        raise _OtherUseError
    if keyword.arg != "axis" or not given <= {"axis", "keepdims"} or len(call.args) != int(function):
        raise _OtherUseError
    kept = expression("0") if first == 1 else expression("({axes},)", axes=[expression(str(k)) for k in range(first)])
    new = with_arguments(frame, call, {keyword: by_name("axis", kept)})
    return call, data, append_argument(new, by_name("exclude", expression("True")))


def _parent_of_keyword(frame: CodeContext, axes: ast.expr, keyword: ast.keyword) -> ast.Call | None:
    call = parent_of(frame, keyword, frame.flow.statement_at(axes))
    return call if isinstance(call, ast.Call) else None
