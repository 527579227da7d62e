"""Gradients that a control flow operator's function passes on unchanged, which fails in MXNet.

The gradient of ``a + b`` with respect to `a` is the array that arrived, itself. If a function adds a value that it uses
nowhere else, its backward pass returns the very array that it received, and MXNet 1.9.1 finds no storage type for it:
always for `cond`, and for `foreach` if the initial states are not inputs of the block. ``F.broadcast_add`` makes a new
array.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import ContainerValue, Function, Namespace, Tensor, Value
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import own, walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

_INPUTS = frozenset({"argument", "parameter"})


@record(frozen=True, slots=True)
class PassedArguments:
    """A value that a function adds and uses nowhere else: its name, its text, and its position in the result."""

    name: str
    text: str
    place: tuple[int, ...]


def passed_by_branch(act: Activation, function: Value) -> Iterator[str]:
    """Yield the terms that a branch of `cond` adds and uses nowhere else."""
    if isinstance(function, Function):
        yield from (found.text for found in _passed(act, function))


def passed_by_step(act: Activation, function: Value, data: Value, states: Value) -> Iterator[str]:
    """Yield the terms that a step of `foreach` adds and uses nowhere else, if they need an intermediate gradient.

    An output may pass on the gradient of an input of the block without failing.
    """
    if not isinstance(function, Function) or _is_input(states) or _closes_over_input(act, function):
        return
    first = next((name for name in _parameters(function)[:1]), None)
    for found in _passed(act, function):
        if found.place[:1] == (1,) or found.name != first or not _is_input(data):
            yield found.text


def _passed(act: Activation, function: Function) -> Iterator[PassedArguments]:
    for result in _results(function.node):
        for place, part in _parts(result, ()):
            terms = list(_terms(act, function, part))
            for term in terms if len(terms) > 1 else ():
                base = term.value if isinstance(term, ast.Subscript) else term
                if isinstance(base, ast.Name) and _is_only_use(function.node, base.id, term):
                    yield PassedArguments(base.id, ast.unparse(term), place)


def _results(function: ast.FunctionDef | ast.Lambda) -> Iterator[ast.expr]:
    if isinstance(function, ast.Lambda):
        yield function.body
        return
    for node in own(function):
        if isinstance(node, ast.Return) and node.value is not None:
            yield node.value


def _parts(result: ast.expr, place: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], ast.expr]]:
    if not isinstance(result, ast.Tuple | ast.List):
        yield place, result
        return
    for at, part in enumerate(result.elts):
        yield from _parts(part, (*place, at))


def _terms(act: Activation, function: Function, node: ast.expr) -> Iterator[ast.expr]:
    """Yield the tensors that a sum adds.

    A sum with a number calls another operator, which does not pass gradients on unchanged.
    """
    match node:
        case ast.BinOp(left=left, op=ast.Add(), right=right) if all(
            _is_tensor(act, function, side) for side in (left, right)
        ):
            pass
        case ast.Call(func=ast.Attribute(attr="elemwise_add"), args=[left, right]):
            pass
        case _:
            yield node
            return
    yield from _terms(act, function, left)
    yield from _terms(act, function, right)


def _is_tensor(act: Activation, function: Function, node: ast.expr) -> bool:
    own_names = _parameters(function)
    names = [n.id for n in walk(node) if isinstance(n, ast.Name)]
    return any(name in own_names or _is_of_tensors(act.lookup(name)) for name in names)


def _is_of_tensors(value: Value) -> bool:
    return isinstance(value, Tensor) or value == Namespace("F")


def _is_only_use(function: ast.AST, name: str, term: ast.expr) -> bool:
    nodes = list(walk(function))
    reads = [n for n in nodes if isinstance(n, ast.Name) and n.id == name]
    if isinstance(term, ast.Name):
        return len(reads) == 1
    parts = [n for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id == name]
    return len(parts) == len(reads) and sum(ast.dump(n) == ast.dump(term) for n in parts) == 1


def _parameters(function: Function) -> list[str]:
    spec = function.node.args
    return [a.arg for a in (*spec.posonlyargs, *spec.args)][len(function.bound) :]


def _is_input(value: Value) -> bool:
    """Return whether a value is or holds an input of the block, or may because it is unknown."""
    if isinstance(value, ContainerValue):
        return any(map(_is_input, (value.each,) if value.items is None else value.items))
    return not isinstance(value, Tensor) or value.origin in _INPUTS


def _closes_over_input(act: Activation, function: Function) -> bool:
    """Return whether a function reads an input of the block other than through its parameters."""
    own_names = _parameters(function)
    free = {n.id for n in walk(function.node) if isinstance(n, ast.Name)} - set(own_names)
    found = (act.lookup(name) for name in free)
    return any(isinstance(value, Tensor) and value.origin in _INPUTS for value in found)
