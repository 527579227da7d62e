"""Fixer of tensors that are split into as many parts as an axis is long: ``F.split(x, num_outputs=n, axis=1, ...)``."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.evidence.helper_calls import entered_by
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.sized_call_rules import SizeRead
from hybridlint.fixers.shapes.sizes import parse
from hybridlint.fixers.toolkit.arguments import data_and_rest
from hybridlint.fixers.toolkit.names import dotted_parts, parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import replace
from hybridlint.text.edits import Applicability, Fix, FixKind

#: The longest chain of helpers that a list of steps is followed into.
_DEEPEST = 3


def steps_of_split(event: SizeRead, call: ast.Call) -> Fix | None:
    """Write ``steps = F.split(x, num_outputs=x.shape[1], axis=1, squeeze_axis=True)`` as ``F.swapaxes(x, 0, 1)``.

    A graph cannot split into a number of parts that it does not know, and the rows of a tensor are what the list holds.
    It is only tried: the loops over the rows must become foreach.
    None if the code does with the list what it could not do with a tensor. Unsafe: of one step, a split gives no list.
    """
    frame, functions = event.frame, event.frame.functions
    operator = lookup.of_tensors(call.func.attr) if isinstance(call.func, ast.Attribute) else None
    if functions is None or operator is None or operator is not lookup.function((), "split"):
        return None
    given = data_and_rest(
        call, ("num_outputs", "axis", "squeeze_axis"), (dotted_parts(call.func) or ("",))[0] == functions
    )
    if given is None:
        return None
    data, (count, axis, squeezed) = given[0], given[1]
    size = None if count is None else parse(count)
    whole = isinstance(squeezed, ast.Constant) and squeezed.value is True
    along = 1 if axis is None else literal(axis)
    if size is None or size.plain is None or not whole or along not in {0, 1}:
        return None
    match frame.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is call and _read_as_rows(frame, name, 0):
            new = (
                frame.concrete(data)
                if along == 0
                else expression("{F}.swapaxes({x}, 0, 1)", F=functions, x=frame.concrete(data))
            )
            fix = rewrite(frame, call, new, Applicability.UNSAFE)
            return None if fix is None else replace(fix, kind=FixKind.STEP)
    return None


def _read_as_rows(frame: CodeContext, name: str, depth: int) -> bool:
    """Whether a function and the helpers that get a list only read its items and iterate over it."""
    alone = len(frame.flow.rebindings_of(name)) <= 1
    return depth < _DEEPEST and alone and all(_is_read_as_rows(frame, n, depth) for n in frame.flow.reads_of(name))


def _is_read_as_rows(frame: CodeContext, node: ast.Name, depth: int) -> bool:
    parent = parent_of(frame, node, frame.function)
    match parent:
        case ast.Subscript(value=held, ctx=ast.Load()) if held is node:
            return not isinstance(parent.slice, ast.Slice) or _is_iterated(
                parent_of(frame, parent, frame.function), parent
            )
        case ast.Call():
            if _is_iterated(parent, node):
                return True
            entered = entered_by(frame, parent)
            if entered is None:
                return False
            function, given = entered
            names = [parameter for parameter, value in given.items() if value is node]
            helper = replace(frame, function=function)
            return len(names) == 1 and _read_as_rows(helper, names[0], depth + 1)
    return _is_iterated(parent, node)


def _is_iterated(parent: ast.AST | None, node: ast.expr) -> bool:
    """Whether a loop iterates over an expression, by itself or together with others."""
    match parent:
        case ast.For(iter=source) | ast.comprehension(iter=source):
            return source is node
        case ast.Call(func=ast.Name(id="zip" | "enumerate" | "reversed" | "len")):
            return True
    return False
