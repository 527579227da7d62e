"""Classes and namespaces that differ between the runs: ``type(x)``, ``isinstance``, ``hasattr``, ``F is mx.nd``."""

from __future__ import annotations

from hybridlint.analysis.flow.truth import Truth, is_none, outcome
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    TRUE_OR_FALSE,
    BlockRef,
    CapturedArray,
    ClassRef,
    ContainerValue,
    EagerTracePair,
    External,
    Function,
    Namespace,
    OperatorRef,
    Outputs,
    SelfRef,
    StaticValue,
    Tensor,
    TypeOf,
    Unknown,
    Value,
)
from hybridlint.runtime.facts import lookup, surface
from hybridlint.runtime.facts.fluent import fluent
from hybridlint.runtime.facts.surface import World

_BUILTIN_KINDS = frozenset({"list", "tuple", "dict", "set"})
_NUMBERS = frozenset({"int", "float", "bool", "str", "bytes", "complex", "Number", "Real", "Integral"})
_TENSOR_TYPES = frozenset({"nd.NDArray", "np.ndarray", "nd.ndarray.NDArray", "np.multiarray.ndarray"})
_OF_NUMPY_MODE = frozenset({"np.ndarray", "np.multiarray.ndarray"})
_OTHER_ARRAYS = frozenset({"numpy.ndarray", "numpy.generic", "numpy.number", "torch.Tensor"})
_SYMBOL_TYPES = frozenset({"sym.Symbol", "sym.symbol.Symbol", "sym._Symbol", "sym.np._Symbol", "sym.numpy._Symbol"})
#: Sets of names that denote one class.
_SAME_TYPES = (
    _TENSOR_TYPES - _OF_NUMPY_MODE,
    _OF_NUMPY_MODE,
    frozenset({"sym.Symbol", "sym.symbol.Symbol"}),
)


def identity(left: Value, right: Value) -> Value:
    """Return the result of ``left is right`` for None and for operator namespaces."""
    if isinstance(left, EagerTracePair) and right == StaticValue(None):
        return outcome(*(is_none(side) for side in (left.eager, left.traced)))
    if isinstance(right, StaticValue) and right.value is None:
        known = is_none(left)
        return outcome(known, known)
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Namespace) and one.root == "F" and isinstance(other, Namespace) and other.root != "F":
            same = one.path == other.path
            return outcome(same and other.root == "nd", same and other.root == "sym")
        if one == Namespace("F") and isinstance(other, OperatorRef):
            # `nd.ndarray` is a module inside of nd; F is never that module.
            return outcome(eager=False, traced=False)
    if isinstance(left, EagerTracePair):
        return EagerTracePair(identity(left.eager, right), identity(left.traced, right))
    if isinstance(left, External | OperatorRef) and isinstance(right, External | OperatorRef):
        return _same_name(class_name(left) or "", class_name(right) or "", of_types=_is_type(left) or _is_type(right))
    return TRUE_OR_FALSE


def _is_type(value: Value) -> bool:
    """Return whether a value is the result of ``type(x)``."""
    return isinstance(value, TypeOf)


def _same_name(left: str, right: str, *, of_types: bool) -> Value:
    """Return whether two names of classes or functions denote the same object, in each run.

    Functions of `F` are those of `nd` in the eager run and those of `sym` at the trace.
    """
    if of_types:
        same = left == right or any(left in kinds and right in kinds for kinds in _SAME_TYPES)
        return outcome(same, same)
    if left.startswith("F."):
        root, _, name = right.partition(".")
        matches = name == left.removeprefix("F.")
        return outcome(matches and root == "nd", matches and root == "sym")
    return StaticValue(left == right) if left and right else TRUE_OR_FALSE


def type_of(value: Value) -> Value:
    """Return the value of ``type(value)``, which may differ between the eager run and the trace."""
    if isinstance(value, Tensor) and not value.optional:
        eager, traced = ("np.ndarray", "sym._Symbol") if value.mode == "np" else ("nd.NDArray", "sym.Symbol")
        return EagerTracePair(TypeOf(eager), TypeOf(traced))
    if isinstance(value, Outputs):
        return EagerTracePair(TypeOf("list"), TypeOf("sym.Symbol"))
    if isinstance(value, SelfRef):
        return ClassRef(value.instance.info)
    return Unknown()


def is_instance(value: Value, classes: Value) -> Value:
    """Return the value of ``isinstance(value, classes)`` in the eager run and at the trace."""
    options = classes.items if isinstance(classes, ContainerValue) and classes.items is not None else (classes,)
    return outcome(_any_instance(value, options, "eager"), _any_instance(value, options, "traced"))


def is_subclass(kind: Value, classes: Value) -> Value:
    """Return the value of ``issubclass(type(x), classes)`` in the eager run and at the trace."""
    options = classes.items if isinstance(classes, ContainerValue) and classes.items is not None else (classes,)
    if not isinstance(kind, EagerTracePair):
        return TRUE_OR_FALSE
    return outcome(*(_among(class_name(side), [class_name(o) for o in options]) for side in (kind.eager, kind.traced)))


def _among(name: str | None, classes: list[str | None]) -> Truth:
    equivalent = next((kinds for kinds in (_TENSOR_TYPES, _SYMBOL_TYPES) if name in kinds), frozenset({name}))
    return None if name is None or None in classes else any(c in equivalent for c in classes)


def has_attribute(value: Value, name: str) -> Value:
    """Return the value of ``hasattr(value, name)`` in the eager run and at the trace."""
    if isinstance(value, Tensor) and not value.optional:
        if name in fluent() and surface.tensor_lack(name, value.mode) is None:
            return outcome(eager=True, traced=True)
        return outcome(*(surface.has_attribute(name, world, value.mode) for world in ("eager", "traced")))
    if isinstance(value, Outputs) and value.mode == "legacy":
        traced = None if name in fluent() else surface.has_attribute(name, "traced") or False
        return outcome(hasattr(list, name), traced)
    if isinstance(value, EagerTracePair) and isinstance(value.eager, External) and isinstance(value.traced, External):
        sides: tuple[tuple[External, World], ...] = ((value.eager, "eager"), (value.traced, "traced"))
        return outcome(*(_class_has(kind.name, name, world) for kind, world in sides))
    if isinstance(value, Namespace) and value.root == "F":
        return outcome(*(lookup.namespace_has(value.path, name, world) for world in ("eager", "traced")))
    return TRUE_OR_FALSE


def _class_has(kind: str, name: str, world: World) -> Truth:
    """Return the result of ``hasattr`` in a run, for a class given as the result of ``type(x)``."""
    if kind not in _TENSOR_TYPES | _SYMBOL_TYPES:
        return None
    return surface.has_attribute(name, world, "np" if kind in {"np.ndarray", "sym._Symbol"} else "legacy")


def class_name(value: Value) -> str | None:
    """Return the short name of a class: "nd.NDArray", "sym.Symbol", "list", "Iterable"."""
    if isinstance(value, OperatorRef):
        root = "nd" if value.namespace.root == "F" and value.name == "NDArray" else value.namespace.root
        return ".".join((root, *value.namespace.path, value.name))
    if isinstance(value, External):
        return value.name.removeprefix("builtins.").removeprefix("mxnet.")
    return None


def _any_instance(value: Value, options: tuple[Value, ...], world: World) -> Truth:
    answers = [_instance(value, class_name(option), world) for option in options]
    if True in answers:
        return True
    listed = {class_name(o) for o in options}
    if isinstance(value, ContainerValue) and value.kind in {"list", "tuple"} and {"list", "tuple"} <= listed:
        return True
    return None if None in answers or not answers else False


def _instance(value: Value, name: str | None, world: World) -> Truth:
    if name is None:
        return None
    base = name.rpartition(".")[2]
    if name in _OF_NUMPY_MODE and isinstance(value, Tensor | Outputs) and value.mode == "legacy":
        return False
    if name in _TENSOR_TYPES or base == "NDArrayBase":
        return _is_kind(value, world, eager=True, outputs=False)
    if name in _SYMBOL_TYPES or base == "SymbolBase":
        return _is_symbol(value, world)
    if not isinstance(value, Tensor | Outputs) or getattr(value, "optional", False):
        return _python_instance(value, name)
    if base in surface.ABSTRACT_CLASSES and isinstance(value, Tensor):
        return surface.ABSTRACT_CLASSES[base][world == "traced"]
    if name in {"list", "tuple"} and isinstance(value, Outputs):
        return name == "list" and world == "eager"
    return False if name in _BUILTIN_KINDS | _OTHER_ARRAYS or base in _NUMBERS else None


def _is_kind(value: Value, world: World, *, eager: bool, outputs: bool) -> Truth:
    """Return whether a value is an NDArray in a run.

    `eager` is the answer for a tensor in the eager run, `outputs` the answer for the several outputs of an operator.
    """
    match value:
        case Tensor(optional=optional):
            return False if world == "traced" else None if optional else eager
        case Outputs():
            return outputs
        case CapturedArray():
            return True
        case ContainerValue() | StaticValue() | BlockRef() | Function() | Namespace():
            return None if isinstance(value, StaticValue) and value.value is STATIC_UNKNOWN else False
        case Unknown():
            # Anything that can be a tensor is a Symbol at the trace, so only the eager run takes the branch.
            return False if world == "traced" else None
        case _:
            return None


def _is_symbol(value: Value, world: World) -> Truth:
    match value:
        case Tensor(optional=optional):
            return False if world == "eager" else None if optional else True
        case Outputs():
            return world == "traced"
        case ContainerValue() | CapturedArray() | BlockRef() | Function() | Namespace():
            return False
        case Unknown():
            return False if world == "eager" else None
        case _:
            return None


def _python_instance(value: Value, name: str) -> Truth:
    if not isinstance(value, ContainerValue):
        return None
    # MXNet turns lists of inputs into tuples, and tuples into lists, on their way through a trace.
    other_kind = name in _BUILTIN_KINDS and (name == "dict") != (value.kind == "dict")
    return False if name in _NUMBERS or other_kind else None
