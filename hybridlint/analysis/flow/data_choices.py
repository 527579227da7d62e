"""Choices by the numbers in a tensor that only eager runs make, below a guard on the kind of array."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import evaluate
from hybridlint.analysis.flow.one_run_code import Side, is_left_out
from hybridlint.analysis.flow.truth import truth
from hybridlint.analysis.model.values import DataDependentValue, NumpyArray, Tensor
from hybridlint.text.syntax import each

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


def is_chosen_by_data(act: Activation, test: ast.expr, body: Side, orelse: Side) -> bool:
    """Return whether only eager runs compute other values where data say so: ``if F is nd and x.min() < 0: x = -x``."""
    return _asks_for_data(act, test) and is_left_out(act, body, orelse)


def chooses_by_data(act: Activation, eager: Side, traced: Side) -> bool:
    """Return whether the eager side of a guard has a branch on data that computes other values than the trace."""
    if eager is None or isinstance(eager, ast.expr):
        return False
    return any(is_left_out(act, taken, traced) for taken in _taken(act, eager))


def _asks_for_data(act: Activation, test: ast.expr) -> bool:
    """Return whether a test asks for the kind of array first, and for the numbers in one after that."""
    match test:
        case ast.BoolOp(op=ast.And(), values=[first, *others]):
            pass
        case _:
            return False
    with act.run.reporting.silently():
        kind = evaluate(act, first)
    return truth(kind, "eager") is True and truth(kind, "traced") is False and all(_reads(act, n) for n in others)


def _taken(act: Activation, side: Sequence[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """Yield the statements of a side with the body of a branch on data in the place of the branch."""
    for place, part in enumerate(side):
        if isinstance(part, ast.If) and not part.orelse and _reads(act, part.test):
            yield [*side[:place], *part.body, *side[place + 1 :]]


def _reads(act: Activation, test: ast.expr) -> bool:
    """Return whether a test reads the numbers in a tensor."""
    flow = act.flow.copy()
    with act.run.reporting.silently():
        found = any(_reads_here(act, call) for call in each(test, ast.Call))
    act.flow = flow
    return found


def _reads_here(act: Activation, call: ast.Call) -> bool:
    """Return whether a call of a tensor's method gives its numbers."""
    if not isinstance(call.func, ast.Attribute) or not isinstance(evaluate(act, call.func.value), Tensor):
        return False
    return isinstance(evaluate(act, call), DataDependentValue | NumpyArray)
