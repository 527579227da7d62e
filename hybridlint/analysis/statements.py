"""Statements: how what names hold changes along the flow."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from hybridlint.analysis.arithmetic import in_place
from hybridlint.analysis.attempts import attempt
from hybridlint.analysis.attributes import store_attribute
from hybridlint.analysis.events import Guard, Return, Scope, SideEffect
from hybridlint.analysis.expressions import condition, evaluate, narrow, narrowed, within
from hybridlint.analysis.functions import decorate
from hybridlint.analysis.guards import guard
from hybridlint.analysis.imports import imports
from hybridlint.analysis.iteration import elements, iterate
from hybridlint.analysis.lazy import made_once
from hybridlint.analysis.loops import for_loop, while_loop
from hybridlint.analysis.scopes import lets_gradients_pass, made_in
from hybridlint.analysis.state import Activation, Flow, merge
from hybridlint.analysis.subscripts import store
from hybridlint.analysis.values import (
    ClassRef,
    External,
    Function,
    Items,
    Static,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.syntax import branches


def execute(act: Activation, body: Sequence[ast.stmt]) -> None:
    """Interpret statements in order, as far as any run comes."""
    outer = act.statement
    for index, node in enumerate(body):
        if not act.flow.alive or act.run.exhausted:
            break
        act.run.steps += 1
        act.statement = node
        if isinstance(node, ast.If):
            _if(act, node, body[index + 1 :])
        else:
            handler = _HANDLERS.get(type(node))
            if handler is not None:
                handler(act, node)
    act.statement = outer


def assign(act: Activation, target: ast.expr, value: Value, node: ast.AST) -> None:
    """Bind a target to a value. `node` is what the assignment is told at."""
    match target:
        case ast.Name(id=name):
            if name in act.run.owners:
                for stale in [k for k in act.flow.names if k.startswith(f"{name}.")]:
                    del act.flow.names[stale]
            act.bind(name, value)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            _unpack(act, parts, value, node)
        case ast.Starred(value=inner):
            assign(act, inner, value, node)
        case ast.Attribute():
            store_attribute(act, target, value, node)
        case ast.Subscript():
            store(act, target, value, node)
        case _:
            return


def _unpack(act: Activation, parts: list[ast.expr], value: Value, node: ast.AST) -> None:
    starred = next((i for i, p in enumerate(parts) if isinstance(p, ast.Starred)), None)
    if starred is None:
        for part, item in zip(parts, elements(act, value, len(parts), node), strict=False):
            assign(act, part, item, node)
        return
    if isinstance(value, Items) and value.items is not None and len(value.items) >= len(parts) - 1:
        after = len(parts) - starred - 1
        end = len(value.items) - after
        middle = Items("list", value.items[starred:end])
        for part, item in zip(parts, (*value.items[:starred], middle, *value.items[end:]), strict=True):
            assign(act, part, item, node)
        return
    each = iterate(act, value, node, "unpacking")
    for part in parts:
        assign(act, part, Items("list", None, each) if isinstance(part, ast.Starred) else each, node)


def _expression(act: Activation, node: ast.Expr) -> None:
    evaluate(act, node.value)


def _assign(act: Activation, node: ast.Assign) -> None:
    value = evaluate(act, node.value)
    for target in node.targets:
        assign(act, target, value, node)


def _ann_assign(act: Activation, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(act, node.target, evaluate(act, node.value), node)


def _aug_assign(act: Activation, node: ast.AugAssign) -> None:
    target = evaluate(act, _reading(node.target)) if not isinstance(node.target, ast.Subscript) else Unknown()
    value = evaluate(act, node.value)
    if isinstance(node.target, ast.Subscript):
        store(act, node.target, _updated(act, node, value), node)
        return
    result = in_place(act, node, target, value)
    # `x += y` on an array that self keeps writes into it and stores it again: one event tells both.
    if isinstance(node.target, ast.Name):
        act.bind(node.target.id, result)
    elif isinstance(node.target, ast.Attribute):
        assign(act, node.target, result, node)


def _updated(act: Activation, node: ast.AugAssign, value: Value) -> Value:
    """Evaluate ``a[i] op value`` of a container's element; of a tensor, the store itself is told."""
    assert isinstance(node.target, ast.Subscript)
    holder = evaluate(act, node.target.value)
    if not isinstance(holder, Items):
        return value
    with act.run.silently():
        old = evaluate(act, _reading(node.target))
    return in_place(act, node, old, value)


def _reading(target: ast.expr) -> ast.expr:
    """Return the expression that reads what an assignment's target names."""
    copied: Any = type(target)(**{f: getattr(target, f) for f in target._fields})
    copied.ctx = ast.Load()
    ast.copy_location(copied, target)
    return copied  # type: ignore[no-any-return]


def _return(act: Activation, node: ast.Return) -> None:
    value = evaluate(act, node.value) if node.value is not None else Static(None)
    act.returns.append((node, value, act.flow.worlds))
    if act.entry and not act.silent:
        several = act.node is not None and sum(isinstance(n, ast.Return) for n in branches(act.node)) > 1
        inputs = () if act.inner else returned_inputs(value)
        act.tell(Return, node, value=value, inputs=inputs, one_of_several=several)
    act.flow.end()


def returned_inputs(value: Value) -> tuple[Tensor, ...]:
    """Return the arguments and parameters that a returned value hands back unchanged."""
    if isinstance(value, Tensor):
        return (value,) if value.origin in {"argument", "parameter"} else ()
    if isinstance(value, Items) and value.items is not None:
        return tuple(t for item in value.items for t in returned_inputs(item))
    return ()


def _raise(act: Activation, node: ast.Raise) -> None:
    if node.exc is not None:
        with act.run.silently():
            evaluate(act, node.exc)
    act.flow.end()


def _if(act: Activation, node: ast.If, rest: Sequence[ast.stmt]) -> None:
    lazy = made_once(node)
    if not lazy:
        _branch(act, node, rest)
        return
    read, outer = set(act.run.state_read), act.made_once
    act.made_once = outer | lazy
    _branch(act, node, rest)
    act.made_once = outer
    # That the test reads what the body makes once carries nothing from call to call.
    own = {(id(act.this.instance), name) for name in lazy} if act.this is not None else set()
    act.run.state_read -= own - read
    for name in lazy:
        act.flow.names.pop(f"self.{name}", None)


def _branch(act: Activation, node: ast.If, rest: Sequence[ast.stmt]) -> None:
    known = condition(act, node.test, "if", node)
    worlds, before = act.flow.worlds, act.flow
    orelse = node.orelse or _continuation(node, rest)
    guard(act, node, test=node.test, known=known, body=node.body, orelse=orelse)
    ends: list[Flow] = []
    for body, wanted in ((node.body, True), (node.orelse, False)):
        reached = narrowed(known, worlds, wanted)
        act.flow = before.copy()
        act.flow.worlds = reached
        if reached:
            narrow(act, node.test, wanted)
            execute(act, body)
        ends.append(act.flow)
    act.flow = merge(*ends)


def _continuation(node: ast.If, rest: Sequence[ast.stmt]) -> Sequence[ast.stmt] | None:
    """Return what runs where an if without else is not taken: the rest, where its body does not come there."""
    return rest if isinstance(node.body[-1], ast.Return | ast.Raise) else None


def _while(act: Activation, node: ast.While) -> None:
    while_loop(act, node)
    execute(act, node.orelse)


def _for(act: Activation, node: ast.For) -> None:
    for_loop(act, node)
    execute(act, node.orelse)


def _break(act: Activation, node: ast.Break) -> None:
    act.breaks.append(act.flow.copy())
    act.flow.end()


def _continue(act: Activation, node: ast.Continue) -> None:
    act.continues.append(act.flow.copy())
    act.flow.end()


def _with(act: Activation, node: ast.With) -> None:
    scopes: list[str] = []
    for item in node.items:
        value = evaluate(act, item.context_expr)
        if isinstance(value, External) and value.name.startswith("scope:"):
            scopes.append(value.name.removeprefix("scope:"))
        if item.optional_vars is not None:
            assign(act, item.optional_vars, Unknown(), node)
    before, worlds = act.flow.copy(), act.flow.worlds
    modal, returned = act.run.modal, len(act.returns)
    execute(act, node.body)
    if not scopes or act.silent:
        return
    made = [*made_in(act, node, before), *(value for _, value, _ in act.returns[returned:])]
    with within(act, worlds):
        for name in scopes:
            act.tell(Scope, node, name=name, modal=act.run.modal > modal, flows=any(map(lets_gradients_pass, made)))


def _assert(act: Activation, node: ast.Assert) -> None:
    known = condition(act, node.test, "assert", node)
    if known["traced"] is False and known["eager"] is not False:
        act.tell(Guard, node, how=act.module.source.code(node.test), differs=True)
    act.flow.worlds = narrowed(known, act.flow.worlds, wanted=True) or act.flow.worlds
    narrow(act, node.test, holds=True)


def _function(act: Activation, node: ast.FunctionDef) -> None:
    act.flow.names[node.name] = decorated(act, node)


def decorated(act: Activation, node: ast.FunctionDef) -> Value:
    """Return what a function definition binds."""
    return decorate(act, node, Function(node, act))


def _class(act: Activation, node: ast.ClassDef) -> None:
    act.flow.names[node.name] = ClassRef(act.module.class_info(node))


def _import(act: Activation, node: ast.Import | ast.ImportFrom) -> None:
    for name, imported in imports(iter([node])):
        act.flow.names[name] = act.run.project.imported(act.module, imported)


def _delete(act: Activation, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            act.flow.names.pop(target.id, None)


def _nonlocal(act: Activation, node: ast.Nonlocal) -> None:
    act.nonlocals |= set(node.names)


def _global(act: Activation, node: ast.Global) -> None:
    for name in node.names:
        act.flow.names[name] = Unknown()
        if act.node is not None and _stores(act.node, name):
            act.tell(SideEffect, node, kind="global", target=name, carried=True)


def _stores(function: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store) for n in ast.walk(function))


def _match(act: Activation, node: ast.Match) -> None:
    from hybridlint.analysis.matching import match

    match(act, node)


_HANDLERS: dict[type, Callable[[Activation, Any], None]] = {
    ast.Expr: _expression,
    ast.Assign: _assign,
    ast.AnnAssign: _ann_assign,
    ast.AugAssign: _aug_assign,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.While: _while,
    ast.For: _for,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.With: _with,
    ast.Try: attempt,
    ast.Assert: _assert,
    ast.FunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Delete: _delete,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
    ast.Match: _match,
}
