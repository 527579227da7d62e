"""Fixers of stars on tensors, ``f(*x)``: the rows by name, or an operator of all rows at once."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext, Concretize
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.tensors import proved_value
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.loops.iteration import split_rows
from hybridlint.fixers.toolkit.arguments import by_name
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.definitions import Operator
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk

_GROWING = frozenset({"append", "extend", "insert"})


def without_star(event: Concretize) -> Fix | None:
    """Write ``f(*x)`` as an operator of the whole tensor, or with ``F.split``, if the number of rows is known."""
    starred, value = event.node, event.value
    if event.frame.functions is None or not isinstance(value, Tensor) or value.mode != "legacy":
        return None
    if not isinstance(starred, ast.expr):
        return None
    node = starred.value if isinstance(starred, ast.Starred) else starred
    return _split(event, event.frame.functions, node, value) or _at_once(event.frame, starred, node, value)


def _split(event: Concretize, functions: str, node: ast.expr, value: Tensor) -> Fix | None:
    shape = value.type.shape
    if shape is None or len(shape) < 2 or not isinstance(node, ast.Name):
        return None
    rows = shape[0]
    if not isinstance(rows, int) or rows < 2:
        return None
    new = split_rows(functions, event.frame.concrete(node), rows)
    return rewrite(event.frame, node, new, Applicability.UNSAFE)


def _at_once(frame: CodeContext, starred: ast.expr, node: ast.expr, value: Tensor) -> Fix | None:
    """Write ``F.add_n(*x)`` as a sum over the first axis, and rows that are joined along it as the tensor itself.

    Rows of a vector are arrays of one element: so is their sum, but joined they may be a table.
    """
    if not proved_value(frame, value, node) or _grows(frame, node):
        return None
    call = parent_of(frame, starred)
    match call:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=functions), attr=name), args=[only]) if only is starred:
            operator = lookup.function((), name) if functions == frame.functions else None
        case _:
            return None
    if operator is None or operator.facts.of_all_rows is None or not _joins_first_axis(operator, call):
        return None
    whole, parameters = operator.facts.of_all_rows
    new = frame.concrete(node)
    if parameters:
        given = [by_name(name, expression(repr(value))) for name, value in parameters.items()]
        new = expression("{F}.{name}({x}, {given})", F=functions, name=whole, x=new, given=given)
    rank, summed = value.type.rank, not operator.params
    return rewrite(frame, call, new, safe_if(summed or (rank is not None and rank > 1)))


def _grows(frame: CodeContext, node: ast.expr) -> bool:
    """Whether a name holds a list that the function adds tensors to."""
    methods = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Attribute) and n.attr in _GROWING)
    return isinstance(node, ast.Name) and any(isinstance(n.value, ast.Name) and n.value.id == node.id for n in methods)


def _joins_first_axis(operator: Operator, call: ast.Call) -> bool:
    """Whether a call of an operator with several inputs passes no argument but axis 0, where it has an axis."""
    axes = {name: parameter.default for name, parameter in operator.params.items()}
    for keyword in call.keywords:
        if keyword.arg not in axes:
            return False
        axes[keyword.arg] = literal(keyword.value)
    return all(axis == 0 for axis in axes.values())
