"""Loops that data may end early, up to a number of rounds: each round is computed, and counts while data say so."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import partial

from hybridlint.analysis.dataflow.bindings import Binding
from hybridlint.analysis.model.events import Branch, CodeContext
from hybridlint.analysis.model.values import BlockRef, StaticValue, Tensor
from hybridlint.fixers.control.branches import is_graph
from hybridlint.fixers.evidence.tensors import ignores_mode, is_one_number
from hybridlint.fixers.loops.flows import LoopFlow
from hybridlint.fixers.loops.flows import flow_of as step_flow
from hybridlint.fixers.toolkit.names import block_around, free_name
from hybridlint.fixers.toolkit.statements import (
    delete_statement,
    join_fixes,
    replace_statements,
    statements_with,
    with_comment_behind,
)
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import each, own

_MESSAGE = "Compute all rounds, and keep what the first ones made once the condition has changed"


@record(frozen=True, slots=True)
class _BoundedLoop:
    """A loop with a bound: its counter, its largest number of rounds, its condition and its other statements."""

    node: ast.While | ast.For
    counter: str
    rounds: cst.BaseExpression
    test: ast.expr
    #: Whether the loop goes on while the test is false.
    inverse: bool
    body: list[ast.stmt]
    #: Statements that count: before the loop.
    spent: tuple[ast.Assign, ...] = ()


def all_rounds(event: Branch) -> Fix | None:
    """Write ``while c(x) and n < most`` as a ``for`` over all rounds, whose results ``F.where`` keeps or drops.

    So for a ``for`` whose body begins with ``if c(x): break``. A round after the last one begins with the same values,
    so that the condition stays as it is. None if a round draws numbers, asks for the mode, or makes tensors longer.
    """
    frame, functions = event.frame, event.frame.functions
    if functions is None or frame.mode != "legacy" or not isinstance(frame.function, ast.FunctionDef):
        return None
    loop = _loop(event, frame.function)
    if loop is None or not is_one_number(frame, loop.test) or not is_graph(loop.test):
        return None
    counted = any(read.id == loop.counter for read in each(loop.test, ast.Name))
    if counted or not all(_repeats(frame, call) for call in each(loop.test, ast.Call)):
        return None
    flow = step_flow(loop.body)
    carried = None if flow is None else _carried(frame, loop, flow)
    if not carried or not all(_computes(frame, part) for part in loop.body):
        return None
    return _replaced(frame, functions, loop, carried)


def _loop(event: Branch, function: ast.FunctionDef) -> _BoundedLoop | None:
    for loop in each(function, ast.While):
        if any(part is event.condition for part in each(loop.test, type(event.condition))):
            return _counted(event.frame, loop)
    for row in each(function, ast.For):
        match row:
            case ast.For(
                target=ast.Name(id=counter),
                iter=ast.Call(func=ast.Name(id="range"), args=args, keywords=[]) as rounds,
                body=[ast.If(test=test, body=[ast.Break()], orelse=[]), *body],
                orelse=[],
            ) if test is event.condition and all(_is_fixed(event.frame, part) for part in args):
                return _BoundedLoop(row, counter, event.frame.concrete(rounds), test, inverse=True, body=body)
    return None


def _counted(frame: CodeContext, loop: ast.While) -> _BoundedLoop | None:
    """Return a ``while`` that counts its rounds from a number up to another one; None for any other."""
    match loop:
        case ast.While(test=ast.BoolOp(op=ast.And(), values=[one, other]), body=[*body], orelse=[]):
            pass
        case _:
            return None
    for test, bound in ((one, other), (other, one)):
        match bound:
            case ast.Compare(left=ast.Name(id=counter), ops=[ast.Lt()], comparators=[most]) if _is_fixed(frame, most):
                start = _start(frame, loop, counter)
                steps = [part for part in body if _counts(part, counter)]
                if start is None or len(steps) != 1 or steps != body[-1:]:
                    return None
                given = [frame.concrete(part) for part in (start.value, most)]
                if isinstance(start.value, ast.Constant) and start.value.value == 0:
                    del given[0]
                rounds = expression("range({given})", given=given)
                return _BoundedLoop(loop, counter, rounds, test, inverse=False, body=body[:-1], spent=(start,))
    return None


def _start(frame: CodeContext, loop: ast.While, counter: str) -> ast.Assign | None:
    """Return the statement in front of a loop that sets its counter to a number; None if others set it too."""
    block = block_around(frame, loop) or []
    stores = [binding.statement for binding in frame.flow.bindings_of(counter)]
    before = [part for part in block[: block.index(loop)] if part in stores]
    match before:
        case [ast.Assign(targets=[ast.Name()], value=value) as made] if len(stores) == 2 and _is_fixed(frame, value):
            return made
    return None


def _counts(part: ast.stmt, counter: str) -> bool:
    match part:
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=ast.Constant(value=1)):
            return name == counter
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.BinOp(left=ast.Name(id=read), op=ast.Add(), right=ast.Constant(value=1)),
        ):
            return name == read == counter
    return False


def _is_fixed(frame: CodeContext, node: ast.expr) -> bool:
    """Whether an expression is a number of Python: a literal or a setting."""
    return isinstance(node, ast.Constant) or isinstance(frame.seen.value(node), StaticValue)


def _carried(frame: CodeContext, loop: _BoundedLoop, flow: LoopFlow) -> list[str] | None:
    """Return the names that a round binds for later rounds, for the condition or for code behind the loop.

    None if one of them is no tensor, is not bound before the loop, or gets longer from round to round; or if code
    behind the loop asks for the number of rounds.
    """
    early = {*flow.early, *(read.id for read in each(loop.test, ast.Name))}
    bound = flow.surely | flow.perhaps
    names = [n for n in sorted(bound) if n in early or frame.live_after(loop.node, n)]
    if flow.perhaps or flow.changed or flow.lists or loop.counter in bound or frame.live_after(loop.node, loop.counter):
        return None
    inside = set(own(loop.node))
    parts = set(each(loop.node, ast.Name))
    for name in names:
        bindings = frame.flow.bindings_of(name)
        reads = parts.intersection(frame.flow.reads_of(name))
        rounds = [binding for binding in bindings if binding.statement in inside]
        if len(rounds) == len(bindings) or not reads or not all(map(partial(_keeps_shape, frame), rounds)):
            return None
        if not all(isinstance(frame.seen.value(read), Tensor) for read in reads):
            return None
    return names


def _keeps_shape(frame: CodeContext, binding: Binding) -> bool:
    """Whether a round binds a name to arithmetic, to an operator of each element, or to what a layer makes.

    Operators that join, cut or move axes may change the shape from round to round.
    """
    made = binding.statement.value if isinstance(binding.statement, ast.Assign) else None
    match made:
        case ast.BinOp() | ast.UnaryOp():
            return True
        case ast.Call(func=function):
            name = function.attr if isinstance(function, ast.Attribute) else ""
            operator = lookup.of_tensors(name) or lookup.of_numbers(name)
            layer = isinstance(frame.seen.value(function), BlockRef)
            return layer or (
                operator is not None and (properties.keeps_shape(operator) or properties.broadcasts(operator))
            )
    return False


def _computes(frame: CodeContext, part: ast.stmt) -> bool:
    """Whether a statement binds names to results of operators and layers that compute the same in each round."""
    return isinstance(part, ast.Assign) and all(_repeats(frame, call) for call in each(part, ast.Call))


def _repeats(frame: CodeContext, call: ast.Call) -> bool:
    """Whether a call of a layer or an operator gives the same for the same inputs, in both modes."""
    return ignores_mode(frame, call) and not (isinstance(call.func, ast.Attribute) and lookup.draws(call.func.attr))


def _replaced(frame: CodeContext, functions: str, loop: _BoundedLoop, carried: Sequence[str]) -> Fix | None:
    running, before = free_name(frame, "running"), free_name(frame, "before")
    test = frame.concrete(loop.test)
    if loop.inverse:
        test = expression("{F}.logical_not({test})", F=functions, test=test)
    new = statements(
        "for {counter} in {rounds}:\n    {running} = {test}\n    {before} = [{names}]\n    pass",
        counter=loop.counter,
        rounds=loop.rounds,
        running=running,
        test=test,
        before=before,
        names=[expression(name) for name in carried],
    )
    (row,) = new
    assert isinstance(row, cst.For)
    assert isinstance(row.body, cst.IndentedBlock)
    body = statements_with(frame, loop.body, {})
    body[-1] = with_comment_behind(frame, loop.body[-1], body[-1])
    kept = [*body, *_choices(functions, carried, running, before)]
    row = row.with_changes(body=row.body.with_changes(body=[*row.body.body[:-1], *kept]))
    unsafe = Applicability.UNSAFE
    fixes = [replace_statements(frame, loop.node, [row], unsafe, message=_MESSAGE)]
    fixes += [delete_statement(frame, part, unsafe, message=_MESSAGE) for part in loop.spent]
    return join_fixes(_MESSAGE, fixes)


def _choices(functions: str, carried: Sequence[str], running: str, before: str) -> Iterator[cst.BaseStatement]:
    """Yield the statements that keep the value of before a round where the loop has ended."""
    template = "{name} = {F}.where({F}.broadcast_mul({F}.ones_like({name}), {running}), {name}, {before}[{place}])"
    for place, name in enumerate(carried):
        for made in statements(template, F=functions, name=name, running=running, before=before, place=place):
            assert isinstance(made, cst.BaseStatement)
            yield made
