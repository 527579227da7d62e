"""Joins: the value of a name where two paths through the code meet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from hybridlint.analysis.model.functions import has_function_name, is_function
from hybridlint.analysis.model.options import join_options
from hybridlint.analysis.model.tables import STATEFUL
from hybridlint.analysis.model.values import (
    TRUE_OR_FALSE,
    BlockRef,
    CallableUnion,
    CapturedArray,
    ContainerValue,
    DataDependentValue,
    EagerTracePair,
    External,
    Flows,
    LibraryInstance,
    Namespace,
    OperatorRef,
    Outputs,
    ParameterRef,
    Partial,
    ScopeOf,
    SelfRef,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.runtime.facts.dims import Dim, fresh_name, rename_sizes
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.surface import World
from hybridlint.runtime.facts.types import Shape, TensorType

_MOST_ALTERNATIVES = 4
_MOST_FUNCTIONS = 8
#: The root of the namespace that represents two others, by those: the eager run's and the trace's.
_BOTH: dict[tuple[str, str], str] = {}


def join(left: Value, right: Value) -> Value:
    """Return the most precise value that covers both; Unknown if they are of different kinds."""
    if left is right:
        return left
    if left == right:
        # Of two settings with one value, keep the one that may be set to something else.
        return right if isinstance(left, StaticValue) and left.certain else left
    found = _of_one_kind(left, right)
    if found is None:
        found = _of_two_kinds(left, right)
    if found is None:
        found = _of_two_kinds(right, left)
    return Unknown() if found is None else found


def _of_one_kind(left: Value, right: Value) -> Value | None:
    """Return the join of two values of one kind; None if their kinds differ, or if only Unknown covers both."""
    match left, right:
        case Tensor(), Tensor():
            return _join_tensors(left, right)
        case SelfRef(), SelfRef() if is_plain(left) and is_plain(right):
            return _one_of(left, right)
        case Outputs(), Outputs():
            return Outputs(None, left.mode, flows=either_flows((left.flows, right.flows)))
        case ContainerValue(), ContainerValue():
            return _join_items(left, right)
        case StaticValue(), StaticValue():
            return TRUE_OR_FALSE if left.is_boolean and right.is_boolean else join_options((left, right))
        case DataDependentValue(), DataDependentValue():
            return left
        case CapturedArray(), CapturedArray():
            return CapturedArray(join_types(left.type, right.type), left.kept or right.kept)
        case ParameterRef(), ParameterRef():
            return ParameterRef(
                join_types(left.type, right.type),
                left.trained or right.trained,
                left.late & right.late,
                left.apart and right.apart,
            )
        case BlockRef(), BlockRef():
            return _either(left, right)
        case _ if is_function(left) and is_function(right):
            return _one_of(left, right)
        case _ if _is_named_function(left) and _is_named_function(right):
            return _one_of(left, right)
        case LibraryInstance(), LibraryInstance() if left.maker in STATEFUL and right.maker in STATEFUL:
            # Either way, the object changes with every use.
            return left if right.anew else right
        case EagerTracePair(), EagerTracePair():
            return EagerTracePair(join(left.eager, right.eager), join(left.traced, right.traced))
        case _:
            return None


def _of_two_kinds(one: Value, other: Value) -> Value | None:
    """Return the join of two values of different kinds: a value that is `one` on some paths, else None."""
    match one, other:
        case (Tensor(), StaticValue(value=None)):
            return _optional(one)
        case (SelfRef(), StaticValue(value=None)):
            # Nothing takes an object for one that is there for certain.
            return one
        case (BlockRef(), Unknown() | StaticValue()):
            return _either(one, BlockRef("", None))
        case (_, StaticValue(value=None)) if is_function(one) or has_function_name(one):
            return _perhaps(one)
        case (Outputs(), ContainerValue(kind="list" | "tuple")):
            return _listed(one, other)
        case (ScopeOf(), External() | Unknown() | StaticValue(value=None)):
            return replace(one, sure=False)
        case _:
            return None


def join_members(left: Value, right: Value) -> Value:
    """Return the join of elements of a container that others may fill.

    Of callables, and of objects of the project, known ones are kept among them.
    """
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Unknown) and (is_plain(other) or is_function(other)) and not isinstance(other, OperatorRef):
            return _one_of(other, one)
    return join(left, right)


def is_plain(value: Value) -> bool:
    """Return whether a value is an object of a class of the project that is no block."""
    return isinstance(value, SelfRef) and not value.instance.info.block


def eager_trace_pair(eager: Value, traced: Value) -> Value:
    """Return the value that is `eager` in the eager run and `traced` at the trace.

    Two namespaces (``mx.nd`` and ``mx.sym``) become the one declared by `stand_for`, such as `F`; any other pair
    becomes a `EagerTracePair`.
    """
    eager, traced = in_world(eager, "eager"), in_world(traced, "traced")
    if isinstance(eager, Namespace) and isinstance(traced, Namespace) and not eager.path and not traced.path:
        both = _BOTH.get((eager.root, traced.root))
        if both is not None:
            return Namespace(both)
    return EagerTracePair(eager, traced)


def stand_for(eager: str, traced: str, both: str) -> None:
    """Declare that the namespace `both` ("F") is `eager` ("nd") in the eager run and `traced` ("sym") at the trace."""
    _BOTH[eager, traced] = both


def is_each_runs_own(namespace: Namespace) -> bool:
    """Return whether a namespace holds different operators in the eager run and at the trace, as `F` does."""
    return namespace.root in _BOTH.values()


def in_world(value: Value, world: World) -> Value:
    """Return the value in one world, the eager run or the trace. Only a `EagerTracePair` value differs."""
    if not isinstance(value, EagerTracePair):
        return value
    return value.eager if world == "eager" else value.traced


def per_world(values: Mapping[World, Value]) -> Value:
    """Return one value for the values in each world, a `EagerTracePair` if they differ.

    Two tensors are joined instead. Unknown if `values` is empty; with one world, that world's value.
    """
    if not values:
        return Unknown()
    first, *rest = values.values()
    if not rest or first == rest[0]:
        return first
    eager, traced = values["eager"], values["traced"]
    return (
        join(eager, traced)
        if isinstance(eager, Tensor) and isinstance(traced, Tensor)
        else eager_trace_pair(eager, traced)
    )


def join_all(values: list[Value]) -> Value:
    """Return the join of several values; Unknown if there are none."""
    return reduce(join, values) if values else Unknown()


def join_types(left: TensorType, right: TensorType) -> TensorType:
    """Return the most precise type that covers both."""
    dtype = left.dtype if left.dtype == right.dtype else None
    return TensorType(_join_shapes(left.shape, right.shape), dtype)


def parts(items: ContainerValue) -> tuple[Value, ...]:
    """Return the elements of a container; if their number is unknown, only the join of all elements."""
    return (items.each,) if items.items is None else items.items


def element(items: ContainerValue) -> Value:
    """Return the join of a container's elements."""
    return items.each if items.items is None else join_all(list(items.items))


def as_kept(value: Value) -> Value:
    """Return a value whose containers outlive the call that uses it: a container itself, or one bound to a function."""
    match value:
        case ContainerValue():
            return replace(value, kept=True)
        case Partial(values=values, keywords=keywords):
            named = {name: as_kept(one) for name, one in keywords.items()}
            return replace(value, values=tuple(map(as_kept, values)), keywords=named)
        case _:
            return value


def some_element(items: ContainerValue) -> Value:
    """Return an unknown element of a container, with sizes that no other read of an element shares.

    Two readings may give different elements, such as feature maps of several resolutions.
    """
    value = element(items)
    if items.items is not None or not isinstance(value, Tensor) or value.type.shape is None:
        return value
    names: dict[str, str] = {}
    shape = tuple(rename_sizes(size, lambda name: names.setdefault(name, fresh_name())) for size in value.type.shape)
    return replace(value, type=value.type.with_shape(shape))


def _either(left: BlockRef, right: BlockRef) -> BlockRef:
    parts: list[BlockRef] = []
    for side in (left, right):
        parts += [part for part in side.alternatives or (side,) if part not in parts]
    known = len(parts) <= _MOST_ALTERNATIVES and any(part.layer for part in parts)
    return BlockRef(
        "", left.hybrid if left.hybrid == right.hybrid else None, alternatives=tuple(parts) if known else ()
    )


def _is_named_function(value: Value) -> bool:
    functions = value.functions if isinstance(value, CallableUnion) else (value,)
    return all(map(has_function_name, functions))


def _perhaps(function: Value) -> CallableUnion:
    """Return the union of a function and None, for a name that is a function on only one path."""
    return CallableUnion(function.functions if isinstance(function, CallableUnion) else (function,), optional=True)


def _one_of(left: Value, right: Value) -> Value:
    """Return the choice of the functions on two paths; Unknown if they are too many."""
    functions: list[Value] = []
    for side in (left, right):
        functions += [
            one for one in (side.functions if isinstance(side, CallableUnion) else (side,)) if one not in functions
        ]
    optional = any(isinstance(side, CallableUnion) and side.optional for side in (left, right))
    return CallableUnion(tuple(functions), optional) if len(functions) <= _MOST_FUNCTIONS else Unknown()


def _listed(outputs: Outputs, items: ContainerValue) -> ContainerValue:
    """Return the join of an operator's outputs and a list of tensors: a list of unknown length.

    It is the value of a name that holds one or the other, depending on a setting.
    """
    each = Tensor(mode=outputs.mode, flows=outputs.flows)
    return ContainerValue("list", None, each if items.items == () else join(each, element(items)))


def either_flows(flows: Iterable[Flows]) -> Flows:
    """Return whether a gradient can pass through a value computed from others, given the answer for each."""
    known = set(flows)
    return True if True in known else "perhaps" if known - {False} else False


def _optional(tensor: Tensor) -> Tensor:
    return replace(tensor, identity=None, random_scalar=False, optional=True)


def _join_tensors(left: Tensor, right: Tensor) -> Tensor:
    return Tensor(
        type=join_types(left.type, right.type),
        mode=left.mode,
        origin=_join_origins(left.origin, right.origin),
        identity=left.identity if left.identity == right.identity else None,
        random_scalar=left.random_scalar and right.random_scalar,
        lineage=left.lineage if left.lineage == right.lineage else None,
        optional=left.optional or right.optional,
        flows=either_flows((left.flows, right.flows)),
        presumed=left.presumed or right.presumed,
        unchanged=left.unchanged or right.unchanged,
    )


def as_input(value: Value) -> Value:
    """Return the value of a name on a path that is surely taken, marked if it is an input there."""
    return replace(value, unchanged=True) if isinstance(value, Tensor) and value.may_be_input else value


def _join_origins(left: str, right: str) -> str:
    if left == right:
        return left
    return "element" if "element" in {left, right} else "operator"


def _join_shapes(left: Shape | None, right: Shape | None) -> Shape | None:
    if left is None or right is None or len(left) != len(right):
        return None
    return tuple(a if a == b else Dim.fresh() for a, b in zip(left, right, strict=True))


def _join_items(left: ContainerValue, right: ContainerValue) -> Value:
    kind = left.kind if left.kind == right.kind else "list"
    if left.items is not None and right.items is not None and len(left.items) == len(right.items):
        if left.keys == right.keys:
            both = zip(left.items, right.items, strict=True)
            return ContainerValue(kind, tuple(join(a, b) for a, b in both), keys=left.keys)
        return ContainerValue(kind, None, join(element(left), element(right)))
    parts = [element(side) for side in (left, right) if side.items != ()]
    return ContainerValue(kind, None, join_all(parts))
