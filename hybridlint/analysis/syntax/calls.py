"""Calls: arguments, dispatch by the kind of callee, and results."""

from __future__ import annotations

import ast
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from hybridlint.analysis import semantics
from hybridlint.analysis.dispatch import (
    call_method,
    callee,
    evaluate,
    expression,
    invoke,
    invoke_by_syntax,
    member,
    method_of,
)
from hybridlint.analysis.flow.persistent_state import emit_change, note_emptied, outlives
from hybridlint.analysis.model import records
from hybridlint.analysis.model.arguments import method_node
from hybridlint.analysis.model.events import ArgumentsEvent, SideEffect, UnboundCall
from hybridlint.analysis.model.lattice import is_plain, join_all
from hybridlint.analysis.model.tables import CHANGING, OF_CONTAINERS
from hybridlint.analysis.model.values import (
    BlockRef,
    CallableUnion,
    ClassRef,
    ContainerValue,
    External,
    Function,
    ParameterRef,
    RecordType,
    SelfRef,
    Unknown,
    Value,
)
from hybridlint.analysis.syntax.attributes import note_value
from hybridlint.analysis.syntax.binding import binding_problem, is_reached
from hybridlint.analysis.syntax.functions import enter
from hybridlint.analysis.syntax.inferred_receivers import infer_receiver
from hybridlint.analysis.syntax.named_attributes import store_named
from hybridlint.analysis.syntax.subscripts import rebind

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


@expression(ast.Call)
def call(act: Activation, node: ast.Call) -> Value:
    """Evaluate a call."""
    result = _called(act, node)
    return semantics.library.shown_result(act, node) if isinstance(result, Unknown) else result


def _called(act: Activation, node: ast.Call) -> Value:
    if isinstance(node.func, ast.Attribute):
        if _is_super(node.func.value):
            return _super_call(act, node, node.func.attr)
        read = frozenset(act.run.trail.state_read) if node.func.attr == "clear" else None
        receiver = evaluate(act, node.func.value)
        if read is not None and isinstance(receiver, ContainerValue | Unknown):
            # Emptying a container reads none of its contents.
            act.run.trail.state_read &= read
            note_emptied(act, node.func.value)
        receiver = infer_receiver(act, receiver, node.func.attr) or receiver
        receiver = semantics.library.shown_receiver(act, receiver, node.func)
        semantics.library.look_up(act, receiver, node.func)
        return call_method(act, node, receiver, node.func.attr)
    callee = evaluate(act, node.func)
    act.run.trail.meet(isinstance(callee, Unknown))
    if isinstance(callee, External) and callee.name.startswith("builtins."):
        special = invoke_by_syntax(act, node, callee)
        if special is not None:
            return special
    args = arguments(act, node)
    with as_written(act, node, args):
        one_of = _choice(act, node.func) if isinstance(callee, Unknown) else []
        if one_of:
            return join_all([invoke(act, node, function, args) for function in one_of])
        return invoke(act, node, callee, args)


def _choice(act: Activation, node: ast.expr) -> list[Value]:
    """Return the classes of blocks that a container holds, if an unknown part of it is called: ``cells[kind](8)``."""
    if not isinstance(node, ast.Subscript):
        return []
    with act.run.reporting.silently():
        held = evaluate(act, node.value)
    items = list(held.items or ()) if isinstance(held, ContainerValue) else []
    return items if all(_is_block_class(act, item) for item in items) else []


def _is_block_class(act: Activation, value: Value) -> bool:
    if isinstance(value, ClassRef):
        return value.info.block
    return type(value) is External and act.run.project.dialect.is_block(value.name)


def as_written(act: Activation, node: ast.Call, args: ArgumentsEvent) -> AbstractContextManager[None]:
    """Mark events inside as synthetic if keyword arguments come from a dict: ``f(x, **{"out": z})``."""
    dicts = [keyword.value for keyword in node.keywords if keyword.arg is None]
    expanded = dicts and any(place in dicts for place in args.keyword_nodes.values())
    return act.run.reporting.rewriting() if expanded else nullcontext()


def arguments(act: Activation, node: ast.Call) -> ArgumentsEvent:
    """Evaluate a call's arguments."""
    nodes: list[ast.expr] = []
    values: list[Value] = []
    for part in node.args:
        value = evaluate(act, part)
        if isinstance(part, ast.Starred) and isinstance(value, ContainerValue) and value.items is not None:
            nodes += [part.value] * len(value.items)
            values += value.items
        else:
            nodes.append(part)
            values.append(value)
    keyword_nodes = {k.arg: k.value for k in node.keywords if k.arg is not None}
    keywords: dict[str, Value] = {}
    more = False
    for keyword in node.keywords:
        value = evaluate(act, keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = value
        elif isinstance(value, ContainerValue) and value.items is not None and value.keys is not None:
            spread = {key: item for key, item in zip(value.keys, value.items, strict=True) if isinstance(key, str)}
            keywords |= spread
            keyword_nodes |= dict.fromkeys(spread, keyword.value)
        else:
            more = True
    return ArgumentsEvent(tuple(nodes), tuple(values), keyword_nodes, keywords, more)


@callee(Function)
def _function_call(act: Activation, node: ast.Call, function: Function, args: ArgumentsEvent) -> Value:
    reason = binding_problem(node, function, args)
    if reason is None:
        return enter(act, function, args, node)
    if is_reached(function):
        act.emit(UnboundCall, node, reason=reason)
    return Unknown()


@callee(CallableUnion)
def _choice_call(act: Activation, node: ast.Call, choice: CallableUnion, args: ArgumentsEvent) -> Value:
    """Evaluate a call of whichever function a setting picks: each is entered.

    The call is written for all of them, so that what suits one operator cannot be written in its place.
    """
    results: list[Value] = []
    act.run.trail.meet(Unknown() in choice.functions)
    for function in choice.functions:
        with nullcontext() if isinstance(function, Function) else act.run.reporting.rewriting():
            results.append(invoke(act, node, function, args))
    return join_all(results)


@method_of(CallableUnion)
def _choice_method(act: Activation, node: ast.Call, choice: CallableUnion, name: str) -> Value:
    """Evaluate a method of whichever object a container of several gives."""
    if not any(map(is_plain, choice.functions)):
        return _any_method(act, node, choice, name)
    return join_all([call_method(act, node, one, name) for one in choice.functions])


@callee(SelfRef)
def _object_call(act: Activation, node: ast.Call, this: SelfRef, args: ArgumentsEvent) -> Value:
    found = None if this.instance.info.block else this.instance.info.method("__call__")
    return Unknown() if found is None else enter(act, Function(*found, (this,)), args, node)


@callee(RecordType)
def _record_call(act: Activation, node: ast.Call, kind: RecordType, args: ArgumentsEvent) -> Value:
    return records.make_record(kind, args)


@callee(Unknown)
def _unknown_call(act: Activation, node: ast.Call, function: Unknown, args: ArgumentsEvent) -> Value:
    """Forget the contents of dicts passed to an unknown function, which may fill them."""
    given = [*zip(args.nodes, args.values, strict=True)]
    given += [(place, args.keywords[name]) for name, place in args.keyword_nodes.items() if name in args.keywords]
    for place, value in given:
        if isinstance(value, ContainerValue) and value.kind == "dict":
            rebind(act, place, ContainerValue("dict", None, Unknown()))
    return Unknown()


@method_of(object)
def _any_method(act: Activation, node: ast.Call, receiver: Value, name: str) -> Value:
    """Evaluate a method call by evaluating the attribute and calling its value."""
    if isinstance(receiver, Unknown) and name in OF_CONTAINERS and outlives(act, holder := method_node(node)):
        emit_change(act, node, holder)
        return invoke(act, node, receiver, arguments(act, node))
    return invoke(act, node, note_value(act, receiver, method_node(node), name), arguments(act, node))


@method_of(SelfRef)
def _self_method(act: Activation, node: ast.Call, receiver: SelfRef, name: str) -> Value:
    found = member(act, receiver, name)
    if isinstance(found, BlockRef):
        act.run.seen.add(node.func, found)
    act.run.trail.meet(isinstance(found, Unknown))
    args = arguments(act, node)
    if name == "__setattr__" and isinstance(found, Unknown) and len(args.values) == 2:
        return store_named(act, node, receiver, args.values[1])
    if isinstance(found, Unknown):
        _unknown_call(act, node, found, args)
        _change_of_itself(act, node, receiver, name)
    if isinstance(found, Unknown | ParameterRef):
        return semantics.library.self_method(act, node, receiver, name, args)
    return invoke(act, node, found, args)


def _change_of_itself(act: Activation, node: ast.Call, this: SelfRef, name: str) -> None:
    """Emit an event for a method that changes an object which is itself a container and outlives the call."""
    instance = this.instance
    container = any(base.startswith(("builtins.", "collections.")) for base in instance.info.foreign_bases)
    if container and name in CHANGING and not instance.info.block and not instance.local:
        act.emit(SideEffect, node, kind="append", target=act.module.source.code(method_node(node)))


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _super_call(act: Activation, node: ast.Call, name: str) -> Value:
    args = arguments(act, node)
    if act.this is None or act.owner is None:
        return Unknown()
    found = act.this.instance.info.method_after(name, act.owner)
    if name == "__setattr__" and found is None and len(args.values) == 2:
        return store_named(act, node, act.this, args.values[1])
    if found is None:
        return semantics.library.inherited_method(act, act.this, name, args)
    method, owner = found
    return enter(act, Function(method, owner, (act.this,)), args, node)
