"""Calls of Python's builtins, and their effect on tensors."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hybridlint.analysis import semantics
from hybridlint.analysis.dispatch import called_by_syntax, evaluate, member
from hybridlint.analysis.flow.iterators import emit_iteration
from hybridlint.analysis.model.events import (
    ArgumentsEvent,
    Branch,
    Concretize,
    SideEffect,
    TraceConstant,
)
from hybridlint.analysis.model.folding import fold_call
from hybridlint.analysis.model.lattice import in_world, is_each_runs_own, per_world
from hybridlint.analysis.model.settings import items_of
from hybridlint.analysis.model.tables import words
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    TEXT,
    TRUE_OR_FALSE,
    CapturedArray,
    ContainerValue,
    DataDependentValue,
    EagerTracePair,
    External,
    Namespace,
    NumpyArray,
    Outputs,
    SelfRef,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.python.reductions import REDUCTIONS, is_tensor, reduction
from hybridlint.analysis.python.sequences import SEQUENCES
from hybridlint.analysis.python.type_probes import probe
from hybridlint.analysis.syntax.arithmetic import binary, emit_lack
from hybridlint.analysis.syntax.conditions import within
from hybridlint.analysis.syntax.hashing import each_hashed, emit_hashing
from hybridlint.analysis.syntax.iteration import iterate
from hybridlint.analysis.syntax.named_attributes import evaluate_computed_getattr, evaluate_getattr, store_named
from hybridlint.analysis.syntax.special_methods import asked_by_builtin
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.surface import World
from hybridlint.text.syntax import expression, walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

_NUMBERS = frozenset({"float", "int", "bool", "complex", "round", "hex", "oct", "bin", "format", "divmod"})
_FOLDED: dict[str, Callable[[Any], Any]] = {"bool": bool, "int": int, "float": float, "round": round}
_CONTAINERS = {
    "list": "list",
    "tuple": "tuple",
    "set": "set",
    "frozenset": "set",
    "iter": "generator",
    "reversed": "generator",
}
#: Builtins that iterate over their arguments, at once or lazily.
_GOING_THROUGH = REDUCTIONS | {"list", "tuple", "set", "frozenset", "dict", "zip", "enumerate", "map", "filter"}
_UNORDERED = frozenset({"reversed", "set", "frozenset"})
#: Builtins whose result depends on their arguments alone.
_PURE = words("len int float bool abs max min sum any all round str repr sorted list tuple range pow divmod ord")
_TEXT = frozenset({"str", "repr", "ascii", "id", "chr", "ord", "vars", "dir", "input"})


@called_by_syntax(External)
def call_by_name(act: Activation, node: ast.Call, function: External) -> Value | None:
    """Evaluate a call of a builtin that depends on the name of its argument, not its value; None for others."""
    match function.name.removeprefix("builtins."), node.args:
        case "getattr", [subject, ast.Constant(value=str() as attr), *default]:
            return evaluate_getattr(act, node, evaluate(act, subject), attr, default)
        case "getattr", [subject, key, *default]:
            return evaluate_computed_getattr(act, node, evaluate(act, subject), evaluate(act, key), default)
        case "__import__", [ast.Constant(value=str() as module)]:
            return External(module)
        case "setattr", [subject, key, value]:
            return store_named(act, node, evaluate(act, subject), evaluate(act, value), evaluate(act, key))
        case _:
            return None


def builtin(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value:
    """Evaluate a call of a builtin function."""
    first = args.values[0] if args.values else None
    asked = asked_by_builtin(act, node, name, first) if isinstance(first, SelfRef) and len(args.values) == 1 else None
    if asked is not None:
        return asked
    probed = probe(act, name, args)
    if probed is not None:
        return probed
    if name in _PURE and any(isinstance(value, EagerTracePair) for value in args.values):
        return per_world({world: _within(act, node, name, args, world) for world in act.flow.worlds})
    if name in _GOING_THROUGH:
        for place, value in zip(args.nodes, args.values, strict=True):
            emit_iteration(act, node, place, value)
    if name == "print":
        act.emit(SideEffect, node, kind="print", target=act.module.source.code(node.func))
        return StaticValue(None)
    if name in {"input", "open"}:
        act.emit(SideEffect, node, kind="file", target=act.module.source.code(node))
        return Unknown()
    if first is None:
        empty = name in {"list", "tuple", "dict", "set"} and not args.keywords
        return ContainerValue(_kind(name), ()) if empty else _keyword_only(name, args)
    if name in _NUMBERS:
        return _number(act, node, name, args)
    if name == "len":
        return _length(act, node, first)
    if name in REDUCTIONS:
        return reduction(act, node, name, args)
    if name in _CONTAINERS:
        return _container(act, node, name, first)
    special = _SPECIAL.get(name)
    return special(act, node, args) if special is not None else _other(act, node, name, args)


def _within(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent, world: World) -> Value:
    """Evaluate a call of a builtin in one run, with the values that its arguments have in that run."""
    with within(act, frozenset({world})):
        return builtin(act, node, name, replace(args, values=tuple(in_world(v, world) for v in args.values)))


def _keyword_only(name: str, args: ArgumentsEvent) -> Value:
    if name == "dict":
        return ContainerValue("dict", tuple(args.keywords.values()), keys=tuple(args.keywords))
    return StaticValue(STATIC_UNKNOWN) if name in _NUMBERS | _TEXT else Unknown()


def _kind(name: str) -> Any:
    return name


def _number(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value:
    value = args.values[0]
    if name == "format" and len(args.values) == 1:
        # Without a format specification the result is that of `str`.
        return StaticValue(STATIC_UNKNOWN)
    if isinstance(value, CapturedArray) and value.kept:
        act.emit(TraceConstant, node, source_of_value=act.module.source.code(node), used=True)
    if is_tensor(value):
        if name == "bool":
            act.emit(Branch, node, kind="not", condition=args.nodes[0], value=value)
        act.emit(Concretize, node, how=name, value=value)
        return DataDependentValue(name)
    if isinstance(value, ContainerValue) and value.items is not None and name == "bool":
        return StaticValue(bool(value.items))
    if isinstance(value, DataDependentValue):
        return value
    known = STATIC_UNKNOWN
    if isinstance(value, StaticValue) and name in _FOLDED and len(args.values) == 1:
        known = fold_call(_FOLDED[name], value.value)
    if name == "bool" and known is STATIC_UNKNOWN:
        return TRUE_OR_FALSE
    return StaticValue(known, isinstance(value, StaticValue) and value.certain)


def _length(act: Activation, node: ast.Call, value: Value) -> Value:
    if isinstance(value, Tensor) and is_tensor(value) and value.origin != "element":
        act.emit(Concretize, node, how="len", value=value)
        return DataDependentValue("len")
    if isinstance(value, Tensor) and value.origin == "element":
        act.suspect(Concretize, node, how="len", value=value)
    if isinstance(value, EagerTracePair):
        return EagerTracePair(_length(act, node, value.eager), _length(act, node, value.traced))
    if isinstance(value, StaticValue) and isinstance(value.value, str | tuple | list):
        return StaticValue(len(value.value), certain=value.certain)
    if isinstance(value, ContainerValue) and value.items is not None:
        return StaticValue(len(value.items), certain=True)
    if isinstance(value, Outputs) and value.types is not None:
        return StaticValue(len(value.types))
    if isinstance(value, StaticValue) and value.value is not STATIC_UNKNOWN:
        return StaticValue(fold_call(len, value.value))
    return value if isinstance(value, DataDependentValue) else StaticValue(STATIC_UNKNOWN)


def _container(act: Activation, node: ast.Call, name: str, value: Value) -> Value:
    if isinstance(value, Outputs):
        count = None if value.types is None else len(value.types)
        each = iterate(act, value, node, name)
        kind = "generator" if name == "iter" else "tuple" if name == "tuple" else "list"
        return ContainerValue(kind, None if count is None else (each,) * count, each)  # type: ignore[arg-type]
    if (
        isinstance(value, ContainerValue)
        and value.items is not None
        and value.kind != "dict"
        and name not in _UNORDERED
    ):
        return ContainerValue(_CONTAINERS[name], value.items)  # type: ignore[arg-type]
    if isinstance(value, ContainerValue) and value.items is not None and name == "reversed" and value.kind != "dict":
        return ContainerValue("generator", value.items[::-1])
    if (
        isinstance(value, ContainerValue)
        and value.kind == "dict"
        and name in {"list", "tuple"}
        and value.keys is not None
    ):
        return ContainerValue(_kind(name), tuple(StaticValue(key) for key in value.keys))
    if isinstance(value, StaticValue | DataDependentValue) and name != "iter":
        sizes = items_of(value) if name in {"list", "tuple"} else None
        return value if isinstance(value, DataDependentValue) else sizes or StaticValue(STATIC_UNKNOWN)
    each = iterate(act, value, node, name)
    if _CONTAINERS[name] == "set" and isinstance(value, ContainerValue):
        each_hashed(act, node, value)
    return ContainerValue(_CONTAINERS[name], None, each)  # type: ignore[arg-type]


def _slice(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    limits = [v.value for v in args.values if isinstance(v, StaticValue) and v.value is not STATIC_UNKNOWN]
    return StaticValue(slice(*limits)) if len(limits) == len(args.values) <= 3 else StaticValue(STATIC_UNKNOWN)


def _abs(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    value = args.values[0]
    if isinstance(value, StaticValue):
        return StaticValue(fold_call(abs, value.value))
    if not isinstance(value, Tensor):
        return value if isinstance(value, DataDependentValue | NumpyArray) else Unknown()
    emit_lack(act, node, value, "__abs__")
    return act.tensor(type=value.type, lineage=value.lineage)


def _hash(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    emit_hashing(act, node, args.values[0])
    return StaticValue(STATIC_UNKNOWN)


def _eval(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    """Evaluate ``eval(text)`` for a known text, in the scope of the call."""
    text = args.values[0].value if isinstance(args.values[0], StaticValue) else None
    try:
        tree = expression(text) if isinstance(text, str) and len(args.values) == 1 else None
    except (SyntaxError, ValueError):
        return Unknown()
    if tree is None:
        return Unknown()
    for inner in walk(tree):
        ast.copy_location(inner, node)
    with act.run.reporting.rewriting():
        return evaluate(act, tree)


def _other(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value:
    if name in _TEXT:
        return _text(act, name, args.values[0])
    if name == "dict":
        return _dict_of(act, node, args.values[0])
    if name == "pow" and len(args.values) == 2:
        with act.run.reporting.rewriting():
            base, exponent = zip(args.nodes, args.values, strict=True)
            return binary(act, node, ast.Pow(), base, exponent)
    made = getattr(builtins, name, None)
    return StaticValue(STATIC_UNKNOWN) if isinstance(made, type) and issubclass(made, BaseException) else Unknown()


def _text(act: Activation, name: str, value: Value) -> Value:
    own = isinstance(value, Namespace) and not value.path and is_each_runs_own(value)
    if own and name in {"dir", "vars", "id"}:
        return DataDependentValue(TEXT)
    if name == "vars" and isinstance(value, SelfRef):
        return member(act, value, "__dict__")
    if name == "dir" and is_tensor(value):
        return DataDependentValue(TEXT)
    known = semantics.library.text_of(value) if name in {"str", "repr", "ascii"} else None
    return known or StaticValue(STATIC_UNKNOWN)


def _dict_of(act: Activation, node: ast.Call, value: Value) -> ContainerValue:
    """Return the dict made from another one, or from key-value pairs."""
    if isinstance(value, ContainerValue) and value.kind == "dict":
        return value
    pairs = value.items if isinstance(value, ContainerValue) else None
    emit_hashing(act, node, *(p.items[0] for p in pairs or () if isinstance(p, ContainerValue) and p.items))
    known = [
        p.items for p in pairs or () if isinstance(p, ContainerValue) and p.items is not None and len(p.items) == 2
    ]
    keys = [key.value for key, _ in known if isinstance(key, StaticValue) and key.value is not STATIC_UNKNOWN]
    if pairs is None or len(keys) != len(pairs):
        return ContainerValue("dict", None, Unknown())
    return ContainerValue("dict", tuple(item for _, item in known), keys=tuple(keys))


_SPECIAL: dict[str, Callable[[Any, ast.Call, ArgumentsEvent], Value]] = {
    **SEQUENCES,
    "slice": _slice,
    "abs": _abs,
    "hash": _hash,
    "eval": _eval,
}
