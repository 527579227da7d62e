"""Guards: branches on the kind of array, and whether their two sides provably compute different results."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeGuard

from hybridlint.analysis.dispatch import evaluate
from hybridlint.analysis.flow.data_choices import chooses_by_data, is_chosen_by_data
from hybridlint.analysis.flow.eager_updates import moves_on
from hybridlint.analysis.flow.gradient_branches import is_cut_off
from hybridlint.analysis.flow.guessed_sizes import bound_expression, is_guessed_size, returns_guess, serves
from hybridlint.analysis.flow.one_run_code import Side, arithmetic, is_left_out
from hybridlint.analysis.flow.python_operators import SIZES
from hybridlint.analysis.flow.rows import emit_whole_use
from hybridlint.analysis.flow.sampled_equality import values_differ
from hybridlint.analysis.flow.truth import Truth
from hybridlint.analysis.model.events import GuardEvent
from hybridlint.analysis.model.lattice import eager_trace_pair
from hybridlint.analysis.model.values import (
    TEXT,
    ContainerValue,
    DataDependentValue,
    EagerTracePair,
    Outputs,
    StaticValue,
    Tensor,
    Value,
)
from hybridlint.analysis.run.temporary_attribute import TemporaryAttribute
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.surface import World
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: Numbers that are no sizes of more than one element.
_NO_SIZES = (0, 1)
# A sum of products of atoms: maps the sorted texts of the factors to the coefficient.
_Form: TypeAlias = dict[tuple[str, ...], float]


def guard(
    act: Activation, node: ast.AST, *, test: ast.expr, known: dict[World, Truth], body: Side, orelse: Side
) -> bool:
    """Emit an event for a branch that eager runs and the trace take differently; return whether the results differ."""
    eager, traced = known["eager"], known["traced"]
    if eager is None and traced is False and is_chosen_by_data(act, test, body, orelse):
        act.emit(GuardEvent, node, how=act.module.source.code(test), differs=True, by_data=True)
        return True
    if eager is None or traced is None or eager == traced:
        return False
    pair = _pair(body, orelse)
    differs = pair is not None and _comparable(act, *pair) and expressions_differ(*pair)
    sides = (body, orelse) if eager else (orelse, body)
    differs = differs or _changes_input(act, *sides) or is_left_out(act, *sides) or is_cut_off(act, node, *sides)
    guess = not differs and _returns_guess(act, *sides)
    moves = not (differs or guess) and moves_on(act, test, *sides)
    by_data = not (differs or guess or moves) and chooses_by_data(act, *sides)
    found = differs or guess or moves or by_data
    how = act.module.source.code(test)
    act.emit(GuardEvent, node, how=how, differs=found, guess=guess, moves=moves, by_data=by_data)
    return found


def emit_different_ends(
    act: Activation, node: ast.AST, test: ast.expr, sides: Sequence[tuple[frozenset[World], Mapping[str, Value]]]
) -> bool:
    """Emit an event for a branch after which the trace has something else in a name than eager runs have.

    That is a list of one node instead of several outputs, or a setting instead of a size. `sides` gives, for
    each of the two sides, the runs that take it and the values of names at its end. Return whether there is such a
    name.
    """
    by_world = {world: names for worlds, names in sides if len(worlds) == 1 for world in worlds}
    eager, traced = by_world.get("eager"), by_world.get("traced")
    if eager is None or traced is None:
        return False
    for name, value in eager.items():
        other = traced.get(name)
        guess = is_guessed_size(act, value, other, _written(node, eager is sides[0][1], name)) and serves(
            act, node, name
        )
        if guess or _mistaken(value, other):
            act.emit(GuardEvent, node, how=act.module.source.code(test), differs=True, guess=guess)
            return True
    return False


def emit_different_returns(act: Activation, parted: Sequence[ast.If], eager: Value, traced: Value) -> None:
    """Emit an event for the branch by which a function returns an operator's outputs as one tensor at the trace.

    `parted` are the branches at which eager runs and the trace go different ways.
    """
    if parted and _mistaken(eager, traced):
        node = parted[-1]
        with TemporaryAttribute(act.place, "statement", node):
            act.emit(GuardEvent, node, how=act.module.source.code(node.test), differs=True)


def _written(node: ast.AST, eager_first: bool, name: str) -> ast.expr | None:
    """Return the expression that a name is bound to at the trace.

    An empty name means a side of a conditional expression.

    `eager_first` tells that eager runs take the side where the test is true.
    """
    if not isinstance(node, ast.If | ast.IfExp):
        return None
    return bound_expression(node.orelse if eager_first else node.body, name)


def _returns_guess(act: Activation, eager: Side, traced: Side) -> bool:
    if eager is None or traced is None or isinstance(eager, ast.expr) or isinstance(traced, ast.expr):
        return False
    return returns_guess(act, eager, traced)


def _mistaken(eager: Value, traced: Value | None) -> bool:
    match eager, traced:
        case (Outputs() | ContainerValue(), ContainerValue(items=(Outputs(),))):
            return True
        case _:
            return False


def _changes_input(act: Activation, eager: Side, traced: Side) -> bool:
    """Return whether only the eager side writes into an array that the caller also holds."""
    match eager, traced:
        case [ast.AugAssign(target=ast.Name(id=name))], [ast.Assign(targets=[ast.Name(id=other)])] if name == other:
            pass
        case [ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))])], _:
            pass
        case _:
            return False
    held = act.lookup(name)
    return isinstance(held, Tensor) and held.origin == "argument"


def choice(act: Activation, node: ast.Subscript, keys: Mapping[World, Value]) -> None:
    """Emit an event for ``[a, b][key]`` or ``{...}[key]`` if eager runs and the trace select different results."""
    picked = {world: _picked(node.value, key) for world, key in keys.items()}
    eager, traced = picked.get("eager"), picked.get("traced")
    if eager is None or traced is None or eager is traced:
        return
    if _comparable(act, eager, traced) and expressions_differ(eager, traced):
        act.emit(GuardEvent, node, how=act.module.source.code(node.slice), differs=True)


def _picked(display: ast.expr, key: Value) -> ast.expr | None:
    """Return the expression that a known key selects, None if it is unknown."""
    known = key.value if isinstance(key, StaticValue) else None
    match display:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) if isinstance(known, int):
            return parts[known] if -len(parts) <= known < len(parts) else None
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return next((v for k, v in pairs if isinstance(k, ast.Constant) and k.value == known), None)
        case _:
            return None


def emit_division(act: Activation, node: ast.AST, value: Value) -> None:
    """Emit an event for a Python value used with a tensor if eager run and trace see different values.

    `value` is a number, a dtype, or None at the trace, or several outputs there; other values emit nothing.
    """
    emit_whole_use(act, value)
    if not isinstance(value, EagerTracePair):
        return
    fixed = _fixed(value) and not _tries(act)
    if fixed and isinstance(value.eager, DataDependentValue) and value.eager.tell is not None:
        value.eager.tell(chooses=False)
        return
    if fixed or _other_number(value) or _other_dtype(value) or _nothing(value):
        act.emit(GuardEvent, node, how=act.module.source.code(node), differs=True)


def _tries(act: Activation) -> bool:
    """Return whether the function has a ``try``, which is reported on its own line."""
    return act.node is not None and any(isinstance(part, ast.Try) for part in walk(act.node))


def emit_absence(act: Activation, node: ast.AST, value: Value) -> None:
    """Emit an event for an operator's argument that is None or several outputs at the trace, but not eagerly."""
    emit_whole_use(act, value)
    if isinstance(value, EagerTracePair) and _nothing(value):
        act.emit(GuardEvent, node, how=act.module.source.code(node), differs=True)


def emit_missing_key(act: Activation, node: ast.AST, value: Value) -> None:
    """Emit an event for a subscript of an attribute that only the eager run sets.

    The attribute is None at the trace.
    """
    if isinstance(value, EagerTracePair) and _nothing(value):
        act.emit(GuardEvent, node, how=act.module.source.code(node), differs=True)


def _fixed(value: EagerTracePair) -> bool:
    """Return whether eager runs read a number from a tensor and the trace has an unlikely size instead."""
    constant = value.traced.value if isinstance(value.traced, StaticValue) else None
    if (
        type(constant) not in {int, float}
        or not isinstance(value.eager, DataDependentValue)
        or value.eager.reason == TEXT
    ):
        return False
    return constant in _NO_SIZES or value.eager.reason not in SIZES


def _nothing(value: EagerTracePair) -> bool:
    return value.traced == StaticValue(None) and value.eager != StaticValue(None)


def keep_eager_only(
    act: Activation, before: Mapping[str, Value], sides: Sequence[tuple[frozenset[World], Mapping[str, Value]]]
) -> None:
    """Record that an attribute that only the eager side of a branch sets is None at the trace.

    ``__init__`` must have set it to None. `before` holds the names before the branch; `sides` gives, for each side, the
    runs that take it and its names at the end.
    """
    by_world = {world: names for worlds, names in sides if len(worlds) == 1 for world in worlds}
    eager, traced = by_world.get("eager"), by_world.get("traced")
    if eager is None or traced is None or act.this is None:
        return
    for name, value in eager.items():
        held = act.this.instance.attributes.get(name.removeprefix("self."))
        if name.startswith("self.") and name not in traced and name not in before and _is_kept(held, act, name):
            act.flow.names[name] = eager_trace_pair(value, held)


def _is_kept(held: Value | None, act: Activation, name: str) -> TypeGuard[StaticValue]:
    """Return whether an attribute that ``__init__`` left as None, or as a number that one place alone changes."""
    if not isinstance(held, StaticValue) or act.this is None:
        return False
    number = type(held.value) in {int, float}
    return held.value is None or (number and act.this.instance.info.stores(name.removeprefix("self.")) == 2)


def _other_number(value: EagerTracePair) -> bool:
    sides = (value.eager, value.traced)
    numbers = all(isinstance(side, StaticValue) and type(side.value) in {int, float} for side in sides)
    return numbers and value.eager != value.traced


def _other_dtype(value: EagerTracePair) -> bool:
    """Return whether the eager value is an array's own dtype, and the traced one a dtype other than "float32"."""
    named = isinstance(value.traced, StaticValue) and isinstance(value.traced.value, str)
    return named and value.eager == DataDependentValue("dtype") and value.traced != StaticValue("float32")


def sides_differ(act: Activation, body: Sequence[ast.stmt], handler: Sequence[ast.stmt]) -> bool:
    """Return whether a ``try`` body and its handler, which runs at the trace, provably compute different results."""
    pair = _pair(body, None if all(isinstance(n, ast.Pass) for n in handler) else handler)
    if pair is None or not _comparable(act, *pair):
        return False
    left_out = isinstance(pair[0], ast.BinOp) and isinstance(pair[1], ast.Name)
    return left_out or expressions_differ(*pair)


def expressions_differ(left: ast.expr, right: ast.expr) -> bool:
    """Return whether two expressions combine the same calls by different arithmetic, or differ wherever computed.

    Others that call different functions may be two spellings of one result.
    """
    if _calls(left) != _calls(right):
        return _other_function(left, right) or values_differ(left, right)
    return _form(left) != _form(right)


def _other_function(left: ast.expr, right: ast.expr) -> bool:
    """Return whether two expressions apply different mathematical functions to the same argument."""
    match left, right:
        case (
            ast.Call(func=ast.Attribute(attr=one), args=[a], keywords=[]),
            ast.Call(func=ast.Attribute(attr=other), args=[b], keywords=[]),
        ):
            return _are_distinct(one, other) and ast.dump(a) == ast.dump(b)
        case _:
            return False


def _are_distinct(one: str, other: str) -> bool:
    """Return whether two functions of one tensor are known to compute different results, such as exp and log."""
    first, second = lookup.of_tensors(one), lookup.of_tensors(other)
    if first is None or second is None or first is second:
        return False
    return first.facts.distinct and second.facts.distinct


def _pair(body: Side, orelse: Side) -> tuple[ast.expr, ast.expr] | None:
    """Return the two expressions between which a branch chooses: returned by both sides, or assigned to the same name.

    None if a side does anything else.
    """
    if isinstance(body, ast.expr) and isinstance(orelse, ast.expr):
        return body, orelse
    if isinstance(body, ast.expr) or isinstance(orelse, ast.expr) or not body:
        return None
    # Expression statements, such as the probe of a ``try``, bind nothing.
    body = [part for part in body if not isinstance(part, ast.Expr)]
    match list(map(_plain, body[-1:])), list(map(_plain, list(orelse or ())[:1])):
        case [ast.Return(value=ast.expr() as a)], [ast.Return(value=ast.expr() as b)] if len(body) == 1:
            return a, b
        case [ast.Assign(targets=[ast.Name(id=x)], value=a)], [ast.Assign(targets=[ast.Name(id=y)], value=b)] if (
            x == y and len(body) == 1
        ):
            return a, b
        case [ast.Assign(targets=[ast.Name(id=x)], value=a)], _ if len(body) == 1 and orelse is None:
            return a, ast.Name(id=x, ctx=ast.Load())
        case _:
            return None


def _plain(node: ast.stmt) -> ast.stmt:
    """Return the statement ``x = x + y`` for ``x += y``; any other statement unchanged."""
    match node:
        case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
            return ast.Assign([target], ast.BinOp(ast.Name(name, ast.Load()), op, value))
        case _:
            return node


def _comparable(act: Activation, left: ast.expr, right: ast.expr) -> bool:
    flow = act.flow.copy()
    with act.run.reporting.silently():
        values = [evaluate(act, side) for side in (left, right)]
    act.flow = flow
    numbers = all(isinstance(v, StaticValue) and isinstance(v.value, int | float) for v in values)
    return numbers or all(isinstance(v, Tensor) for v in values)


def _calls(node: ast.expr) -> Counter[str]:
    """Return the calls of an expression, and its other parts that are not plain arithmetic."""
    calls = (n for n in walk(node) if (isinstance(n, ast.Call) and arithmetic(n) is None) or _is_other(n))
    return Counter(map(ast.dump, calls))


def _is_other(node: ast.AST) -> bool:
    match node:
        case ast.BinOp(op=ast.BitAnd() | ast.BitOr() | ast.BitXor()) | ast.UnaryOp(op=ast.Invert()):
            return True
        case _:
            return False


def _form(node: ast.expr) -> _Form:
    node = arithmetic(node) or node
    match node:
        case ast.Constant(value=bool() | int() | float() as value):
            return {(): float(value)}
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return {atoms: -c for atoms, c in _form(inner).items()}
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _sum(_form(left), _form(right), 1)
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return _sum(_form(left), _form(right), -1)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _product(_form(left), _form(right))
        case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=int() | float() as value)) if value:
            return {atoms: c / value for atoms, c in _form(left).items()}
        case ast.Subscript(value=value, slice=index):
            # Whole dimensions can be written in several ways.
            parts = index.elts if isinstance(index, ast.Tuple) else [index]
            return {(ast.dump(value), *(ast.dump(part) for part in parts if not _is_whole(part))): 1.0}
        case _:
            return {(ast.dump(node),): 1.0}


def _is_whole(key: ast.expr) -> bool:
    match key:
        case ast.Slice(lower=None, upper=None, step=None):
            return True
        case _:
            return isinstance(key, ast.Constant) and key.value is Ellipsis


def _sum(left: _Form, right: _Form, sign: int) -> _Form:
    total = dict(left)
    for atoms, c in right.items():
        total[atoms] = total.get(atoms, 0.0) + sign * c
    return {atoms: c for atoms, c in total.items() if c}


def _product(left: _Form, right: _Form) -> _Form:
    total: _Form = {}
    for a, x in left.items():
        for b, y in right.items():
            atoms = tuple(sorted(a + b))
            total[atoms] = total.get(atoms, 0.0) + x * y
    return {atoms: c for atoms, c in total.items() if c}
