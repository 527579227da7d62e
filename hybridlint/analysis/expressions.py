"""Expressions: what each evaluates to, and what that tells."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from hybridlint.analysis import subscripts
from hybridlint.analysis.arithmetic import binary, compare, unary
from hybridlint.analysis.attributes import attribute
from hybridlint.analysis.calls import call
from hybridlint.analysis.events import Branch, Concretize
from hybridlint.analysis.guards import guard
from hybridlint.analysis.iteration import iterate
from hybridlint.analysis.lattice import divided, element, join, join_all
from hybridlint.analysis.state import Activation
from hybridlint.analysis.truth import Truth, truth
from hybridlint.analysis.values import (
    STATIC_UNKNOWN,
    Concrete,
    Divergent,
    Function,
    Items,
    Static,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.runtime.surface import World


def evaluate(act: Activation, node: ast.expr) -> Value:
    """Return what an expression holds, telling what happens on the way."""
    run = act.run
    run.steps += 1
    if run.exhausted:
        return Unknown()
    handler = _HANDLERS.get(type(node))
    return Unknown() if handler is None else handler(act, node)


def condition(act: Activation, node: ast.expr, kind: str, statement: ast.AST) -> dict[World, Truth]:
    """Evaluate an expression whose truth is asked for; return what is known of it in each run."""
    value = asked(act, node, kind, statement)
    return {"eager": truth(value, "eager"), "traced": truth(value, "traced")}


def asked(act: Activation, node: ast.expr, kind: str, place: ast.AST) -> Value:
    """Evaluate an expression whose truth is asked for, telling so where it depends on a tensor."""
    if isinstance(node, ast.BoolOp):
        return _bool_op(act, node, (kind, place))
    value = evaluate(act, node)
    if isinstance(node, ast.Constant):
        return Static(node.value, certain=True)
    ask_truth(act, value, node, kind, place)
    return value


def ask_truth(act: Activation, value: Value, node: ast.expr, kind: str, place: ast.AST) -> None:
    """Tell that the truth of a value is asked for, where it depends on a tensor."""
    optional = isinstance(value, Tensor) and value.optional
    if optional and not (isinstance(node, ast.Name) and node.id in act.tensors):
        act.suspect(Branch, place, kind=kind, condition=node, value=value)
        return
    if isinstance(value, Tensor | Concrete):
        act.tell(Branch, place, kind=kind, condition=node, value=value)


def narrowed(known: dict[World, Truth], worlds: frozenset[World], wanted: bool) -> frozenset[World]:
    """Return the runs in which a condition can have the wanted truth."""
    return frozenset(w for w in worlds if known[w] is not (not wanted))


@contextmanager
def within(act: Activation, worlds: frozenset[World]) -> Iterator[None]:
    """Evaluate something that only these runs reach."""
    before = act.flow.worlds
    act.flow.worlds = worlds
    try:
        yield
    finally:
        act.flow.worlds = before


def narrow(act: Activation, test: ast.expr, holds: bool) -> None:
    """Let names hold what a condition's outcome says of them: that they are None, or are not."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            narrow(act, inner, not holds)
        case ast.BoolOp(op=ast.And(), values=parts) if holds:
            for part in parts:
                narrow(act, part, holds)
        case ast.BoolOp(op=ast.Or(), values=parts) if not holds:
            for part in parts:
                narrow(act, part, holds)
        case ast.Compare(left=left, ops=[ast.Is() | ast.IsNot() as op], comparators=[ast.Constant(value=None)]):
            _narrow_optional(act, left, none=holds == isinstance(op, ast.Is))
        case ast.Name():
            if holds:
                _narrow_optional(act, test, none=False)
        case _:
            return


def _narrow_optional(act: Activation, node: ast.expr, *, none: bool) -> None:
    if not isinstance(node, ast.Name):
        return
    value = act.lookup(node.id)
    if isinstance(value, Tensor) and value.optional:
        narrowed_value = Tensor(
            value.type, value.mode, value.origin, value.identity, value.random_scalar, value.lineage
        )
        act.flow.names[node.id] = Static(None) if none else narrowed_value


def _constant(act: Activation, node: ast.Constant) -> Value:
    return Static(node.value)


def _name(act: Activation, node: ast.Name) -> Value:
    value = act.lookup(node.id)
    if isinstance(value, Static) and isinstance(value.value, bool) and act.is_global(node.id):
        # A switch of the module: what it turns off does not run.
        return Static(value.value, certain=True)
    return value


def _sequence(kind: Any) -> Callable[[Activation, Any], Value]:
    def build(act: Activation, node: ast.List | ast.Tuple | ast.Set) -> Value:
        items: list[Value] = []
        known = True
        for part in node.elts:
            if isinstance(part, ast.Starred):
                inner = star(act, part)
                if isinstance(inner, Items) and inner.items is not None:
                    items += inner.items
                else:
                    known = False
                    items.append(element(inner) if isinstance(inner, Items) else inner)
            else:
                items.append(evaluate(act, part))
        if kind == "set":
            told = next((v for v in items if isinstance(v, Tensor)), None)
            if told is not None:
                act.tell(Concretize, node, how="hash", value=told)
        return Items(kind, tuple(items)) if known else Items(kind, None, join_all(items))

    return build


def star(act: Activation, node: ast.Starred) -> Value:
    """Evaluate ``*value``: a container of what it yields."""
    value = evaluate(act, node.value)
    if isinstance(value, Items):
        return value
    return Items("tuple", None, iterate(act, value, node, "star"))


def _dict(act: Activation, node: ast.Dict) -> Value:
    values: list[Value] = []
    keys: list[Any] = []
    known = True
    for key, part in zip(node.keys, node.values, strict=True):
        key_value = evaluate(act, key) if key is not None else Unknown()
        if isinstance(key_value, Tensor):
            act.tell(Concretize, node, how="hash", value=key_value)
        value = evaluate(act, part)
        if key is None:
            known = False
            value = element(value) if isinstance(value, Items) else Unknown()
        values.append(value)
        if isinstance(key_value, Static) and key_value.value is not STATIC_UNKNOWN:
            keys.append(key_value.value)
        else:
            known = False
    return Items("dict", tuple(values), keys=tuple(keys)) if known else Items("dict", None, join_all(values))


def _bool_op(act: Activation, node: ast.BoolOp, asker: tuple[str, ast.AST] | None = None) -> Value:
    """Evaluate ``and`` / ``or``, each operand only in the runs that reach it.

    The truth of all but the last is asked here, that of the last where the result's is: by `asker`, (kind, place).
    """
    stops = isinstance(node.op, ast.Or)
    worlds, before = act.flow.worlds, dict(act.flow.names)
    answers: dict[World, Truth] = dict.fromkeys(worlds, not stops)
    results: list[Value] = []
    for index, part in enumerate(node.values):
        if not worlds:
            break
        with within(act, worlds):
            value = evaluate(act, part)
            if index < len(node.values) - 1:
                ask_truth(act, value, part, "or" if stops else "and", node)
                narrow(act, part, not stops)
            elif asker is not None and not any(_settles(r, stops) for r in results):
                ask_truth(act, value, node if _all_tensors([*results, value]) else part, *asker)
        results.append(value)
        for world in worlds:
            known = truth(value, world)
            answers[world] = stops if known is stops else None if known is None else answers[world]
        worlds = frozenset(w for w in worlds if truth(value, w) is not stops)
    act.flow.names = before
    if _are_tests(results):
        from hybridlint.analysis.truth import outcome

        return outcome(answers.get("eager"), answers.get("traced"))
    return join_all(results)


def _settles(value: Value, stops: bool) -> bool:
    """Whether an operand is a setting for which the later ones are never looked at."""
    return isinstance(value, Static) and value.value is not STATIC_UNKNOWN and bool(value.value) is stops


def _all_tensors(values: list[Value]) -> bool:
    return all(isinstance(v, Tensor) for v in values)


def _are_tests(values: list[Value]) -> bool:
    """Whether operands are answers rather than values to choose from."""
    sure = any(isinstance(v, Divergent) or (isinstance(v, Static) and v.certain) for v in values)
    return sure or (all(isinstance(v, Static) for v in values) and Static(STATIC_UNKNOWN) in values)


def _unary(act: Activation, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        from hybridlint.analysis.truth import outcome

        value = asked(act, node.operand, "not", node)
        answers = [truth(value, w) for w in ("eager", "traced")]
        return outcome(*(None if a is None else not a for a in answers))
    return unary(act, node, evaluate(act, node.operand))


def _if_exp(act: Activation, node: ast.IfExp) -> Value:
    known = condition(act, node.test, "ternary", node)
    worlds, before = act.flow.worlds, act.flow.copy()
    results: list[tuple[frozenset[World], Value]] = []
    for branch, wanted in ((node.body, True), (node.orelse, False)):
        reached = narrowed(known, worlds, wanted)
        if not reached:
            continue
        act.flow = before.copy()
        narrow(act, node.test, wanted)
        with within(act, reached):
            results.append((reached, evaluate(act, branch)))
    act.flow = before
    guard(act, node, test=node.test, known=known, body=node.body, orelse=node.orelse)
    if len(results) == 2 and all(len(reached) < len(worlds) for reached, _ in results):
        (first, value), (_, other) = results
        if isinstance(value, Tensor) and isinstance(other, Tensor):
            return join(value, other)
        return divided(value, other) if first == {"eager"} else divided(other, value)
    return join_all([value for _, value in results])


def _lambda(act: Activation, node: ast.Lambda) -> Value:
    return Function(node, act)


def _comprehension(kind: Any) -> Callable[[Activation, Any], Value]:
    def build(act: Activation, node: Any) -> Value:
        from hybridlint.analysis.statements import assign

        before = dict(act.flow.names)
        size: int | None = None
        for index, generator in enumerate(node.generators):
            source = evaluate(act, generator.iter)
            if isinstance(source, Items) and source.items is not None and len(node.generators) == 1:
                size = len(source.items)
            assign(act, generator.target, iterate(act, source, generator.iter, "iteration"), generator.iter)
            for test in generator.ifs:
                size = None
                asked(act, test, "comprehension", test)
            del index
        if kind == "dict":
            key = evaluate(act, node.key)
            if isinstance(key, Tensor):
                act.tell(Concretize, node, how="hash", value=key)
            value = evaluate(act, node.value)
        else:
            value = evaluate(act, node.elt)
        kept = {k: v for k, v in act.flow.names.items() if k.startswith("self.")}
        act.flow.names = before | kept
        if size is not None and kind in {"list", "generator"}:
            return Items(kind, (value,) * size)
        return Items(kind, None, value)

    return build


def _named_expr(act: Activation, node: ast.NamedExpr) -> Value:
    value = evaluate(act, node.value)
    act.flow.names[node.target.id] = value
    return value


def _joined(act: Activation, node: ast.JoinedStr) -> Value:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            value = evaluate(act, part.value)
            if part.format_spec is not None and isinstance(value, Tensor):
                act.tell(Concretize, part.value, how="format", value=value)
    return Static(STATIC_UNKNOWN)


def _slice(act: Activation, node: ast.Slice) -> Value:
    parts = [Static(None) if p is None else evaluate(act, p) for p in (node.lower, node.upper, node.step)]
    if all(isinstance(p, Static) and p.value is not STATIC_UNKNOWN for p in parts):
        return Static(slice(*(p.value for p in parts if isinstance(p, Static))))
    return Concrete("slice") if any(isinstance(p, Concrete) for p in parts) else Static(STATIC_UNKNOWN)


def _bin_op(act: Activation, node: ast.BinOp) -> Value:
    left = evaluate(act, node.left)
    right = evaluate(act, node.right)
    return binary(act, node, node.op, (node.left, left), (node.right, right))


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


def _yield(act: Activation, node: ast.Yield | ast.YieldFrom) -> Value:
    value = evaluate(act, node.value) if node.value is not None else Static(None)
    act.returns.append((node, Items("generator", None, value), act.flow.worlds))
    return Unknown()


def _await(act: Activation, node: ast.Await) -> Value:
    evaluate(act, node.value)
    return Unknown()


_HANDLERS: dict[type, Callable[[Activation, Any], Value]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.List: _sequence("list"),
    ast.Tuple: _sequence("tuple"),
    ast.Set: _sequence("set"),
    ast.Dict: _dict,
    ast.BoolOp: _bool_op,
    ast.UnaryOp: _unary,
    ast.BinOp: _bin_op,
    ast.Compare: _compare,
    ast.IfExp: _if_exp,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension("list"),
    ast.SetComp: _comprehension("set"),
    ast.GeneratorExp: _comprehension("generator"),
    ast.DictComp: _comprehension("dict"),
    ast.NamedExpr: _named_expr,
    ast.JoinedStr: _joined,
    ast.Slice: _slice,
    ast.Subscript: subscripts.read,
    ast.Attribute: attribute,
    ast.Call: call,
    ast.Starred: star,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    ast.Await: _await,
}
