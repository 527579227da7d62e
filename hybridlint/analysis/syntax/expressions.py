"""Expressions: their values, and the events of evaluating them."""

from __future__ import annotations

import ast
from functools import reduce
from typing import Any

from hybridlint.analysis.dispatch import evaluate, expression
from hybridlint.analysis.flow.formatted_texts import text_with
from hybridlint.analysis.flow.guards import emit_different_ends, guard
from hybridlint.analysis.flow.none_substitutes import omitted_choice
from hybridlint.analysis.flow.sized_choices import choice_by_size, with_place
from hybridlint.analysis.flow.truth import Truth, outcome, truth
from hybridlint.analysis.model.events import Concretize
from hybridlint.analysis.model.folding import told_apart
from hybridlint.analysis.model.lattice import as_input, eager_trace_pair, element, join, join_all, join_members
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    ContainerValue,
    DataDependentValue,
    External,
    Namespace,
    OperatorRef,
    ParameterRef,
    ShapeProvenance,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.run.activation import Activation
from hybridlint.analysis.syntax.arithmetic import binary, unary
from hybridlint.analysis.syntax.comparisons import compare
from hybridlint.analysis.syntax.conditions import (
    ask_truth,
    by_switch,
    evaluate_condition,
    narrow,
    narrow_worlds,
    own_default,
    within,
)
from hybridlint.analysis.syntax.functions import make
from hybridlint.analysis.syntax.hashing import emit_hashing
from hybridlint.analysis.syntax.iteration import iterate
from hybridlint.analysis.syntax.unusual_branches import is_taken, leaves_argument_out, mark_unusual
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.surface import World

_CONTAINERS: dict[type[ast.expr], Any] = {
    ast.List: "list",
    ast.Tuple: "tuple",
    ast.Set: "set",
}
#: The largest number of dict entries whose values are evaluated.
_MOST_NAMED = 64


@expression(ast.Constant)
def _constant(act: Activation, node: ast.Constant) -> Value:
    return StaticValue(node.value, certain=True)


@expression(ast.Name)
def _name(act: Activation, node: ast.Name) -> Value:
    name = node.id
    value = act.lookup(name)
    # Half of all expressions are names; `match` would take twice as long.
    if isinstance(value, StaticValue):
        if isinstance(value.value, int | str) and act.is_global(name):
            # A switch of the module, set by a number, flag or name: code that it turns off does not run.
            return replace(value, certain=act.module.sets_once(name))
    elif isinstance(value, Tensor) and value.lineage is None and value.origin != "element" and name in act.flow.names:
        # Where several paths have met, the shape is unknown; one new lineage represents it from here on.
        known = act.flow.names[name] = replace(value, lineage=ShapeProvenance(act.run.token()))
        return known
    return value


@expression(ast.List, ast.Tuple, ast.Set)
def _sequence(act: Activation, node: ast.List | ast.Tuple | ast.Set) -> Value:
    kind = _CONTAINERS[type(node)]
    items: list[Value] = []
    known = True
    for part in node.elts:
        if isinstance(part, ast.Starred):
            inner = star(act, part)
            if isinstance(inner, ContainerValue) and inner.items is not None:
                items += inner.items
            else:
                known = False
                items.append(element(inner) if isinstance(inner, ContainerValue) else inner)
        else:
            items.append(evaluate(act, part))
    if kind == "set":
        emit_hashing(act, node, *items)
    return (
        told_apart(ContainerValue(kind, tuple(items)))
        if known
        else ContainerValue(kind, None, reduce(join_members, items))
    )


@expression(ast.Starred)
def star(act: Activation, node: ast.Starred) -> Value:
    """Evaluate ``*value``: a container of what it yields."""
    value = evaluate(act, node.value)
    if isinstance(value, ContainerValue):
        return value
    return ContainerValue("tuple", None, iterate(act, value, node, "star"))


@expression(ast.Dict)
def _dict(act: Activation, node: ast.Dict) -> Value:
    if len(node.values) > _MOST_NAMED and all(
        isinstance(n, ast.Constant | ast.Name) for n in (*node.keys, *node.values)
    ):
        # A table of a package's whole contents: resolving every entry costs more than it tells about the one used.
        return ContainerValue("dict", None, Unknown())
    values: list[Value] = []
    keys: list[Any] = []
    known = True
    for key, part in zip(node.keys, node.values, strict=True):
        key_value = evaluate(act, key) if key is not None else Unknown()
        emit_hashing(act, node, key_value)
        value = evaluate(act, part)
        if key is None:
            known = False
            value = element(value) if isinstance(value, ContainerValue) else Unknown()
        values.append(value)
        if isinstance(key_value, StaticValue) and key_value.value is not STATIC_UNKNOWN:
            keys.append(key_value.value)
        elif isinstance(key_value, Namespace | OperatorRef | External):
            keys.append(key_value)
        else:
            known = False
    if not known:
        return ContainerValue("dict", None, join_all(values))
    return told_apart(ContainerValue("dict", tuple(values), keys=tuple(keys)))


@expression(ast.UnaryOp)
def _unary(act: Activation, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        value = evaluate_condition(act, node.operand, "not", node)
        answers = [truth(value, w) for w in ("eager", "traced")]
        return outcome(*(None if a is None else not a for a in answers))
    return unary(act, node, evaluate(act, node.operand))


@expression(ast.IfExp)
def _if_exp(act: Activation, node: ast.IfExp) -> Value:
    test = evaluate_condition(act, node.test, "ternary", node)
    known: dict[World, Truth] = {"eager": truth(test, "eager"), "traced": truth(test, "traced")}
    choice_by_size(act, node, test, node.body, node.orelse)
    worlds, before = act.flow.worlds, act.flow.copy()
    results: list[tuple[frozenset[World], Value]] = []
    for branch, holds in ((node.body, True), (node.orelse, False)):
        reached = narrow_worlds(known, worlds, holds)
        if not reached:
            continue
        act.flow = before.copy()
        narrow(act, node.test, holds)
        mark_unusual(act, node.test, holds=holds)
        with within(act, reached), by_switch(act, node.test, holds=holds):
            value = evaluate(act, branch)
            taken = is_taken(act, node.test, holds=holds) or leaves_argument_out(act, node.test, holds=holds)
            results.append((reached, as_input(value) if taken else value))
    act.flow = before
    differs = guard(act, node, test=node.test, known=known, body=node.body, orelse=node.orelse)
    if not differs:
        emit_different_ends(act, node, node.test, [(reached, {"": value}) for reached, value in results])
    if not differs and len(results) == 2 and all(len(reached) < len(worlds) for reached, _ in results):
        (first, value), (_, other) = results
        if isinstance(value, Tensor) and isinstance(other, Tensor):
            return join(value, other)
        return with_place(act, eager_trace_pair(*((value, other) if first == {"eager"} else (other, value))), node)
    values = [value for _, value in results]
    if act.role.building and act.this is not None:
        for value in values:
            if isinstance(value, ParameterRef):
                act.this.instance.offered[node] = value
    both = dict(zip((True, False), values, strict=True)) if len(values) == 2 else {}
    return own_default(act, values) or omitted_choice(act, node.test, both, join_all(values))


@expression(ast.Lambda)
def _lambda(act: Activation, node: ast.Lambda) -> Value:
    return make(act, node)


@expression(ast.JoinedStr)
def _joined(act: Activation, node: ast.JoinedStr) -> Value:
    written: list[Value] = []
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = evaluate(act, part.value)
            if part.format_spec is None:
                written.append(value)
            elif isinstance(value, Tensor):
                act.emit(Concretize, part.value, how="format", value=value)
    return text_with(*written)


@expression(ast.Slice)
def _slice(act: Activation, node: ast.Slice) -> Value:
    parts = [StaticValue(None) if p is None else evaluate(act, p) for p in (node.lower, node.upper, node.step)]
    if all(isinstance(p, StaticValue) and p.value is not STATIC_UNKNOWN for p in parts):
        return StaticValue(slice(*(p.value for p in parts if isinstance(p, StaticValue))))
    if any(isinstance(p, Tensor) and not p.optional for p in parts):
        return DataDependentValue("index")
    return (
        DataDependentValue("slice")
        if any(isinstance(p, DataDependentValue) for p in parts)
        else StaticValue(STATIC_UNKNOWN)
    )


@expression(ast.BinOp)
def _bin_op(act: Activation, node: ast.BinOp) -> Value:
    left = evaluate(act, node.left)
    right = evaluate(act, node.right)
    return binary(act, node, node.op, (node.left, left), (node.right, right))


@expression(ast.Compare)
def _compare(act: Activation, node: ast.Compare) -> Value:
    left_node, left = node.left, evaluate(act, node.left)
    result: Value = Unknown()
    for index, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
        right = evaluate(act, right_node)
        result = compare(act, node, op, (left_node, left), (right_node, right))
        if index < len(node.ops) - 1:
            ask_truth(act, result, node, "and", node)
        left_node, left = right_node, right
    return result


@expression(ast.Yield, ast.YieldFrom)
def _yield(act: Activation, node: ast.Yield | ast.YieldFrom) -> Value:
    value = evaluate(act, node.value) if node.value is not None else StaticValue(None)
    if isinstance(node, ast.YieldFrom):
        value = iterate(act, value, node, "iteration")
    act.ends.returns.append((node, ContainerValue("generator", None, value), act.flow.worlds))
    return Unknown()


@expression(ast.Await)
def _await(act: Activation, node: ast.Await) -> Value:
    evaluate(act, node.value)
    return Unknown()
