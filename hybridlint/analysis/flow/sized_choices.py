"""Choices between two computations by a size, which eager runs read and the trace does without."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from hybridlint.analysis.flow.guessed_sizes import serves
from hybridlint.analysis.flow.python_operators import SIZES
from hybridlint.analysis.flow.rows import has_rows
from hybridlint.analysis.model.events import GuardEvent
from hybridlint.analysis.model.values import DataDependentValue, EagerTracePair, StaticValue, Value
from hybridlint.analysis.run.temporary_attribute import TemporaryAttribute
from hybridlint.runtime.facts.records import replace
from hybridlint.text.syntax import branches, walk

if TYPE_CHECKING:
    from hybridlint.analysis.flow.one_run_code import Side
    from hybridlint.analysis.run.activation import Activation

#: What a comparison with a number that is no size answers for every size, given the sign of size minus number.
_OF_LARGER = {"<": False, "<=": False, ">": True, ">=": True, "==": False, "!=": True}


def with_place(act: Activation, value: Value, node: ast.AST, read: ast.stmt | None = None) -> Value:
    """Return a value that differs by run, together with the guard that separates the runs.

    The guard is `node`, or the branch around it if that is a ``return``. `read` is the statement of a ``try`` that only
    eager runs complete. Values other than sizes, and arrays that are several outputs at the trace, stay as they are.
    """
    if has_rows(value) and value.tell is None:
        guard = _guard_around(act.node, node) if isinstance(node, ast.Return) else node
        return replace(value, tell=_teller(act, guard, act.place.statement, raises=False))
    if (
        not isinstance(value, EagerTracePair)
        or not isinstance(value.eager, DataDependentValue)
        or value.eager.tell is not None
    ):
        return value
    if value.eager.reason not in SIZES:
        return value
    guard = _guard_around(act.node, node) if isinstance(node, ast.Return) else node
    if isinstance(guard, ast.Try):
        read = read if isinstance(node, ast.Try) else node if isinstance(node, ast.Return) else None
        return replace(value, eager=replace(value.eager, tell=_teller(act, _read_in(read) or guard, read, raises=True)))
    return replace(value, eager=replace(value.eager, tell=_teller(act, guard, act.place.statement, raises=False)))


def with_read(act: Activation, value: Value, node: ast.expr) -> Value:
    """Return the size that an expression reads in eager runs alone, with the place of that read."""
    if not isinstance(value, DataDependentValue) or value.reason not in SIZES:
        return value
    return replace(value, tell=_teller(act, node, act.place.statement, raises=False))


def place_sizes(act: Activation, before: Mapping[str, Value], node: ast.AST, read: ast.stmt | None = None) -> None:
    """Give the sizes that names hold after a guard, and did not before, the guard's place."""
    for name, value in act.flow.names.items():
        if isinstance(value, EagerTracePair) and value is not before.get(name):
            act.flow.names[name] = with_place(act, value, node, read)


def _teller(act: Activation, node: ast.AST, statement: ast.stmt | None, *, raises: bool) -> Callable[[], None]:
    test = node.test if isinstance(node, ast.If | ast.IfExp) else node
    source, calls = act.module.source, act.place.calls

    def tell(chooses: bool = True) -> None:
        with TemporaryAttribute(act.place, "statement", statement), TemporaryAttribute(act.place, "calls", calls):
            act.emit(
                GuardEvent, node, how=source.code(test), differs=True, raises=raises, guess=chooses, chooses=chooses
            )

    return tell


def _read_in(statement: ast.stmt | None) -> ast.expr | None:
    return statement.value if isinstance(statement, ast.Return | ast.Assign) else None


def of_no_size(symbol: str, left: tuple[ast.expr, Value], right: tuple[ast.expr, Value]) -> Value | None:
    """Return the result of comparing a size with a number that no size has (0, -1); None otherwise."""
    (place, size), (_, number) = left, right
    if isinstance(place, ast.BinOp) or not isinstance(size, DataDependentValue) or size.reason not in SIZES:
        return None
    known = number.value if isinstance(number, StaticValue) else None
    if not isinstance(known, int | float) or symbol not in _OF_LARGER:
        return None
    if known <= 0 or (known == 1 and symbol in {"<", ">="}):
        return StaticValue(_OF_LARGER[symbol], certain=True)
    return None


def choice_by_size(act: Activation, node: ast.AST, value: Value, body: Side, orelse: Side) -> None:
    """Emit an event for a branch that eager runs choose by a size, and the trace by a constant.

    Emit none if the sides only complain about the size, or compute the same.
    """
    if not isinstance(value, EagerTracePair) or not isinstance(value.traced, StaticValue):
        return
    size = value.eager
    if not isinstance(size, DataDependentValue) or not size.sized or not _computes_other(act, node, body, orelse):
        return
    if size.tell is not None:
        size.tell()
        return
    test = node.test if isinstance(node, ast.If | ast.IfExp) else node
    act.emit(GuardEvent, node, how=act.module.source.code(test), differs=True, guess=True, chooses=True)


def _computes_other(act: Activation, node: ast.AST, body: Side, orelse: Side) -> bool:
    if isinstance(body, ast.expr) or isinstance(orelse, ast.expr):
        differ = isinstance(body, ast.expr) and isinstance(orelse, ast.expr) and ast.dump(body) != ast.dump(orelse)
        return differ and serves(act, node, "")
    sides = [_ends(side or ()) for side in (body, orelse)]
    if None in sides:
        return False
    one, other = (side or {} for side in sides)
    return any(
        _is_used(act, node, name) and (name in act.flow.names or not name or (name in one and name in other))
        for name in one.keys() | other.keys()
        if one.get(name) != other.get(name)
    )


def _is_used(act: Activation, node: ast.AST, name: str) -> bool:
    return not name or serves(act, node, name)


def _ends(side: Sequence[ast.stmt]) -> Mapping[str, str] | None:
    """Return the values that a side binds to names, as text; an empty name means the returned value.

    None for loops, which are other ways to the same, and for complaints.
    """
    found: dict[str, str] = {}
    for part in side:
        match part:
            case ast.For() | ast.While() | ast.Raise():
                return None
            case ast.Return(value=ast.expr() as value):
                return {"": ast.dump(value)}
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ):
                found[name] = ast.dump(value)
            case ast.AugAssign(target=ast.Name(id=name)):
                found[name] = ast.dump(part)
            case _:
                pass
    return found


def _guard_around(function: ast.AST | None, statement: ast.AST) -> ast.AST:
    """Return the innermost ``try`` or ``if`` around a statement, or the statement itself."""
    around: list[ast.AST] = [
        n
        for n in (branches(function) if function is not None else ())
        if isinstance(n, ast.Try | ast.If) and any(part is statement for part in walk(n))
    ]
    return around[-1] if around else statement
