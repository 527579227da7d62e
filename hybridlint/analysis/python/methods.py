"""Methods of Python's own values: containers, texts and numbers, and arrays of numpy."""

from __future__ import annotations

import ast
import re
from functools import reduce
from typing import TYPE_CHECKING, Any

from hybridlint.analysis.dispatch import invoke, member, method_of
from hybridlint.analysis.flow.formatted_texts import text_with
from hybridlint.analysis.flow.iterators import STEPPING, advances
from hybridlint.analysis.flow.lookups import depends_on_run, find_compared, kept_under, key_value, lacks_key, position
from hybridlint.analysis.flow.persistent_state import emit_change, outlives
from hybridlint.analysis.flow.rows import emit_whole_use
from hybridlint.analysis.model.answers import ANSWERING_METHODS
from hybridlint.analysis.model.arguments import moves_on
from hybridlint.analysis.model.events import ArgumentsEvent, Branch, TraceConstant
from hybridlint.analysis.model.folding import MOST_ITEMS, fold_call, is_small, told_apart
from hybridlint.analysis.model.functions import has_function_name, is_function
from hybridlint.analysis.model.lattice import element, join_all, join_members, per_world
from hybridlint.analysis.model.records import field, with_field
from hybridlint.analysis.model.tables import CHANGING, CHANGING_ARRAYS, GROWING, words
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    TRUE_OR_FALSE,
    BoundMethod,
    ClassRef,
    ContainerValue,
    DataDependentValue,
    EagerTracePair,
    NumpyArray,
    OperatorRef,
    StaticValue,
    Tensor,
    TypeOf,
    Unknown,
    Value,
)
from hybridlint.analysis.model.written_shapes import reshaped_rank
from hybridlint.analysis.python.closures import apply
from hybridlint.analysis.python.functional import special_method
from hybridlint.analysis.python.reductions import emit_order_in
from hybridlint.analysis.syntax.calls import arguments
from hybridlint.analysis.syntax.hashing import hashed_by_method
from hybridlint.analysis.syntax.iteration import iterate
from hybridlint.analysis.syntax.subscripts import rebind
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.surface import World
from hybridlint.runtime.facts.types import TensorType

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: Characters that methods which write a text again and again may write, and that padding may add.
_MULTIPLYING, _MOST_REPLACED, _MOST_PADDED = frozenset({"replace", "join"}), 200_000, 20_000
#: Formats that ask for fields of many characters.
_WIDE = re.compile(r"\d{4}|\{[^}]*\{")
_SEARCHING = frozenset({"index", "count", "remove"})
#: Methods of strings that return strings, numbers, booleans, or lists of these.
_OF_TEXT = words(
    """
    count find index lower lstrip partition removeprefix removesuffix replace rfind rpartition rsplit rstrip split
    strip title upper
    """
) | {name for name in ANSWERING_METHODS if hasattr(str, name)}


@method_of(ContainerValue)
def _of_items(act: Activation, node: ast.Call, receiver: ContainerValue, name: str) -> Value:
    held = field(receiver, name)
    if held is not None:
        return invoke(act, node, held, arguments(act, node))
    if _is_special(name):
        return special_method(act, node, receiver, name, arguments(act, node))
    if receiver.kind == "tuple" and receiver.info is not None and receiver.info.method(name) is not None:
        return invoke(act, node, member(act, receiver, name), arguments(act, node))
    args = arguments(act, node)
    if name == "_replace" and receiver.kind == "tuple" and receiver.keys is not None:
        return _replaced(node, receiver, args)
    return container_method(act, node, receiver, name, args)


def _replaced(node: ast.Call, receiver: ContainerValue, args: ArgumentsEvent) -> Value:
    """Evaluate a namedtuple's ``_replace(low=x)``. Fields passed by ``**`` are unknown."""
    names = {keyword.arg for keyword in node.keywords}
    if receiver.items is None or names != args.keywords.keys() or any(field(receiver, n) is None for n in names if n):
        return Unknown()
    for name, value in args.keywords.items():
        receiver = with_field(receiver, name, value)
    return receiver


@method_of(StaticValue)
def _of_static(act: Activation, node: ast.Call, receiver: StaticValue, name: str) -> Value:
    args = arguments(act, node)
    if _is_special(name):
        return special_method(act, node, receiver, name, args)
    return static_method(act, receiver, name, args, node)


@method_of(NumpyArray)
def _of_array(act: Activation, node: ast.Call, receiver: NumpyArray, name: str) -> Value:
    assert isinstance(node.func, ast.Attribute)
    args = arguments(act, node)
    if name in CHANGING_ARRAYS and moves_on(node.func.value, args) and outlives(act, node.func.value):
        emit_change(act, node, node.func.value)
        return StaticValue(None)
    return array_method(receiver, name, args)


@method_of(DataDependentValue)
def _of_concrete(act: Activation, node: ast.Call, receiver: DataDependentValue, name: str) -> Value:
    arguments(act, node)
    return receiver


@method_of(EagerTracePair)
def _of_divergent(act: Activation, node: ast.Call, receiver: EagerTracePair, name: str) -> Value:
    """Evaluate a method call in each run; ``type(x).name(y)`` is the method of `y`."""
    args = arguments(act, node)
    emit_whole_use(act, receiver)
    if isinstance(receiver.eager, TypeOf):
        return _class_method(act, node, name, args)
    if not isinstance(receiver.eager, StaticValue) or not isinstance(receiver.traced, StaticValue):
        return Unknown()
    return EagerTracePair(*(static_method(act, side, name, args, node) for side in (receiver.eager, receiver.traced)))


def _class_method(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value:
    """Evaluate ``type(x).name(y, ...)`` as ``y.name(...)``."""
    if not args.values or not isinstance(args.values[0], Tensor):
        return Unknown()
    rest = ArgumentsEvent(args.nodes[1:], args.values[1:], args.keyword_nodes, args.keywords)
    return invoke(act, node, BoundMethod(args.values[0], name), rest)


def _is_special(name: str) -> bool:
    return name.startswith("__") and name.endswith("__") and name not in STEPPING


def container_method(
    act: Activation, node: ast.Call, receiver: ContainerValue, name: str, args: ArgumentsEvent
) -> Value:
    """Evaluate a method of a list, tuple, dict or set."""
    assert isinstance(node.func, ast.Attribute)
    holder = node.func.value
    if name in STEPPING and advances(act, holder, receiver):
        act.emit(TraceConstant, node, source_of_value="next", used=True)
        return StaticValue(STATIC_UNKNOWN)
    hashed_by_method(act, node, receiver, name, args.values)
    if name == "sort":
        _emit_sorted(act, node, receiver, args)
    if name in _SEARCHING and args.values and (compared_tensor := find_compared(args.values[0], receiver)) is not None:
        act.emit(Branch, node, kind="in", condition=node, value=compared_tensor)
    if name in {"extend", "extendleft"}:
        args = replace(args, values=tuple(_iterated(act, node, value) for value in args.values))
    if name in CHANGING:
        if outlives(act, holder, receiver):
            emit_change(act, node, holder, emptied=name == "clear")
        rebind(act, holder, _changed(receiver, name, args))
    match name:
        case "pop" | "popleft" | "get" | "setdefault":
            local = not outlives(act, holder, receiver)
            return per_world({w: _taken(receiver, name, args, w, local=local) for w in act.flow.worlds})
        case "index" if receiver.items is not None and args.values:
            return per_world({world: _index(receiver.items, args.values[0], world) for world in act.flow.worlds})
        case "copy":
            return replace(receiver, kept=False)
        case "values":
            return ContainerValue("view", receiver.items, receiver.each)
        case "items" if receiver.keys is not None and receiver.items is not None:
            pairs = zip(receiver.keys, receiver.items, strict=True)
            return ContainerValue("view", tuple(ContainerValue("tuple", (key_value(key), item)) for key, item in pairs))
        case "keys" if receiver.keys is not None:
            return ContainerValue("view", tuple(map(key_value, receiver.keys)))
        case "items":
            return ContainerValue(
                "view", None, ContainerValue("tuple", (StaticValue(STATIC_UNKNOWN), element(receiver)))
            )
        case "keys" | "index" | "count":
            return StaticValue(STATIC_UNKNOWN)
        case _ if name in ANSWERING_METHODS:
            return TRUE_OR_FALSE
        case _:
            return StaticValue(None) if name in CHANGING else Unknown()


def _iterated(act: Activation, node: ast.Call, value: Value) -> Value:
    """Return the container of values that ``list.extend(value)`` appends; for a tensor, its rows."""
    return (
        value
        if isinstance(value, ContainerValue)
        else ContainerValue("list", None, iterate(act, value, node, "iteration"))
    )


def _index(items: tuple[Value, ...], searched: Value, world: World) -> Value:
    at = position(searched, items, world)
    return StaticValue(STATIC_UNKNOWN if at is None or at == len(items) else at)


def _emit_sorted(act: Activation, node: ast.Call, receiver: ContainerValue, args: ArgumentsEvent) -> None:
    """Emit an event for a list's ``sort`` if it compares tensors, among its elements or the results of ``key``."""
    if "key" not in args.keywords:
        emit_order_in(act, node, receiver, element(receiver))
        return
    compared = apply(act, node, args.keywords["key"], (element(receiver),))
    if isinstance(compared, Tensor) and not compared.optional:
        act.emit(Branch, node, kind="or", condition=node, value=compared)


def static_method(act: Activation, receiver: Value, name: str, args: ArgumentsEvent, node: ast.Call) -> Value:
    """Evaluate a method of a known Python value."""
    assert isinstance(node.func, ast.Attribute)
    if isinstance(receiver, StaticValue) and name in CHANGING and outlives(act, node.func.value):
        emit_change(act, node, node.func.value)
    if isinstance(receiver, StaticValue) and isinstance(receiver.value, str) and name == "format":
        return text_with(*args.values, *args.keywords.values())
    if isinstance(receiver, StaticValue) and isinstance(receiver.value, str) and name in _OF_TEXT and not args.keywords:
        return StaticValue(_of_text(receiver.value, name, args), receiver.certain)
    if name in ANSWERING_METHODS:
        return TRUE_OR_FALSE
    if isinstance(receiver, StaticValue) and receiver.value is STATIC_UNKNOWN:
        return Unknown()
    return StaticValue(STATIC_UNKNOWN)


#: Methods of numpy arrays whose result has the array's shape.
_SAME_SHAPE = words("astype copy round clip conj view tolist")


def array_method(receiver: NumpyArray, name: str, args: ArgumentsEvent) -> Value:
    """Evaluate a method of a numpy array. The shape of its result is known for a few common methods."""
    whole = not args.values and "axis" not in args.keywords
    if name in {"any", "all"} and whole:
        return TRUE_OR_FALSE
    if name == "reshape" and args.values:
        sizes = args.values[0] if len(args.values) == 1 else ContainerValue("tuple", args.values)
        listed = sizes if isinstance(sizes, ContainerValue) else ContainerValue("tuple", (sizes,))
        return NumpyArray(TensorType(reshaped_rank(listed), receiver.type.dtype))
    return receiver if name in _SAME_SHAPE else NumpyArray(receiver.type.with_shape(None))


def _of_text(text: str, name: str, args: ArgumentsEvent) -> Any:
    given = [_plain(value) for value in args.values]
    if STATIC_UNKNOWN in given:
        return STATIC_UNKNOWN
    if name in _MULTIPLYING and len(text) * sum(len(part) for part in given if isinstance(part, str)) > _MOST_REPLACED:
        return STATIC_UNKNOWN
    if any(type(part) is int and part > _MOST_PADDED for part in given) or (name == "format" and _WIDE.search(text)):
        return STATIC_UNKNOWN
    return fold_call(getattr(text, name), *given) if is_small(text) else STATIC_UNKNOWN


def _plain(value: Value) -> Any:
    """Return the Python value of a constant or a tuple of constants."""
    if isinstance(value, ContainerValue) and value.kind == "tuple" and value.items is not None:
        parts = tuple(map(_plain, value.items))
        return STATIC_UNKNOWN if STATIC_UNKNOWN in parts else parts
    return value.value if isinstance(value, StaticValue) else STATIC_UNKNOWN


def _changed(receiver: ContainerValue, name: str, args: ArgumentsEvent) -> ContainerValue:
    new = list(args.values)
    if name == "append" and receiver.items is not None and len(new) == 1:
        return told_apart(ContainerValue(receiver.kind, (*receiver.items, new[0])))
    if name in {"extend", "extendleft", "update"} and new:
        added = new[0]
        if (
            isinstance(added, ContainerValue)
            and added.items is not None
            and receiver.items is not None
            and name == "extend"
        ):
            items = (*receiver.items, *added.items)
            return (
                ContainerValue(receiver.kind, items)
                if len(items) <= MOST_ITEMS
                else ContainerValue(receiver.kind, None)
            )
        new = [element(added) if isinstance(added, ContainerValue) else Unknown()]
    if name == "insert":
        new = new[1:]
    if name == "setdefault":
        new = new[1:]
    elif name not in GROWING:
        new = []
    known = [] if receiver.items == () else [element(receiver)]
    return ContainerValue(receiver.kind, None, reduce(join_members, [*known, *new]) if known or new else Unknown())


def _taken(receiver: ContainerValue, name: str, args: ArgumentsEvent, world: World, *, local: bool) -> Value:
    """Return the value that a method such as ``pop`` or ``get`` takes from a container.

    With `local`, a dict has no entries besides the known ones.
    """
    key = args.values[0] if args.values else StaticValue(STATIC_UNKNOWN)
    if receiver.kind == "dict":
        held = kept_under(receiver, key, world)
        if held is not None:
            return held
        if name == "get" and lacks_key(receiver, key, world) and (local or depends_on_run(key)):
            return args.values[1] if len(args.values) > 1 else StaticValue(None)
        if name == "get" and not all(map(_is_called, receiver.items or (Unknown(),))):
            return Unknown()
        # Nobody calls what is missing.
        instead = args.values[1:2] if name == "get" else ()
        return join_all([element(receiver), *filter(_is_function, instead)])
    return element(receiver)


def _is_called(item: Value) -> bool:
    return isinstance(item, ClassRef) or (_is_function(item) and not isinstance(item, OperatorRef))


def _is_function(value: Value) -> bool:
    return is_function(value) or has_function_name(value)
