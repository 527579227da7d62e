"""Calls of unknown blocks whose results the function goes on to use as only tensors can be used.

A block given to ``__init__``, a list of blocks or a container that a helper fills may return anything. What the
function does with the result tells: ``y.shape``, ``y[:, 0]`` and ``F.relu(y)`` fail for whatever is no tensor.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import member
from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.values import (
    BlockRef,
    Function,
    Namespace,
    ParameterRef,
    ShapeProvenance,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.mxnet.argument_dependence import computed_from, is_fed
from hybridlint.analysis.mxnet.blocks.deferred_initialization import is_common_parameter
from hybridlint.analysis.mxnet.inputs.body_uses import uses_in
from hybridlint.analysis.mxnet.inputs.layer_inputs import takes_only_tensors
from hybridlint.runtime.facts import lookup, surface
from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import branches, is_own, walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: What an unknown callable may return instead of a tensor; what these have tells nothing.
_PLAIN = (list, tuple, dict, set, str, bytes, int, float)


def shown_result(act: Activation, node: ast.Call) -> Value:
    """Return the result of a call of an unknown function: a tensor if the caller uses it as one."""
    if act.role.building or not isinstance(act.node, ast.FunctionDef) or not _is_of_block(act, node.func):
        return Unknown()
    block = isinstance(act.run.seen.value(node.func), BlockRef) or _is_kept(act, node.func)
    shown = (_shows(act, place) or (block and _is_operand(act, place)) for place in _places(act.node, node))
    fed = _is_fed(act, node)
    if not fed or not any(shown):
        return Unknown(fed=fed)
    return act.tensor(lineage=ShapeProvenance(act.run.token(), _steps_of_unknown(act, node)))


def shown_receiver(act: Activation, receiver: Value, method: ast.Attribute) -> Value:
    """Return the receiver of a method, inferred from the method's name if the receiver is unknown.

    That is a tensor, if an unknown block made it of tensors and only arrays have the method, a Parameter in
    ``self.embedding.weight.data()``, whatever block was given to ``__init__``, and a block in
    ``self.teacher.collect_params()``.
    """
    name = method.attr
    if isinstance(receiver, Unknown) and name == "collect_params":
        return BlockRef("", None)
    if isinstance(receiver, Unknown) and name == "data" and is_common_parameter(method.value):
        return ParameterRef()
    if isinstance(receiver, Unknown) and receiver.fed and not any(hasattr(kind, name) for kind in _PLAIN):
        return (
            act.tensor(lineage=ShapeProvenance(act.run.token())) if surface.tensor_lack(name) is not None else receiver
        )
    return receiver


def _steps_of_unknown(act: Activation, node: ast.Call) -> tuple[str, ...]:
    """Return the known steps of an unknown block's result. Pooled data may be left with one position."""
    data = act.run.seen.value(node.args[0]) if node.args else Unknown()
    steps = data.lineage.steps if isinstance(data, Tensor) and data.lineage is not None else ()
    return ("pooled",) if steps[-1:] in {("reduced",), ("pooled",)} else ()


def shown_argument(act: Activation, name: str) -> bool:
    """Return whether the function uses an argument as only tensors can be used, before it binds the name anew."""
    if not isinstance(act.node, ast.FunctionDef):
        return False
    reading = _reading(act.node)
    if name in reading.otherwise:
        return False
    bound = min((one.row for one in reading.bindings.get(name, ())), default=None)
    uses = reading.uses.get(name, ())
    return any(_shows(act, use) for use in uses if bound is None or use.value.lineno <= bound)


def _is_of_block(act: Activation, callee: ast.expr) -> bool:
    """Return whether an unknown callee may be a child: an attribute of self, or a name bound in the function."""
    if isinstance(callee, ast.Name):
        return isinstance(act.flow.names.get(callee.id), Unknown | BlockRef)
    if isinstance(callee, ast.Call):
        return isinstance(act.run.seen.value(callee), BlockRef)
    if isinstance(callee, ast.Attribute) and act.this is not None and act.this.instance.info.method(callee.attr):
        return False
    while isinstance(callee, ast.Attribute | ast.Subscript):
        callee = callee.value
    return isinstance(callee, ast.Name) and callee.id == "self"


def _is_kept(act: Activation, callee: ast.expr) -> bool:
    """Return whether a callee is an argument that ``__init__`` only keeps. Called with tensors, it is a block."""
    if not is_own(callee) or act.this is None:
        return False
    held = member(act, act.this, callee.attr)
    return isinstance(held, Unknown) and held.held is not None


def _is_fed(act: Activation, node: ast.Call) -> bool:
    """Return whether the first argument of a call depends on tensors, or on the traced method's arguments."""
    tensors = {name for name, value in act.flow.names.items() if isinstance(value, Tensor)}
    names = {n.id for first in node.args[:1] for n in walk(first) if isinstance(n, ast.Name)}
    if act.role.entry and is_fed(act, ArgumentsEvent(tuple(node.args), (), {}, {})):
        return True
    return bool(names & tensors) or (act.node is not None and bool(names & computed_from(act.node, tensors)))


@record(frozen=True)
class _Place:
    """An expression that represents a value, and the node that uses it."""

    value: ast.expr
    user: ast.AST


def _shows(act: Activation, place: _Place) -> bool:
    """Return whether a use fails for everything but tensors."""
    match place.user:
        case ast.Attribute(attr=name):
            return _only_tensors_have(name)
        case ast.Subscript(slice=ast.Tuple(elts=parts)):
            return any(isinstance(part, ast.Slice) for part in parts)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=held), attr="append"), args=[first]):
            return first is place.value and act.node is not None and held in _joined(act.node, act.functions)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self")) as child, args=[first]) if act.this is not None:
            return first is place.value and takes_only_tensors(act, act.this.instance, child)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=space), attr=name), args=[first, *_]) if (
            space == act.functions
        ):
            return first is place.value and _takes_tensor(name)
        case ast.Call(func=ast.Attribute(value=space, attr=name), args=[first, *_]):
            return first is place.value and _takes_tensor(name) and _is_of_arrays(act, space)
        case ast.Call(func=ast.Name(id=name), args=args) if place.value in args:
            helper = act.module.value(name)
            if not isinstance(helper, Function) or not isinstance(helper.node, ast.FunctionDef):
                return False
            return _shown_by_helper(act, helper.node, args.index(place.value))
        case _:
            return False


def _is_of_arrays(act: Activation, space: ast.expr) -> bool:
    """Return whether an expression is the namespace of functions that take arrays alone: ``mx.nd``."""
    return act.module.expression(space) == Namespace("nd")


def _is_operand(act: Activation, place: _Place) -> bool:
    """Return whether a block's result is an operand beside a tensor: lists raise there, and blocks give no numbers."""
    match place.user:
        case ast.BinOp(left=left, right=right):
            other = right if left is place.value else left
            return isinstance(other, ast.Name) and isinstance(act.flow.names.get(other.id), Tensor)
        case _:
            return False


@lru_cache(maxsize=256)
def _joined(function: ast.AST, space: str | None) -> frozenset[str]:
    """Return the names of lists whose elements an operator of any number of inputs takes: ``F.concat(*parts)``."""
    found: set[str] = set()
    for node in branches(function):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=owner), attr=name), args=[ast.Starred(value=ast.Name(id=held))]
            ) if owner == space and (operator := lookup.function((), name)) is not None and operator.variadic:
                found.add(held)
    return frozenset(found)


def _only_tensors_have(name: str) -> bool:
    if any(hasattr(kind, name) for kind in _PLAIN):
        return False
    return surface.tensor_lack(name) is not None or lookup.method(name) is not None


def _takes_tensor(name: str) -> bool:
    operator = lookup.function((), name)
    return operator is not None and not operator.variadic and bool(operator.inputs)


def _shown_by_helper(act: Activation, helper: ast.FunctionDef, at: int) -> bool:
    """Return whether a function of the file uses an argument as a tensor before it binds the name anew."""
    if at >= len(helper.args.args) or helper is act.node:
        return False
    name = helper.args.args[at].arg
    reading = _reading(helper)
    if name in reading.otherwise:
        return False
    bound = min((one.row for one in reading.bindings.get(name, ())), default=None)
    uses = reading.uses.get(name, ())
    return any(
        isinstance(use.user, ast.Attribute | ast.Subscript | ast.Call) and _shows(act, use)
        for use in uses
        if bound is None or use.value.lineno <= bound
    )


def _places(function: ast.FunctionDef, call: ast.Call) -> Iterator[_Place]:
    """Yield the places of a function that use the result of a call, directly or by its name."""
    reading = _reading(function)
    user = reading.users.get(call)
    if user is not None:
        yield _Place(call, user)
    bound = reading.bound.get(call)
    if bound is None or bound.name in reading.otherwise:
        return
    last = min((b.row for b in reading.bindings[bound.name] if b.follows(bound)), default=None)
    for place in reading.uses.get(bound.name, ()):
        if bound.row < place.value.lineno and (last is None or place.value.lineno <= last):
            yield place


@record(frozen=True)
class _Binding:
    """An assignment to a name, with the statement lists around it, from the function's body inwards."""

    name: str
    row: int
    around: tuple[int, ...]

    def follows(self, other: _Binding) -> bool:
        """Whether every path from the other binding to code below this one passes this binding."""
        return self.row > other.row and self.around == other.around[: len(self.around)]


@record(frozen=True)
class _Reading:
    """Facts about the names of a function, from its text."""

    users: dict[ast.expr, ast.AST]
    uses: dict[str, list[_Place]]
    bindings: dict[str, list[_Binding]]
    #: The bindings of calls' results.
    bound: dict[ast.Call, _Binding]
    #: Names that are also used as something else: unpacked, iterated over, tested, or asked what they are.
    otherwise: frozenset[str]


@lru_cache(maxsize=256)
def _reading(function: ast.FunctionDef) -> _Reading:
    users: dict[ast.expr, ast.AST] = {}
    uses: dict[str, list[_Place]] = {}
    for node in branches(function):
        for child in _used(node):
            users[child] = node
            if isinstance(child, ast.Name):
                uses.setdefault(child.id, []).append(_Place(child, node))
    bindings: dict[str, list[_Binding]] = {}
    bound: dict[ast.Call, _Binding] = {}
    for statement, around in _statements(function.body, ()):
        for name in _targets(statement):
            binding = _Binding(name, statement.end_lineno or statement.lineno, around)
            bindings.setdefault(name, []).append(binding)
            match statement:
                case ast.Assign(targets=[ast.Name()], value=ast.Call() as call):
                    bound[call] = binding
    known = uses_in(function)
    otherwise = known.as_list | known.surely_list | known.either | known.probed | known.unpacked | _tested(function)
    return _Reading(users, uses, bindings, bound, frozenset(otherwise))


def _used(node: ast.AST) -> Iterator[ast.expr]:
    match node:
        case ast.Attribute(value=value) | ast.Subscript(value=value):
            yield value
        case ast.Call(args=args):
            yield from args
        case ast.BinOp(left=left, right=right):
            yield from (left, right)
        case _:
            return


def _statements(body: list[ast.stmt], around: tuple[int, ...]) -> Iterator[tuple[ast.stmt, tuple[int, ...]]]:
    inside = (*around, id(body))
    for statement in body:
        yield statement, inside
        if isinstance(statement, ast.FunctionDef | ast.ClassDef):
            continue
        for name in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, name, []), inside)
        for handler in getattr(statement, "handlers", ()):
            yield from _statements(handler.body, inside)


def _targets(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.Assign(targets=targets):
            yield from (n.id for target in targets for n in walk(target) if isinstance(n, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name)):
            yield name
        case ast.For(target=target):
            yield from (n.id for n in walk(target) if isinstance(n, ast.Name))
        case _:
            return


def _tested(function: ast.FunctionDef) -> set[str]:
    """Return the names whose truth, or whose being None, a function tests."""
    found: set[str] = set()
    for node in branches(function):
        match node:
            case ast.If(test=ast.Name(id=name)) | ast.IfExp(test=ast.Name(id=name)) | ast.While(test=ast.Name(id=name)):
                found.add(name)
            case ast.UnaryOp(op=ast.Not(), operand=ast.Name(id=name)):
                found.add(name)
            case ast.BoolOp(values=values):
                found |= {value.id for value in values if isinstance(value, ast.Name)}
            case ast.Compare(left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot()]):
                found.add(name)
            case _:
                continue
    return found
