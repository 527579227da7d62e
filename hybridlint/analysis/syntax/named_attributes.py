"""Attributes accessed by name with ``getattr`` and ``setattr``, whose names may be computed from settings."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import evaluate, member
from hybridlint.analysis.flow.persistent_state import emit_store, note_read, note_stored
from hybridlint.analysis.flow.sized_choices import with_read
from hybridlint.analysis.model.events import AttributeRead, SideEffect
from hybridlint.analysis.model.lattice import is_each_runs_own, join, join_all
from hybridlint.analysis.model.values import (
    TEXT,
    TRUE_OR_FALSE,
    BoundMethod,
    ClassRef,
    DataDependentValue,
    EagerTracePair,
    Namespace,
    ParameterRef,
    SelfRef,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.runtime.facts import surface
from hybridlint.runtime.facts.records import replace

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: The usual value of an array's attribute.
_DENSE = {"stype": StaticValue("default", certain=True)}


def evaluate_getattr(act: Activation, node: ast.Call, subject: Value, name: str, default: list[ast.expr]) -> Value:
    """Evaluate ``getattr(subject, name, default)``."""
    fallback = evaluate(act, default[0]) if default else None
    if default and isinstance(default[0], ast.Constant):
        fallback = StaticValue(default[0].value, certain=True)
    if isinstance(subject, Namespace):
        eager, traced = (surface.namespace_has(subject.path, name, world) for world in ("eager", "traced"))
        found = member(act, subject, name)
        if fallback is None or not is_each_runs_own(subject) or eager is None or eager == traced:
            return found
        return EagerTracePair(found, fallback) if eager else EagerTracePair(fallback, found)
    if isinstance(subject, Tensor) and not subject.optional:
        known = [surface.has_attribute(name, world, subject.mode) for world in ("eager", "traced")]
        if known == [True, False] and isinstance(fallback, StaticValue) and isinstance(fallback.value, str | None):
            # A default of None, or a name, shows that the author expects the attribute to be missing: a guard.
            read = with_read(act, member(act, subject, name), node)
            return EagerTracePair(_DENSE.get(name) or read, replace(fallback, certain=True))
        if known == [True, False] and isinstance(fallback, Tensor) and fallback.identity != subject.identity:
            return join(member(act, subject, name), fallback)
        if known == [False, True] and fallback is not None:
            return EagerTracePair(fallback, DataDependentValue(TEXT) if name == "name" else BoundMethod(subject, name))
        if known[0] != known[1]:
            act.emit(AttributeRead, node, value=subject, name=name)
        return member(act, subject, name)
    note_read(act, subject, name, node.args[0])
    found = member(act, subject, name)
    if fallback is None:
        return found
    # If nothing sets the attribute, the result is the call's default.
    return TRUE_OR_FALSE if isinstance(fallback, StaticValue) and fallback.is_boolean else Unknown()


def evaluate_computed_getattr(
    act: Activation, node: ast.Call, subject: Value, key: Value, default: list[ast.expr]
) -> Value | None:
    """Evaluate ``getattr`` with a computed name.

    If the name is unknown, return the join of all attributes of self that are stored under computed names, or of the
    methods whose names fit what is written of it (``getattr(self, "_" + kind)``).
    """
    known = key.value if isinstance(key, StaticValue) else None
    if isinstance(known, str):
        found = evaluate_getattr(act, node, subject, known, default)
    else:
        found = _of_kind(act, subject, node.args[1]) if isinstance(subject, SelfRef) else Unknown()
    if found == Unknown() and isinstance(subject, SelfRef) and subject.instance.computed:
        return join_all(subject.instance.computed)
    return found


def _of_kind(act: Activation, this: SelfRef, written: ast.expr) -> Value:
    """Return the choice of the methods whose names have the parts that are written of a computed name."""
    pattern = _pattern(written)
    if not re.search(r"\w", pattern):
        return Unknown()
    methods = {name for info in this.instance.info.lineage for name in info.methods}
    called = act.module.called_by_library
    fitting = sorted(name for name in methods if re.fullmatch(pattern, name) and name not in called)
    return join_all([member(act, this, name) for name in fitting])


def _pattern(written: ast.expr) -> str:
    """Return the regular expression of a text of which some parts are written and the others computed."""
    match written:
        case ast.Constant(value=str() as text):
            return re.escape(text)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _pattern(left) + _pattern(right)
        case ast.BinOp(left=ast.Constant(value=str() as text), op=ast.Mod()):
            return ".*".join(map(re.escape, text.split("%s")))
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as text), attr="format")):
            return ".*".join(map(re.escape, re.split(r"\{\w*\}", text)))
        case ast.JoinedStr(values=parts):
            return "".join(map(_pattern, parts))
        case _:
            return ".*"


def store_named(act: Activation, node: ast.Call, subject: Value, value: Value, key: Value | None = None) -> Value:
    """Evaluate ``setattr(subject, name, value)``, ``object.__setattr__(subject, name, value)`` and similar calls.

    `key` is the name if it is evaluated.
    """
    if isinstance(key, StaticValue) and isinstance(key.value, str):
        note_stored(act, subject, key.value, value, node)
    if isinstance(subject, SelfRef):
        name = key.value if isinstance(key, StaticValue) else None
        if isinstance(name, str) and isinstance(value, ParameterRef) and act.role.building:
            # The traced method gets its array as an argument of this name.
            subject.instance.note(name, value, node)
        subject.instance.register(value)
        subject.instance.computed.append(value)
        if not act.role.building:
            act.run.reuse.changed = True
            act.emit(SideEffect, node, kind="attribute", target=act.module.source.code(node), carried=True)
    elif isinstance(subject, ClassRef) and isinstance(key, StaticValue) and isinstance(key.value, str):
        target = ast.copy_location(ast.Attribute(node.args[0], key.value, ast.Store()), node)
        emit_store(act, node, target, subject, value)
    return StaticValue(None)
