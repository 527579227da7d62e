"""Reads and stores of subscripts, ``value[index]``."""

from __future__ import annotations

import ast
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hybridlint.analysis import semantics
from hybridlint.analysis.dispatch import evaluate, expression, invoke
from hybridlint.analysis.flow.guards import choice, emit_missing_key
from hybridlint.analysis.flow.lookups import depends_on_run, kept_under
from hybridlint.analysis.flow.persistent_state import (
    body_around,
    depends_on_inputs,
    emit_change,
    is_carried,
    note_emptied,
    outlives,
)
from hybridlint.analysis.flow.rows import has_rows, row
from hybridlint.analysis.model.events import ArgumentsEvent, SideEffect, Subscript, TensorStore
from hybridlint.analysis.model.folding import fold_call, told_apart
from hybridlint.analysis.model.lattice import element, in_world, join, per_world, some_element
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    TRUE_OR_FALSE,
    BlockRef,
    CapturedArray,
    ContainerValue,
    DataDependentValue,
    EagerTracePair,
    External,
    Function,
    NumpyArray,
    Outputs,
    SelfRef,
    ShapeProvenance,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.model.written_shapes import subscript_type
from hybridlint.analysis.syntax.hashing import emit_hashing
from hybridlint.analysis.syntax.iteration import iterate
from hybridlint.analysis.syntax.keys import is_spread, key_of, with_slices
from hybridlint.runtime.facts.surface import World
from hybridlint.runtime.facts.types import TensorType

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


@expression(ast.Subscript)
def read(act: Activation, node: ast.Subscript) -> Value:
    """Evaluate ``value[index]``."""
    value = evaluate(act, node.value)
    keys = index_parts(node.slice)
    key_values = tuple(evaluate(act, key) for key in keys)
    if isinstance(value, ContainerValue) and value.kind == "dict":
        emit_hashing(act, node, *key_values)
    if len(key_values) == 1 and isinstance(key_values[0], EagerTracePair):
        choice(act, node, {world: in_world(key_values[0], world) for world in act.flow.worlds})
    emit_missing_key(act, node, value)
    result = _select(act, value, node.slice, key_values)
    cut = isinstance(node.slice, ast.Tuple) and any(isinstance(key, ast.Slice) for key in node.slice.elts)
    if isinstance(value, Tensor) and value.origin == "element" and not cut:
        act.suspect(Subscript, node, value=value, keys=keys, key_values=key_values, result=result)
        return Unknown()
    several = value.traced if has_rows(value) else value
    if isinstance(several, Tensor | Outputs):
        act.emit(Subscript, node, value=several, keys=keys, key_values=key_values, result=result)
    return result


def store(act: Activation, target: ast.Subscript, new: Value, statement: ast.AST) -> None:
    """Perform ``value[index] = new``."""
    read = frozenset(act.run.trail.state_read)
    value = evaluate(act, target.value)
    if _is_one_item(target) and not isinstance(statement, ast.AugAssign):
        # Replacing an item reads none of the container's contents.
        act.run.trail.state_read &= read
    key_values = tuple(evaluate(act, key) for key in index_parts(target.slice))
    emptied = _is_refilled(value, key_values) and not isinstance(statement, ast.AugAssign)
    if emptied:
        act.run.trail.state_read &= read
    match value:
        case Tensor(origin="element"):
            act.suspect(TensorStore, statement, value=value, target=target, new=new)
        case Tensor() | Outputs():
            act.emit(TensorStore, statement, value=value, target=target, new=new)
        case CapturedArray(kept=True):
            act.emit(SideEffect, statement, kind="buffer", target=act.module.source.code(target.value))
        case ContainerValue():
            if value.kind == "dict":
                emit_hashing(act, statement, *key_values)
            elif isinstance(target.slice, ast.Slice) and not isinstance(new, ContainerValue):
                new = iterate(act, new, statement, "iteration")
            rebind(act, target.value, _with_item(value, key_values, new))
            if outlives(act, target.value, value) and not _is_settled(act, target, new, statement):
                emit_change(act, statement, target.value, emptied=emptied and new == ContainerValue("list", ()))
        case StaticValue(value=known) if not isinstance(known, list | dict) and known is not STATIC_UNKNOWN:
            return
        case StaticValue() | NumpyArray() | Unknown():
            if outlives(act, target.value) and not _is_settled(act, target, new, statement):
                emit_change(act, statement, target.value, emptied=emptied and new == ContainerValue("list", ()))
    if emptied:
        note_emptied(act, target.value)


def delete(act: Activation, target: ast.Subscript, statement: ast.AST) -> None:
    """Perform ``del value[index]``. An array rejects it in either run; a list of outputs is one node at the trace."""
    read = frozenset(act.run.trail.state_read)
    value = evaluate(act, target.value)
    keys = [evaluate(act, key) for key in index_parts(target.slice)]
    if isinstance(value, Outputs):
        act.emit(TensorStore, statement, value=value, target=target, new=StaticValue(None))
        return
    emptied = _is_refilled(value, keys)
    if emptied:
        act.run.trail.state_read &= read
    if isinstance(value, ContainerValue | StaticValue | Unknown) and outlives(act, target.value, value):
        emit_change(act, statement, target.value, emptied=emptied)
    if emptied:
        note_emptied(act, target.value)
    if isinstance(value, ContainerValue):
        rebind(act, target.value, ContainerValue(value.kind, None, element(value)))


def _is_refilled(value: Value, keys: Sequence[Value]) -> bool:
    """Return whether a subscript covers a whole list. Replacing or deleting it then reads none of the elements."""
    return isinstance(value, ContainerValue | Unknown) and all(map(_is_whole, keys))


def _is_one_item(target: ast.Subscript) -> bool:
    """Return whether a store replaces an item that is the same in every call: ``self.sizes[0] = ...``."""
    return isinstance(target.value, ast.Attribute) and isinstance(target.slice, ast.Constant)


def _made_once(act: Activation, container: ast.expr, new: Value) -> bool:
    """Return whether a store only creates a missing item that does not depend on the inputs of the call.

    Then it does not matter which call creates it.
    """
    name = getattr(container, "attr", None) or getattr(container, "id", None)
    return name in act.place.made_once and not depends_on_inputs(new)


def _is_settled(act: Activation, target: ast.Subscript, new: Value, statement: ast.AST) -> bool:
    """Return whether every call stores the same item, so that the store carries no state."""
    if _made_once(act, target.value, new):
        return True
    if not isinstance(new, StaticValue) or new.value is STATIC_UNKNOWN or isinstance(statement, ast.AugAssign):
        return False
    if body_around(act, target.value) in act.run.project.dialect.runs_once:
        return True
    return _is_one_item(target) and not is_carried(act, target.value)


def index_parts(index: ast.expr) -> tuple[ast.expr, ...]:
    """Return the parts of an index, one per dimension; a tuple with starred parts counts as one part."""
    if not isinstance(index, ast.Tuple) or not index.elts or is_spread(index):
        return (index,)
    return tuple(index.elts)


def rebind(act: Activation, node: ast.expr, value: Value) -> None:
    """Bind a name, or an attribute of self, to the value of its container after a change."""
    if isinstance(node, ast.Name):
        holder, _ = act.holder(node.id)
        if holder is not None:
            holder.flow.names[node.id] = value
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        act.flow.names[f"self.{node.attr}"] = value
        if act.role.building and act.this is not None and act.place.statement is not None:
            act.this.instance.note_filled(node.attr, value, act.place.statement)
    elif (named := _attribute_by_name(act, node)) is not None:
        rebind(act, named, value)
    elif isinstance(node, ast.Subscript):
        with act.run.reporting.silently():
            outer = evaluate(act, node.value)
            key_values = tuple(evaluate(act, key) for key in index_parts(node.slice))
        if isinstance(outer, ContainerValue):
            rebind(act, node.value, _with_item(outer, key_values, value))


def _attribute_by_name(act: Activation, node: ast.expr) -> ast.Attribute | None:
    """Return ``getattr(self, "parts")`` as an attribute, if the name is known; None for other expressions."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[ast.Name(id="self") as subject, key]):
            pass
        case _:
            return None
    with act.run.reporting.silently():
        name = evaluate(act, key)
    if not isinstance(name, StaticValue) or not isinstance(name.value, str):
        return None
    return ast.copy_location(ast.Attribute(subject, name.value, ast.Load()), node)


def _with_item(value: ContainerValue, key_values: tuple[Value, ...], new: Value) -> ContainerValue:
    key = key_values[0] if len(key_values) == 1 else None
    if isinstance(key, StaticValue) and value.items is not None and key.value is not STATIC_UNKNOWN:
        if value.kind == "dict" and value.keys is not None and key.value in value.keys:
            at = value.keys.index(key.value)
            return told_apart(ContainerValue("dict", (*value.items[:at], new, *value.items[at + 1 :]), keys=value.keys))
        if value.kind == "dict" and value.keys is not None:
            return told_apart(ContainerValue("dict", (*value.items, new), keys=(*value.keys, key.value)))
        if type(key.value) is int and -len(value.items) <= key.value < len(value.items):
            at = key.value % len(value.items)
            return told_apart(ContainerValue(value.kind, (*value.items[:at], new, *value.items[at + 1 :])))
    each = new if value.items == () else join(element(value), new)
    return ContainerValue(value.kind, None, each)


def _select(act: Activation, value: Value, index: ast.expr, keys: tuple[Value, ...]) -> Value:
    if any(map(depends_on_run, keys)) and not isinstance(value, Tensor | Outputs):
        return per_world({world: _select_in(act, value, index, keys, world) for world in act.flow.worlds})
    match value:
        case Tensor() if isinstance(index, ast.Tuple) and not index.elts:
            return value
        case Tensor(mode="legacy") if len(keys) == 1 and _is_whole(keys[0]):
            return value
        case Tensor(mode="legacy", type=TensorType(shape=(1,))) if keys == (StaticValue(0),):
            # An array has at least one dimension.
            return act.tensor(type=value.type, lineage=value.lineage, flows=value.flows)
        case Tensor():
            known = subscript_type(value.type, key_of(index, with_slices(index, keys)).parts)
            return act.tensor(type=known, lineage=ShapeProvenance(act.run.token()), flows=value.flows)
        case Outputs():
            return _select_output(act, value, index, keys[0])
        case ContainerValue():
            return _select_item(value, index, keys[0])
        case CapturedArray():
            return CapturedArray(subscript_type(value.type, keys))
        case StaticValue():
            return _select_static(value, keys)
        case NumpyArray(type=known) if known.dtype == "bool" and known.shape is not None and len(known.shape) == 1:
            return TRUE_OR_FALSE if isinstance(keys[0], StaticValue) and not isinstance(keys[0].value, slice) else value
        case DataDependentValue() | NumpyArray():
            return value
        case BlockRef():
            return _select_child(act, value, index)
        case External(name="numpy.s_" | "numpy.index_exp" as maker):
            # The value between the brackets.
            several = isinstance(index, ast.Tuple) or maker == "numpy.index_exp"
            return ContainerValue("tuple", keys) if several else keys[0]
        case EagerTracePair():
            eager, traced = (_select(act, side, index, keys) for side in (value.eager, value.traced))
            if has_rows(value):
                return row(act, value, eager, traced)
            return join(eager, traced) if isinstance(eager, Tensor) else EagerTracePair(eager, traced)
        case SelfRef(instance=instance) if (found := instance.info.method("__getitem__")) is not None:
            key = keys[0] if len(keys) == 1 else ContainerValue("tuple", keys)
            call = ast.copy_location(ast.Call(index, [index], []), index)
            return invoke(act, call, Function(*found, (value,)), ArgumentsEvent((index,), (key,), {}, {}))
        case _:
            return Unknown()


def _select_in(act: Activation, value: Value, index: ast.expr, keys: tuple[Value, ...], world: World) -> Value:
    """Return ``value[keys]`` in one run, for keys that differ by run."""
    if isinstance(value, ContainerValue) and value.kind == "dict":
        return kept_under(value, keys[0], world) or element(value)
    inner = tuple(in_world(key, world) for key in keys)
    return Unknown() if any(map(depends_on_run, inner)) else _select(act, in_world(value, world), index, inner)


def _is_whole(key: Value) -> bool:
    """Return whether a key is a full slice: ``[:]``, ``[0:]``, ``[::1]``."""
    match key:
        case StaticValue(value=slice(start=start, stop=None, step=step)):
            return start in {None, 0} and step in {None, 1}
        case _:
            return False


def _select_output(act: Activation, value: Outputs, index: ast.expr, key: Value) -> Value:
    known = key.value if isinstance(key, StaticValue) else STATIC_UNKNOWN
    if isinstance(index, ast.Slice) or isinstance(known, slice):
        types = fold_call(value.types.__getitem__, known) if isinstance(known, slice) and value.types else None
        return Outputs(types if isinstance(types, tuple) else None, value.mode, flows=value.flows)
    known_type = TensorType()
    if value.types and type(known) is int and -len(value.types) <= known < len(value.types):
        known_type = value.types[known]
    return act.tensor(type=known_type, lineage=value.lineage or ShapeProvenance(act.run.token()), flows=value.flows)


def _select_item(value: ContainerValue, index: ast.expr, key: Value) -> Value:
    known = key.value if isinstance(key, StaticValue) else STATIC_UNKNOWN
    if value.kind == "dict":
        if value.keys is not None and value.items is not None and known is not STATIC_UNKNOWN and known in value.keys:
            return value.items[value.keys.index(known)]
        return some_element(value)
    if isinstance(index, ast.Slice) or isinstance(known, slice):
        taken = (
            fold_call(value.items.__getitem__, known) if value.items is not None and isinstance(known, slice) else None
        )
        if isinstance(taken, tuple):
            return ContainerValue(value.kind, taken)
        return ContainerValue(value.kind, None, element(value))
    if value.items is not None and type(known) is int and -len(value.items) <= known < len(value.items):
        return value.items[known]
    return some_element(value)


def _select_static(value: StaticValue, keys: tuple[Value, ...]) -> Value:
    known: list[Any] = [key.value if isinstance(key, StaticValue) else STATIC_UNKNOWN for key in keys]
    if value.value is STATIC_UNKNOWN or STATIC_UNKNOWN in known:
        return StaticValue(STATIC_UNKNOWN)
    return StaticValue(fold_call(operator.getitem, value.value, known[0] if len(known) == 1 else tuple(known)))


def _select_child(act: Activation, value: BlockRef, index: ast.expr) -> Value:
    if isinstance(index, ast.Slice):
        # A different container with some of the same children.
        return BlockRef(value.layer, value.hybrid, {"slice": StaticValue(STATIC_UNKNOWN)}, creation=value.creation)
    return semantics.library.any_child(act.run, value)
