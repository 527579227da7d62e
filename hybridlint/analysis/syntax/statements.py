"""Statements, and how they change the flow."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import lru_cache

from hybridlint.analysis.dataflow.scopes import names_of
from hybridlint.analysis.dispatch import evaluate, execute, statement
from hybridlint.analysis.flow.guards import emit_different_ends, guard, keep_eager_only
from hybridlint.analysis.flow.lazy_initialization import made_once
from hybridlint.analysis.flow.none_substitutes import keep_omitted
from hybridlint.analysis.flow.rows import emit_whole_use
from hybridlint.analysis.flow.sized_choices import choice_by_size, place_sizes
from hybridlint.analysis.flow.truth import Truth, truth
from hybridlint.analysis.imports.statements import imports
from hybridlint.analysis.model.events import GuardEvent, Return, SideEffect
from hybridlint.analysis.model.lattice import parts
from hybridlint.analysis.model.values import (
    ClassRef,
    ContainerValue,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.project.chains import complaint
from hybridlint.analysis.run.activation import Activation
from hybridlint.analysis.run.flow import StatementFlow, merge
from hybridlint.analysis.syntax.attributes import remove_attribute
from hybridlint.analysis.syntax.conditions import (
    by_switch,
    condition,
    evaluate_condition,
    narrow,
    narrow_worlds,
    own_default,
)
from hybridlint.analysis.syntax.functions import decorate, make
from hybridlint.analysis.syntax.subscripts import delete
from hybridlint.analysis.syntax.unusual_branches import is_taken, leaves_argument_out, mark_unusual
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.surface import World
from hybridlint.text.syntax import branches, walk


@statement(ast.Expr)
def _expression(act: Activation, node: ast.Expr) -> None:
    evaluate(act, node.value)


@statement(ast.Return)
def _return(act: Activation, node: ast.Return) -> None:
    value = evaluate(act, node.value) if node.value is not None else StaticValue(None)
    act.ends.returns.append((node, value, act.flow.worlds))
    if act.role.entry and not act.silent and not act.role.inner:
        emit_whole_use(act, value)
        several = act.node is not None and _has_returns(act.node)
        tell = act.emit if act.flow.unusual is None else act.suspect
        tell(Return, node, value=value, inputs=returned_inputs(value), one_of_several=several)
    act.flow.end()


@lru_cache(maxsize=16)
def _has_returns(function: ast.AST) -> bool:
    """Return whether a function has several return statements."""
    return sum(isinstance(n, ast.Return) for n in branches(function)) > 1


def returned_inputs(value: Value) -> tuple[Tensor, ...]:
    """Return the arguments and parameters in a returned value that are returned unchanged."""
    if isinstance(value, Tensor):
        # A parameter without a gradient, such as a Constant, has no gradient to request.
        trained = value.origin == "parameter" and value.flows
        return (value,) if trained or value.origin == "argument" else ()
    if isinstance(value, ContainerValue):
        return tuple(t for item in parts(value) for t in returned_inputs(item))
    return ()


@statement(ast.Raise)
def _raise(act: Activation, node: ast.Raise) -> None:
    if node.exc is not None:
        with act.run.reporting.silently():
            evaluate(act, node.exc)
    act.flow.end()


@statement(ast.If)
def _if(act: Activation, node: ast.If) -> None:
    lazy = made_once(node)
    if not lazy:
        _branch(act, node)
        return
    read, outer = set(act.run.trail.state_read), act.place.made_once
    act.place.made_once = outer | lazy
    _branch(act, node)
    act.place.made_once = outer
    # A test that reads what the body lazily creates carries no state between calls.
    own = {(id(act.this.instance), name) for name in lazy} if act.this is not None else set()
    act.run.trail.state_read -= own - read
    for name in lazy:
        act.flow.names.pop(f"self.{name}", None)


def _branch(act: Activation, node: ast.If) -> None:
    value = evaluate_condition(act, node.test, "if", node)
    known: dict[World, Truth] = {"eager": truth(value, "eager"), "traced": truth(value, "traced")}
    worlds, before = act.flow.worlds, act.flow
    orelse = node.orelse or _continuation(act.place.block, node)
    differs = guard(act, node, test=node.test, known=known, body=node.body, orelse=orelse)
    choice_by_size(act, node, value, node.body, orelse)
    _refusal(act, node, known)
    if (complaining := complaint(node)) is not None:
        act.run.reporting.complaints.add(complaining)
    ends: dict[bool, StatementFlow] = {}
    taken = _some_call_takes(act, node.test, holds=True), _some_call_takes(act, node.test, holds=False)
    stored, left = act.run.trail.state_stored, []
    for body, holds in ((node.body, True), (node.orelse, False)):
        reached = narrow_worlds(known, worlds, holds)
        if not reached:
            continue
        act.flow = before.copy()
        act.flow.worlds = reached
        act.run.trail.state_stored = set(stored)
        narrow(act, node.test, holds)
        mark_unusual(act, node.test, holds=holds)
        complains = not holds and node in act.run.reporting.complaints
        with act.run.reporting.silently() if complains else by_switch(act, node.test, holds=holds):
            execute(act, body)
        ends[holds] = act.flow
        left += [act.run.trail.state_stored] if act.flow.alive else []
    # What one side alone stores, others find as earlier calls left it.
    act.run.trail.state_stored = set.intersection(*left) if left else stored
    act.flow = merge(ends[True], ends[False], taken) if len(ends) == 2 else next(iter(ends.values()), before)
    if act.role.building and len(ends) == len((True, False)):
        _keep_objects(act, *ends.values())
    keep_omitted(act, node.test, {holds: end.names for holds, end in ends.items() if end.alive})
    place_sizes(act, before.names, node)
    sides = [(end.worlds, end.names) for end in ends.values()]
    keep_eager_only(act, before.names, sides)
    told = differs or emit_different_ends(act, node, node.test, sides)
    if not told and None not in known.values() and known["eager"] is not known["traced"]:
        act.ends.parted.append(node)


def _some_call_takes(act: Activation, test: ast.expr, *, holds: bool) -> bool:
    """Return whether some call takes a side of a test: with usual settings, or without an optional argument."""
    return is_taken(act, test, holds=holds) or leaves_argument_out(act, test, holds=holds)


def _keep_objects(act: Activation, one: StatementFlow, other: StatementFlow) -> None:
    """Keep the object, or the list of objects, that a constructor makes where it is given none."""
    for name, value in act.flow.names.items():
        if isinstance(value, Unknown) and name in one.names and name in other.names:
            act.flow.names[name] = own_default(act, [one.names[name], other.names[name]]) or value


def _refusal(act: Activation, node: ast.If, known: dict[World, Truth]) -> None:
    """Emit an event for a type check that every Symbol fails: ``if not isinstance(x, Array): raise ...``.

    Not if the test reads the operator namespace: then the author knows that the rest is eager code.
    """
    raising = {True: isinstance(node.body[-1], ast.Raise), False: bool(node.orelse) and _raises_only(node.orelse)}
    traced = known["traced"]
    if traced is None or known["eager"] is not (not traced) or not raising[traced]:
        return
    if act.functions not in {n.id for n in walk(node.test) if isinstance(n, ast.Name)}:
        act.emit(GuardEvent, node.test, how=act.module.source.code(node.test), differs=True)


def _raises_only(body: Sequence[ast.stmt]) -> bool:
    return len(body) == 1 and isinstance(body[0], ast.Raise)


def _continuation(block: Sequence[ast.stmt], node: ast.If) -> Sequence[ast.stmt] | None:
    """Return the statements after an ``if`` that ends in return or raise, which run only if it is not taken.

    None for any other ``if``.
    """
    return block[block.index(node) + 1 :] if isinstance(node.body[-1], ast.Return | ast.Raise) else None


@statement(ast.Break)
def _break(act: Activation, node: ast.Break) -> None:
    act.ends.breaks.append(act.flow.copy())
    act.flow.end()


@statement(ast.Continue)
def _continue(act: Activation, node: ast.Continue) -> None:
    act.ends.continues.append(act.flow.copy())
    act.flow.end()


@statement(ast.Assert)
def _assert(act: Activation, node: ast.Assert) -> None:
    read = set(act.run.trail.state_read)
    known = condition(act, node.test, "assert", node)
    # An asserted value does not become part of an output.
    act.run.trail.state_read &= read
    if known["traced"] is False and known["eager"] is not False:
        act.emit(GuardEvent, node, how=act.module.source.code(node.test), differs=True)
    act.flow.worlds = narrow_worlds(known, act.flow.worlds, holds=True)
    if act.flow.alive:
        narrow(act, node.test, holds=True)


@statement(ast.FunctionDef)
def _function(act: Activation, node: ast.FunctionDef) -> None:
    act.flow.names[node.name] = function_value(act, node)


def function_value(act: Activation, node: ast.FunctionDef) -> Value:
    """Return the value that a function definition binds."""
    for decorator in node.decorator_list:
        if isinstance(decorator, ast.Call):
            for given in (*decorator.args, *(keyword.value for keyword in decorator.keywords)):
                evaluate(act, given)
    return decorate(act, node, make(act, node))


@statement(ast.ClassDef)
def _class(act: Activation, node: ast.ClassDef) -> None:
    """Bind a class, and the names of its body as ``Name.attribute``."""
    body = [part for part in node.body if not isinstance(part, ast.FunctionDef | ast.Pass)]
    scope = replace(
        act,
        node=None,
        parent=act,
        role=replace(act.role, entry=False),
        flow=StatementFlow({}, act.flow.worlds, act.flow.unsupported, unusual=act.flow.unusual),
        place=replace(act.place),
        ends=replace(act.ends, returns=[]),
    )
    execute(scope, body)
    act.flow.names |= {f"{node.name}.{name}": value for name, value in scope.flow.names.items()}
    act.flow.names[node.name] = ClassRef(act.module.class_info(node))


@statement(ast.Import, ast.ImportFrom)
def _import(act: Activation, node: ast.Import | ast.ImportFrom) -> None:
    for name, imported in imports(iter([node])):
        act.flow.names[name] = act.run.project.imported(act.module, imported)


@statement(ast.Delete)
def _delete(act: Activation, node: ast.Delete) -> None:
    for target in node.targets:
        match target:
            case ast.Name(id=name):
                act.flow.names.pop(name, None)
            case ast.Attribute():
                remove_attribute(act, target, node)
            case ast.Subscript():
                delete(act, target, node)


@statement(ast.Nonlocal)
def _nonlocal(act: Activation, node: ast.Nonlocal) -> None:
    act.nonlocals |= set(node.names)


@statement(ast.Global)
def _global(act: Activation, node: ast.Global) -> None:
    for name in node.names:
        act.flow.names[name] = Unknown()
        if act.node is not None and name in names_of(act.node).stored_around:
            act.emit(SideEffect, node, kind="global", target=name, carried=True)
