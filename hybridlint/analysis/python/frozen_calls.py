"""Calls whose results differ between calls of the block for equal inputs: clocks, random numbers, iterators, queues."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.analysis.flow.certain_statements import runs_always
from hybridlint.analysis.flow.reporting_names import only_reported, own_attribute, tallies, tells_only
from hybridlint.analysis.model.arguments import argument
from hybridlint.analysis.model.events import ArgumentsEvent, SideEffect, TraceConstant
from hybridlint.analysis.model.tables import CLOCKS, ITERATORS, QUEUES, STATEFUL, words
from hybridlint.analysis.model.values import STATIC_UNKNOWN, LibraryInstance, StaticValue, Unknown, Value
from hybridlint.analysis.python.draws import SEEDS, draw_result, is_seeded, seed
from hybridlint.text.syntax import each, holds, reads

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: Functions that read what differs from run to run, or from call to call.
_READING = CLOCKS | words("os.getenv os.environ.get os.getpid os.urandom uuid.uuid4 uuid.uuid1 socket.gethostname")
#: Functions that read environment variables, which are set before the program runs; most are not set at all.
_ENVIRONMENT = words("os.getenv os.environ.get")
_NOT_DRAWN = words("seed RandomState default_rng Random get_state set_state setstate getstate")
#: The constructor of variables that each task of a program has for itself.
_VARIABLE = "contextvars.ContextVar"
#: Methods of iterators and queues that take an element out of them.
_TAKING = words("__next__ send get get_nowait")


def frozen_call(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value | None:
    """Evaluate a call whose result differs each time, such as a clock; None for other functions."""
    if name == _VARIABLE:
        return LibraryInstance(f"{name}()", name)
    if name in STATEFUL:
        draws = name.startswith(("random.", "numpy."))
        begins_anew = not act.role.building and (args.values or not draws)
        return LibraryInstance(f"{name}()", name, anew=bool(begins_anew))
    dialect = act.run.project.dialect
    if name in SEEDS or name in dialect.seeds:
        return seed(act, node, name, args)
    if name in dialect.places:
        act.emit(TraceConstant, node, source_of_value=name.removeprefix(dialect.prefix), used=True)
        return None
    if not _draws(act, name):
        return None
    if is_seeded(act, name):
        return draw_result(name, args)
    if name in dialect.modes and (_refuses_only(act, node) or _reports_only(act, node) or _keeps_mode(act, node)):
        return _answer(act, name, args)
    used = name.endswith(".shuffle") or (not isinstance(act.place.statement, ast.Expr) and not _only_reported(act))
    if name in _ENVIRONMENT:
        act.emit(TraceConstant, node, source_of_value=name, used=False)
        return argument(args, "default", 1) or StaticValue(None, certain=True)
    act.emit(TraceConstant, node, source_of_value=name.removeprefix(dialect.prefix), used=used)
    return _answer(act, name, args)


def _answer(act: Activation, name: str, args: ArgumentsEvent) -> Value:
    """Return the result of a function that returns a mode, or that draws a random number."""
    if name in act.run.project.dialect.modes:
        return StaticValue(STATIC_UNKNOWN, either=True, asked=name)
    return draw_result(name, args)


def taking_call(act: Activation, node: ast.Call, owner: LibraryInstance, method: str) -> Value | None:
    """Evaluate a method that takes an element from an iterator or a queue; None for other objects."""
    maker = owner.maker
    if maker == _VARIABLE:
        return _variable(act, node, method)
    if maker not in ITERATORS | QUEUES:
        return None
    if method in _TAKING:
        act.emit(TraceConstant, node, source_of_value="next" if maker in ITERATORS else maker, used=True)
        return StaticValue(STATIC_UNKNOWN)
    if method in {"put", "put_nowait"}:
        act.emit(SideEffect, node, kind="append", target=act.module.source.code(node.func), carried=False)
    return Unknown()


def _variable(act: Activation, node: ast.Call, method: str) -> Value:
    """Evaluate ``variable.get()``, or ``variable.set(value)``, which a later call of the block finds there."""
    assert isinstance(node.func, ast.Attribute)
    holder = node.func.value
    state, trail = (hash(ast.dump(holder)), _VARIABLE), act.run.trail
    if method == "get" and state not in trail.state_stored:
        trail.state_read.add(state)
    if method == "set" and state in trail.state_read:
        act.emit(SideEffect, node, kind="append", target=act.module.source.code(holder), carried=True)
    elif method == "set" and act.place.statement is not None and runs_always(act.node, act.place.statement):
        trail.state_stored.add(state)
    return Unknown()


def _draws(act: Activation, name: str) -> bool:
    """Return whether a function returns a different value in each call."""
    base = name.rpartition(".")[2]
    if name.startswith(("random.", "numpy.random.")):
        return base not in _NOT_DRAWN
    modes = act.run.project.dialect.modes
    if name in modes:
        return not modes[name] & set(act.run.scopes())
    return name in _READING or name.startswith("secrets.")


def _refuses_only(act: Activation, node: ast.Call) -> bool:
    """Return whether the value of a call only decides whether to raise.

    Then all runs that succeed have the same value, and freezing it changes nothing.
    """
    match act.place.statement:
        case ast.Assert(test=test):
            refuses = True
        case ast.If(test=test, body=body, orelse=orelse):
            refuses = any(isinstance(side[-1], ast.Raise) for side in (body, orelse) if side)
        case _:
            return _only_reported(act)
    return refuses and holds(test, node)


def _reports_only(act: Activation, node: ast.Call) -> bool:
    """Return whether the value of a call only decides what is printed, logged or counted for people."""
    place = act.place.statement
    if not isinstance(place, ast.If) or not holds(place.test, node):
        return False
    return tells_only(place, tallies(act.module.source.tree))


def _keeps_mode(act: Activation, node: ast.Call) -> bool:
    """Return whether a call reads a mode that a scope then keeps, in a ``with`` or through a name."""
    place, dialect = act.place.statement, act.run.project.dialect
    match place:
        case ast.With(items=items):
            calls: Sequence[ast.Call] = [item.context_expr for item in items if isinstance(item.context_expr, ast.Call)]
            asked = {id(node)}
        case ast.Expr():
            calls, asked = each(place, ast.Call), {id(node)}
        case ast.Assign(targets=[ast.Name(id=name)]) if act.node is not None:
            calls = each(act.node, ast.Call)
            asked = {id(read) for read in reads(act.node, name)}
        case _:
            return False
    given = {id(value) for call in calls for value in dialect.modes_given(call)}
    return bool(asked) and asked <= given


def _only_reported(act: Activation) -> bool:
    """Return whether the statement around the call binds a name whose value is only printed or logged."""
    match act.place.statement:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AugAssign(target=ast.Name(id=name)) if act.node is not None:
            return only_reported(act.node, name, tallies(act.module.source.tree))
        case ast.Assign(targets=[target]) | ast.AugAssign(target=target):
            return own_attribute(target) in tallies(act.module.source.tree)
        case _:
            return False
