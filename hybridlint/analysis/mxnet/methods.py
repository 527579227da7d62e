"""Methods of tensors, outputs, parameters, NDArrays and containers."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hybridlint.analysis.flow.iterators import STEPPING, advances
from hybridlint.analysis.flow.lookups import compared, depends_on_run, kept_under, key_value, lacks_key, position
from hybridlint.analysis.flow.outliving import outlives, tell_change
from hybridlint.analysis.model.answers import ANSWERING_METHODS
from hybridlint.analysis.model.events import Arguments, Branch, MethodCall, SideEffect, TraceConstant
from hybridlint.analysis.model.kinds import text_with
from hybridlint.analysis.model.lattice import element, join_all, per_world
from hybridlint.analysis.model.shapes import mismatch, reshaped_rank
from hybridlint.analysis.model.tables import CHANGING, FROM_DATA, GROWING, KEEPING, words
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    TRUE_OR_FALSE,
    Concrete,
    ForeignTensor,
    Items,
    Lineage,
    NumpyArray,
    OperatorRef,
    Outputs,
    ParameterRef,
    Static,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.mxnet.operators import constant, result_of
from hybridlint.analysis.python.closures import apply
from hybridlint.analysis.python.reductions import tell_order_in
from hybridlint.analysis.syntax.hashing import hashed_by_method
from hybridlint.analysis.syntax.iteration import iterate
from hybridlint.analysis.syntax.subscripts import rebind
from hybridlint.runtime.facts import lookup, surface
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.surface import World
from hybridlint.runtime.facts.types import TensorType

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

_TO_PYTHON = frozenset({"asscalar", "item", "tolist"})
_ITSELF = frozenset({"as_nd_ndarray", "as_np_ndarray"})
_SEARCHING = frozenset({"index", "count", "remove"})
_NOTHING = frozenset({"wait_to_read", "attach_grad", "backward"})
#: Methods of strings that return strings, numbers, booleans, or lists of these.
_OF_TEXT = words(
    """
    count find index lower lstrip partition removeprefix removesuffix replace rfind rpartition rsplit rstrip split
    strip title upper
    """
) | {name for name in ANSWERING_METHODS if hasattr(str, name)}


def tensor_method(
    act: Activation, receiver: Tensor | Outputs, name: str, args: Arguments
) -> tuple[Value, Operator | None]:
    """Return the result of a tensor's method, and the operator that it calls."""
    if isinstance(receiver, Outputs):
        return Unknown(), None
    if name in _TO_PYTHON:
        return Concrete(name), None
    if name == "asnumpy":
        return NumpyArray(), None
    if name in _NOTHING:
        return Static(None), None
    if name in _ITSELF:
        return receiver, None
    if name in KEEPING:
        passes = receiver.flows and name != "detach"
        return act.tensor(type=receiver.type, lineage=receiver.lineage, flows=passes), None
    operator = lookup.method(name, receiver.mode)
    if name == "astype":
        return _cast(act, receiver, args), operator
    if name == "reshape":
        return _reshaped(act, receiver, args, operator), operator
    if operator is None and (name in FROM_DATA or not surface.has_attribute(name, "eager", receiver.mode)):
        # A method that arrays lack too raises in both runs, so its result is unknown.
        return Unknown(), None
    result, _ = result_of(act, name, operator, args, receiver)
    return result, operator


def strict_function_failure(ref: OperatorRef, args: Arguments) -> str | None:
    """Return why the Symbol form of a function that broadcasts eagerly fails, or None."""
    operator = ref.operator or lookup.of_numbers(ref.name)
    strict = operator is not None and operator.facts.broadcast_twin is not None
    if not strict or ref.namespace.path or len(args.values) < 2:
        return None
    left, right = args.values[:2]
    if not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return None
    return mismatch(left, right)


def parameter_method(act: Activation, node: ast.Call, receiver: ParameterRef, name: str, args: Arguments) -> Value:
    """Evaluate a method of a Parameter, whose array is an NDArray in either run."""
    result: Value = Unknown()
    if name in {"data", "grad"}:
        result = ForeignTensor(receiver.type, kept=True)
    elif name == "var":
        result = act.tensor(type=receiver.type)
    elif name in {"list_data", "list_grad"}:
        result = Items("list", None, ForeignTensor(receiver.type))
    elif name in {"set_data", "zero_grad"} or (name == "initialize" and _again(args)):
        act.tell(SideEffect, node, kind="set_data", target=act.module.source.code(node.func))
        return Static(None)
    act.tell(MethodCall, node, receiver=receiver, name=name, arguments=args, operator=None, result=result)
    return result


def _again(args: Arguments) -> bool:
    """Return whether ``initialize`` draws new values for parameters that already have some."""
    return args.keywords.get("force_reinit") == Static(True)


def foreign_method(act: Activation, node: ast.Call, receiver: ForeignTensor, name: str, args: Arguments) -> Value:
    """Evaluate a method of an NDArray; values that it reads into Python are frozen at the trace."""
    if name in _TO_PYTHON or name == "asnumpy":
        if receiver.kept:
            act.tell(TraceConstant, node, source_of_value=act.module.source.code(node), used=True)
        return NumpyArray() if name == "asnumpy" else Static(STATIC_UNKNOWN)
    if name in _NOTHING:
        return Static(None)
    return ForeignTensor(kept=receiver.kept)


def container_method(act: Activation, node: ast.Call, receiver: Items, name: str, args: Arguments) -> Value:
    """Evaluate a method of a list, tuple, dict or set."""
    assert isinstance(node.func, ast.Attribute)
    holder = node.func.value
    if name in STEPPING and advances(act, holder, receiver):
        act.tell(TraceConstant, node, source_of_value="next", used=True)
        return Static(STATIC_UNKNOWN)
    hashed_by_method(act, node, receiver, name, args.values)
    if name == "sort":
        _tell_sorted(act, node, receiver, args)
    if name in _SEARCHING and args.values and (told := compared(args.values[0], receiver)) is not None:
        act.tell(Branch, node, kind="in", condition=node, value=told)
    if name in {"extend", "extendleft"}:
        args = replace(args, values=tuple(_gone_through(act, node, value) for value in args.values))
    if name in CHANGING:
        if outlives(act, holder, receiver):
            tell_change(act, node, holder, emptied=name == "clear")
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
            return Items("view", receiver.items, receiver.each)
        case "items" if receiver.keys is not None and receiver.items is not None:
            pairs = zip(receiver.keys, receiver.items, strict=True)
            return Items("view", tuple(Items("tuple", (key_value(key), item)) for key, item in pairs))
        case "keys" if receiver.keys is not None:
            return Items("view", tuple(map(key_value, receiver.keys)))
        case "items":
            return Items("view", None, Items("tuple", (Static(STATIC_UNKNOWN), element(receiver))))
        case "keys" | "index" | "count":
            return Static(STATIC_UNKNOWN)
        case _ if name in ANSWERING_METHODS:
            return TRUE_OR_FALSE
        case _:
            return Static(None) if name in CHANGING else Unknown()


def _gone_through(act: Activation, node: ast.Call, value: Value) -> Value:
    """Return the values that a list is extended by: the rows of a tensor, for one."""
    return value if isinstance(value, Items) else Items("list", None, iterate(act, value, node, "iteration"))


def _index(items: tuple[Value, ...], wanted: Value, world: World) -> Value:
    at = position(wanted, items, world)
    return Static(STATIC_UNKNOWN if at is None or at == len(items) else at)


def _tell_sorted(act: Activation, node: ast.Call, receiver: Items, args: Arguments) -> None:
    """Emit an event for a list's ``sort`` if it compares tensors, among its elements or the results of ``key``."""
    if "key" not in args.keywords:
        tell_order_in(act, node, receiver, element(receiver))
        return
    compared = apply(act, node, args.keywords["key"], (element(receiver),))
    if isinstance(compared, Tensor) and not compared.optional:
        act.tell(Branch, node, kind="or", condition=node, value=compared)


def static_method(act: Activation, receiver: Value, name: str, args: Arguments, node: ast.Call) -> Value:
    """Evaluate a method of a known Python value."""
    assert isinstance(node.func, ast.Attribute)
    if isinstance(receiver, Static) and name in CHANGING and outlives(act, node.func.value):
        tell_change(act, node, node.func.value)
    if isinstance(receiver, Static) and isinstance(receiver.value, str) and name == "format":
        return text_with(*args.values, *args.keywords.values())
    if isinstance(receiver, Static) and isinstance(receiver.value, str) and name in _OF_TEXT and not args.keywords:
        return Static(_of_text(receiver.value, name, args), receiver.certain)
    if name in ANSWERING_METHODS:
        return TRUE_OR_FALSE
    if isinstance(receiver, Static) and receiver.value is STATIC_UNKNOWN:
        return Unknown()
    return Static(STATIC_UNKNOWN)


def array_method(receiver: NumpyArray, name: str, args: Arguments) -> Value:
    """Evaluate a method of a numpy array."""
    whole = not args.values and "axis" not in args.keywords
    return TRUE_OR_FALSE if name in {"any", "all"} and whole else receiver


def _of_text(text: str, name: str, args: Arguments) -> Any:
    given = [_plain(value) for value in args.values]
    if STATIC_UNKNOWN in given:
        return STATIC_UNKNOWN
    try:
        return getattr(text, name)(*given)
    except (TypeError, ValueError, LookupError):
        return STATIC_UNKNOWN


def _plain(value: Value) -> Any:
    """Return the Python value of a constant or a tuple of constants."""
    if isinstance(value, Items) and value.kind == "tuple" and value.items is not None:
        parts = tuple(map(_plain, value.items))
        return STATIC_UNKNOWN if STATIC_UNKNOWN in parts else parts
    return value.value if isinstance(value, Static) else STATIC_UNKNOWN


def _cast(act: Activation, receiver: Tensor, args: Arguments) -> Tensor:
    given = args.keywords.get("dtype") or (args.values[0] if args.values else None)
    known = constant(given)
    dtype = {"float": "float32", "int": "int32"}.get(str(known), str(known))
    known_dtype = dtype if dtype.startswith(("float", "int", "uint", "bool")) else None
    return act.tensor(type=receiver.type.with_dtype(known_dtype), lineage=receiver.lineage, flows=receiver.flows)


def _reshaped(act: Activation, receiver: Tensor, args: Arguments, operator: Operator | None) -> Value:
    if len(args.values) > 1:
        args = Arguments(args.nodes[:1], (Items("tuple", args.values),), args.keyword_nodes, args.keywords)
    result, _ = result_of(act, "reshape", operator, args, receiver)
    if isinstance(result, Tensor) and result.type.shape is not None:
        return result
    given = args.keywords.get("shape") or (args.values[0] if args.values else None)
    known = TensorType(reshaped_rank(given), receiver.type.dtype)
    return act.tensor(type=known, lineage=Lineage(act.run.token()), flows=receiver.flows)


def _changed(receiver: Items, name: str, args: Arguments) -> Items:
    new = list(args.values)
    if name == "append" and receiver.items is not None and len(new) == 1:
        return Items(receiver.kind, (*receiver.items, new[0]))
    if name in {"extend", "extendleft", "update"} and new:
        added = new[0]
        if isinstance(added, Items) and added.items is not None and receiver.items is not None and name == "extend":
            return Items(receiver.kind, (*receiver.items, *added.items))
        new = [element(added) if isinstance(added, Items) else Unknown()]
    if name == "insert":
        new = new[1:]
    if name == "setdefault":
        new = new[1:]
    elif name not in GROWING:
        new = []
    known = [] if receiver.items == () else [element(receiver)]
    return Items(receiver.kind, None, join_all([*known, *new]))


def _taken(receiver: Items, name: str, args: Arguments, world: World, *, local: bool) -> Value:
    """Return the value that a method takes out of a container; a local dict has no entries beyond the known ones."""
    key = args.values[0] if args.values else Static(STATIC_UNKNOWN)
    if receiver.kind == "dict":
        held = kept_under(receiver, key, world)
        if held is not None:
            return held
        if name == "get" and lacks_key(receiver, key, world) and (local or depends_on_run(key)):
            return args.values[1] if len(args.values) > 1 else Static(None)
        if name == "get":
            return Unknown()
    return element(receiver)
