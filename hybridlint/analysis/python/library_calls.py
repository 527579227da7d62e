"""Calls into other libraries: numpy, math, time, random, copy, and the dialect's library."""

from __future__ import annotations

import ast
import math
from typing import TYPE_CHECKING, Any

from hybridlint.analysis import semantics
from hybridlint.analysis.dispatch import callee, invoke
from hybridlint.analysis.model.answers import answers, answers_for_each
from hybridlint.analysis.model.arguments import tensors_in
from hybridlint.analysis.model.events import ArgumentsEvent, Concretize, ForeignCall, SideEffect
from hybridlint.analysis.model.folding import fold_call
from hybridlint.analysis.model.lattice import parts
from hybridlint.analysis.model.records import record_type
from hybridlint.analysis.model.tables import words
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    TRUE_OR_FALSE,
    CachedFunction,
    ContainerValue,
    DataDependentValue,
    External,
    Function,
    LibraryInstance,
    MemberOf,
    NumpyArray,
    Outputs,
    Partial,
    SelfRef,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.model.written_shapes import created_type
from hybridlint.analysis.python.builtin_calls import builtin
from hybridlint.analysis.python.changing_calls import changing_call
from hybridlint.analysis.python.closures import tensor_like
from hybridlint.analysis.python.frozen_calls import frozen_call, taking_call
from hybridlint.analysis.python.functional import operator_call
from hybridlint.analysis.python.standard_library import library_call
from hybridlint.analysis.syntax.hashing import emit_hashing
from hybridlint.analysis.syntax.iteration import iterate, steps
from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.types import TensorType

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

_SCALARS = words(
    """
    float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool_ float_ int_ double
    single half longlong intp
    """
)
#: Functions of numpy that reduce all their arguments to one number, and that correspond to no operator.
_TO_NUMBER = frozenset({"median", "ptp", "nanmean"})
#: Functions of `math` whose results have many more digits than their arguments, and the largest argument computed.
_GROWING = frozenset({"factorial", "comb", "perm"})
_MOST_GROWING = 200
#: Functions that read a tensor's shape or data into Python.
_SIZES = frozenset({"numpy.size", "numpy.ndim", "numpy.shape"})
_LOGGING = {"logging.": "log", "warnings.warn": "warning", "sys.stdout.": "log", "sys.stderr.": "log"}
_COPIES = frozenset({"copy.copy", "copy.deepcopy"})
#: Libraries whose functions need an array's data, or behave differently at the trace.
_NEED_DATA = frozenset({"numpy", "math", "copy", "cmath", "scipy", "statistics", "operator", "pickle", "torch"})
_MADE_FUNCTIONS = frozenset({"numpy.vectorize", "numpy.frompyfunc", "numpy.poly1d"})
#: Inspections by numpy that accept any object, with their results.
_ANSWERS = {
    "numpy.isscalar": False,
    "numpy.iterable": True,
    "numpy.iscomplexobj": False,
    "numpy.isrealobj": True,
}


#: Handlers for one family of functions each; they return None for all others.
_FAMILIES = (changing_call, frozen_call, library_call)


@callee(External)
def external_call(act: Activation, node: ast.Call, function: External, args: ArgumentsEvent) -> Value:
    """Evaluate a call of a function that Python or another library defines."""
    if function.name.startswith("builtins.") and function.name.count(".") == 1:
        return builtin(act, node, function.name.removeprefix("builtins."), args)
    return foreign_call(act, node, function.name, args)


@callee(LibraryInstance)
def _made_call(act: Activation, node: ast.Call, made: LibraryInstance, args: ArgumentsEvent) -> Value:
    """Evaluate a call of an object that a library's function returned."""
    if made.anew:
        return StaticValue(STATIC_UNKNOWN)
    return foreign_call(act, node, made.name, args)


@callee(CachedFunction)
def _remembered_call(act: Activation, node: ast.Call, remembered: CachedFunction, args: ArgumentsEvent) -> Value:
    """Evaluate a call of a function with a cache, which hashes its arguments. An earlier call may have run the body."""
    function = remembered.function
    bound = function.bound if isinstance(function, Function) else ()
    emit_hashing(
        act, node, *(one for one in bound if not isinstance(one, SelfRef)), *args.values, *args.keywords.values()
    )
    with act.run.reporting.silently():
        return invoke(act, node, function, args)


@callee(MemberOf)
def _member_call(act: Activation, node: ast.Call, member: MemberOf, args: ArgumentsEvent) -> Value:
    """Evaluate a method call on an object that a library's function returned."""
    if isinstance(member.owner, LibraryInstance) and member.owner.anew:
        return StaticValue(STATIC_UNKNOWN)
    answer = semantics.library.member_call(act, node, member, args)
    if answer is None and isinstance(member.owner, LibraryInstance):
        answer = taking_call(act, node, member.owner, member.attribute)
    return foreign_call(act, node, member.name, args) if answer is None else answer


def foreign_call(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value:
    """Evaluate a call of a function that another library defines."""
    answer = semantics.library.library_call(act, node, name, args)
    if answer is not None:
        return answer
    if name == "itertools.cycle" and args.values:
        iterate(act, args.values[0], node, "iteration")
    if name in _MADE_FUNCTIONS:
        return LibraryInstance(f"{name}()", name)
    written = next((kind for beginning, kind in _LOGGING.items() if name.startswith(beginning)), None)
    if written is not None:
        act.emit(SideEffect, node, kind=written, target=act.module.source.code(node.func))
        return StaticValue(None)
    known = (evaluates(act, node, name, args) for evaluates in _FAMILIES)
    special = next((value for value in known if value is not None), None)
    if special is not None:
        return special
    if name == "functools.partial" and args.values:
        return Partial(args.values[0], args.values[1:], args.keywords)
    if name.startswith("operator."):
        return operator_call(act, node, name.removeprefix("operator."), args)
    if name.startswith(("collections.", "types.", "typing.")):
        return _made(act, node, name, args)
    return _plain(act, node, name, args)


def _plain(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value:
    certain = certain_tensors(args)
    library, _, function = name.partition(".")
    if library == "numpy" and function in _SCALARS:
        return _scalar(act, node, function, args)
    if name == "copy.copy" and args.values and isinstance(args.values[0], ContainerValue):
        return replace(args.values[0], kept=False)
    if (
        library == "math"
        and not certain
        and all(type(v) is StaticValue and isinstance(v.value, int | float) for v in args.values)
    ):
        return StaticValue(_computed(function, [v.value for v in args.values if isinstance(v, StaticValue)]))
    if not certain:
        return _untouched(act, library, function, args)
    if name in _ANSWERS and act.mode == "legacy":
        return StaticValue(_ANSWERS[name], certain=True)
    if library in _NEED_DATA or name.startswith(act.run.project.dialect.needs_arrays):
        act.emit(ForeignCall, node, function=name, arguments=args, operator=lookup.of_numpy(name.rpartition(".")[2]))
    if name in _COPIES:
        return _copied(act, args.values[0]) if args.values else Unknown()
    if name in _SIZES:
        return DataDependentValue(name)
    if library == "numpy":
        return act.tensor() if function != "asarray" else NumpyArray()
    return DataDependentValue(name) if library in {"math", "cmath"} else Unknown()


def certain_tensors(args: ArgumentsEvent) -> list[Tensor | Outputs]:
    """Return the arguments that are known to be tensors."""
    found = tensors_in([*args.values, *args.keywords.values()])
    return [v for v in found if isinstance(v, Outputs) or (isinstance(v, Tensor) and not v.optional)]


def _computed(function: str, numbers: list[Any]) -> Any:
    compute = getattr(math, function, None)
    if compute is None or (function in _GROWING and any(abs(number) > _MOST_GROWING for number in numbers)):
        return STATIC_UNKNOWN
    return fold_call(compute, *numbers)


def _copied(act: Activation, value: Value) -> Value:
    if isinstance(value, Tensor):
        return act.tensor(type=value.type, lineage=value.lineage)
    return tensor_like(act, value)


def _untouched(act: Activation, library: str, function: str, args: ArgumentsEvent) -> Value:
    name = f"{library}.{function}"
    concrete = next((v for v in args.values if isinstance(v, DataDependentValue)), None)
    arrays = any(isinstance(v, NumpyArray | ContainerValue) for v in args.values)
    if answers_for_each(name) and arrays:
        return NumpyArray(TensorType(None, "bool"))
    if answers(name) and concrete is None:
        return NumpyArray(TensorType(None, "bool")) if "axis" in args.keywords else TRUE_OR_FALSE
    if library == "math":
        return concrete or StaticValue(STATIC_UNKNOWN)
    if library == "numpy":
        made = created_type(function, args)
        if made is not None:
            return NumpyArray(made)
        if any(map(_has_array, args.values)):
            return NumpyArray()
        reduces = _makes_number(function) and "axis" not in args.keywords
        plain = _is_plain if reduces else lambda value: isinstance(value, StaticValue)
        return StaticValue(STATIC_UNKNOWN) if args.values and all(map(plain, args.values)) else Unknown()
    if name in act.run.project.dialect.settings:
        return StaticValue(STATIC_UNKNOWN)
    return Unknown()


def _has_array(value: Value) -> bool:
    """Return whether a value is an array of numpy, or a container with one: a function of it gives arrays."""
    return any(map(_has_array, parts(value))) if isinstance(value, ContainerValue) else isinstance(value, NumpyArray)


def _is_plain(value: Value) -> bool:
    """Return whether a value is one of Python's own types, or a container of them."""
    return all(map(_is_plain, parts(value))) if isinstance(value, ContainerValue) else isinstance(value, StaticValue)


def _scalar(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value:
    value = args.values[0] if args.values else StaticValue(0)
    if isinstance(value, Tensor) and not value.optional:
        act.emit(Concretize, node, how="float", value=value)
        return DataDependentValue(name)
    known = value.value if isinstance(value, StaticValue) else STATIC_UNKNOWN
    if isinstance(known, bool | int | float):
        known = bool(known) if name == "bool_" else known + 0
    return StaticValue(known, numpy=True)


def _makes_number(name: str) -> bool:
    """Return whether a numpy function reduces its arguments to one number."""
    operator = lookup.of_numpy(name)
    return name in _TO_NUMBER or (operator is not None and properties.reduces_to_number(operator))


def _made(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value:
    """Evaluate constructors of containers and records: ``OrderedDict``, ``deque``, ``namedtuple`` and others."""
    kind = name.rpartition(".")[2]
    if kind == "SimpleNamespace" and not args.values:
        return ContainerValue("record", tuple(args.keywords.values()), keys=tuple(args.keywords))
    if kind == "OrderedDict":
        return builtin(act, node, "dict", args)
    if kind in {"Counter", "defaultdict", "ChainMap"}:
        # A missing entry has a default, so the contents are unknown.
        return ContainerValue("dict", None, Unknown())
    if kind == "deque":
        return _deque(act, node, args)
    return record_type(name, args)


def _deque(act: Activation, node: ast.Call, args: ArgumentsEvent) -> ContainerValue:
    if not args.values:
        return ContainerValue("deque", ())
    each = iterate(act, args.values[0], node, "list")
    bounded = len(args.values) > 1 or "maxlen" in args.keywords
    return ContainerValue("deque", None if bounded else steps(args.values[0]), each)
