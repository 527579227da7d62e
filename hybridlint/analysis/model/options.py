"""Settings with few possible values: restricting them by checks, and comparing them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from hybridlint.analysis.model.values import STATIC_UNKNOWN, ContainerValue, StaticValue, Value

#: The possible values of a setting.
Options: TypeAlias = tuple[Any, ...]

#: With more possible values than this, branches do not distinguish them.
_MOST = 16
_PLAIN = (str, int, float, type(None))
#: What each comparison computes.
COMPARISONS: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def options(value: Value) -> Options | None:
    """Return the values that a setting can have in any configuration; None if they are unknown."""
    if not isinstance(value, StaticValue):
        return None
    if value.value is STATIC_UNKNOWN:
        return value.among
    return (value.value,) if value.certain and isinstance(value.value, _PLAIN) else None


def one_of(values: Iterable[Any]) -> StaticValue:
    """Return a setting that is known to have one of these values."""
    distinct = {(type(value), value): value for value in values}
    if len(distinct) == 1:
        return StaticValue(next(iter(distinct.values())), certain=True)
    return StaticValue(STATIC_UNKNOWN, among=tuple(distinct.values()) if 0 < len(distinct) <= _MOST else None)


def members(container: Value) -> Options | None:
    """Return a container's elements, or a dict's keys, if all are known settings."""
    known: Any = None
    if isinstance(container, StaticValue) and isinstance(container.value, list | tuple | set | frozenset | dict):
        known = tuple(container.value)
    elif isinstance(container, ContainerValue) and container.kind == "dict":
        known = container.keys
    elif (
        isinstance(container, ContainerValue)
        and container.kind in {"list", "tuple", "set"}
        and container.items is not None
    ):
        plain = [item.value for item in container.items if isinstance(item, StaticValue)]
        known = tuple(plain) if len(plain) == len(container.items) else None
    whole = known is not None and len(known) <= _MOST and all(isinstance(value, _PLAIN) for value in known)
    return known if whole else None


def compare_options(op: ast.cmpop, left: Value, right: Value) -> bool | None:
    """Return the result of a comparison if it is the same for all values of the settings; None otherwise."""
    ones, others = options(left), options(right)
    function = COMPARISONS.get(type(op))
    if ones is None or others is None or function is None:
        return None
    try:
        return _same(function(one, other) for one in ones for other in others)
    except TypeError:
        return None


def is_contained(item: Value, container: Value) -> bool | None:
    """Return whether a setting is in a container, if that is the same for all its values; None otherwise."""
    ones, inside = options(item), members(container)
    return None if ones is None or inside is None else _same(one in inside for one in ones)


def left_by(value: Value, op: ast.cmpop, other: Value, *, holds: bool) -> StaticValue | None:
    """Return the values of a setting left after a comparison was true (or, if not `holds`, false).

    None if nothing becomes known. Do not call it for a comparison that is already decided: no value would remain.
    """
    compared = members(other) if isinstance(op, ast.In | ast.NotIn) else options(other)
    if compared is None or not isinstance(op, ast.In | ast.NotIn | ast.Eq | ast.NotEq):
        return None
    sure = isinstance(op, ast.In | ast.NotIn) or len(compared) == 1
    inside = holds == isinstance(op, ast.In | ast.Eq)
    known = options(value)
    if known is None:
        return one_of(compared) if inside and sure else None
    left = [one for one in known if (one in compared) == inside]
    return one_of(left) if left and (inside or sure) else None


def left_true(value: Value, *, holds: bool) -> StaticValue | None:
    """Return the values of a setting that are true, or with ``holds=False`` its false values.

    None if its values are unknown or none remains.
    """
    known = options(value)
    left = [one for one in known or () if bool(one) is holds]
    return one_of(left) if left else None


def join_options(values: Sequence[StaticValue]) -> StaticValue:
    """Return the join of several settings."""
    possible: list[Any] = []
    for value in values:
        known = options(value)
        if known is None:
            return StaticValue(STATIC_UNKNOWN)
        possible += known
    return one_of(possible)


def _same(answers: Iterable[bool]) -> bool | None:
    distinct = {bool(answer) for answer in answers}
    return distinct.pop() if len(distinct) == 1 else None
