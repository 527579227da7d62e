"""How many axes a named tensor has, as the function's code shows by unpacking and by operators."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.arguments import data_and_rest
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.types import TensorType
from hybridlint.text.syntax import each

#: Operators that take this many axes at least are seldom given more.
_TELLING = 3
_MOST = 6


def unpacked_rank(frame: CodeContext, node: ast.Name) -> int | None:
    """Return the rank that ``b, t, c = x.shape`` shows for the same `x`; None without such a statement."""
    for made in each(frame.function, ast.Assign) if frame.function is not None else ():
        match made:
            case ast.Assign(
                targets=[ast.Tuple(elts=names) | ast.List(elts=names)],
                value=ast.Attribute(value=ast.Name(id=name), attr="shape"),
            ) if name == node.id and not any(isinstance(n, ast.Starred) for n in names):
                if _is_same(frame, name, made.lineno, node.lineno):
                    return len(names)
            case _:
                pass
    return None


def least_rank(frame: CodeContext, node: ast.Name) -> int:
    """Return how many axes the reads of ``x.shape[2]`` show that the same `x` has at least, 1 without any."""
    found = [1]
    for read in each(frame.function, ast.Subscript) if frame.function is not None else ():
        match read:
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=ast.Constant(value=int() as axis)
            ) if name == node.id and _is_same(frame, name, read.lineno, node.lineno):
                found.append(axis + 1)
            case _:
                pass
    return max(found)


def flattened_to(frame: CodeContext, node: ast.Name) -> ast.expr | None:
    """Return the second size of ``x.reshape((-1, units))``, likely the last axis of the same `x`; None without one."""
    for call in each(frame.function, ast.Call) if frame.function is not None else ():
        path = dotted_parts(call.func) or ("",)
        if path[-1] != "reshape":
            continue
        given = data_and_rest(call, ("shape",), path[0] == frame.functions)
        match given:
            case ast.Name(id=name), [ast.Tuple(elts=[first, last])] if name == node.id and literal(first) == -1:
                if _is_same(frame, name, call.lineno, node.lineno):
                    return last
            case _:
                pass
    return None


def likely_rank(frame: CodeContext, node: ast.Name) -> int | None:
    """Return the fewest axes with which an operator takes the same tensor, where it takes no matrices.

    ``F.batch_dot(x, y)`` takes three axes or more, and is hardly ever given more.
    """
    ranks = [rank for line, rank in _taken(frame, node.id) if _is_same(frame, node.id, line, node.lineno)]
    return max(ranks, default=None)


def _taken(frame: CodeContext, name: str) -> Iterator[tuple[int, int]]:
    for call in each(frame.function, ast.Call) if frame.function is not None else ():
        path = dotted_parts(call.func) or ("",)
        places = [k for k, given in enumerate(call.args) if isinstance(given, ast.Name) and given.id == name]
        operator = lookup.function(path[1:-1], path[-1]) if places and path[0] == frame.functions else None
        if operator is not None and places[0] < len(operator.inputs):
            least = _least_rank(operator, places[0])
            if least is not None and least >= _TELLING:
                yield call.lineno, least


@cache
def _least_rank(operator: Operator, place: int) -> int | None:
    """Return the fewest axes that an input of an operator may have; None where that depends on its parameters."""
    for rank in range(_MOST):
        ins = [TensorType() for _ in operator.inputs]
        ins[place] = TensorType(tuple(Dim.named(f"axis {axis}") for axis in range(rank)))
        if properties.first_output(operator, tuple(ins), operator.defaults()) is not None:
            return rank
    return None


def _is_same(frame: CodeContext, name: str, one: int, other: int) -> bool:
    """Return whether a name means the same tensor on two lines: nothing in between binds it."""
    first, last = sorted([one, other])
    return not any(first <= bound.row < last for bound in frame.flow.rebindings_of(name))
