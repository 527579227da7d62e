"""Calls of operators and functions through a namespace."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import callee
from hybridlint.analysis.flow.guards import emit_absence
from hybridlint.analysis.model.arguments import argument, moves_on, tensors_in
from hybridlint.analysis.model.events import ArgumentsEvent, Concretize, OpCall, SideEffect
from hybridlint.analysis.model.shapes import merged_type
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    CapturedArray,
    ContainerValue,
    DataDependentValue,
    EagerTracePair,
    Namespace,
    OperatorRef,
    Outputs,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.mxnet.control_flow.calls import CONTROL_FLOW, control_flow
from hybridlint.analysis.mxnet.operators.kept_arrays import kept_for_operator
from hybridlint.analysis.mxnet.operators.methods import strict_function_failure
from hybridlint.analysis.mxnet.operators.modes import operator_asks
from hybridlint.analysis.mxnet.operators.project_operators import is_missing, own_result
from hybridlint.analysis.mxnet.operators.results import result_of
from hybridlint.analysis.syntax.iteration import iterate
from hybridlint.runtime.facts import lookup, surface
from hybridlint.runtime.facts.records import replace

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

_FUNCTIONS = Namespace("F")
_NUMPY = Namespace("F", ("np",))


@callee(OperatorRef)
def _operator_call(act: Activation, node: ast.Call, ref: OperatorRef, args: ArgumentsEvent) -> Value:
    if ref.namespace.path == ("contrib",) and ref.name in CONTROL_FLOW:
        result = control_flow(act, node, ref.name, args)
        act.emit(OpCall, node, namespace=ref.namespace, name=ref.name, arguments=args, operator=None, result=result)
        return result
    if ref.namespace == _NUMPY and lookup.joins(ref.name) and args.values:
        # These iterate over it in Python.
        iterate(act, args.values[0], node, "iteration")
    out = args.keywords.get("out")
    place = args.keyword_nodes.get("out")
    if isinstance(out, CapturedArray) and out.kept and place is not None and moves_on(place, args):
        act.emit(SideEffect, node, kind="buffer", target=act.module.source.code(place))
    asks = operator_asks(ref.operator, args)
    act.run.trail.meet(asks, asks and ref.operator is not None and ref.operator.update_aux is not None)
    if ref.namespace == _FUNCTIONS and ref.name == "full":
        _emit_number(act, node, argument(args, "val", 1))
    if not ref.namespace.path and lookup.of_numbers(ref.name) is not None and _numbers_only(args):
        return StaticValue(STATIC_UNKNOWN)
    own = own_result(act, ref, args) if ref.operator is None else None
    if ref.operator is None and own is None and is_missing(act, ref.namespace, ref.name):
        # Its arguments are judged as any operator's. What follows was written for another version of MXNet.
        act.flow.unsupported = True
    if own is None and ref.operator is None and _is_unheard_of(ref):
        # A custom operator, one of a custom build, or one on integers: its number of outputs is unknown.
        return Unknown()
    args = kept_for_operator(act, ref.namespace, ref.operator, args)
    for place, value in (*zip(args.nodes, args.values, strict=True), *_settings(args)):
        emit_absence(act, place, value)
    result, failure = result_of(act, ref.name, ref.operator, args) if own is None else (own, None)
    if lookup.of_numbers(ref.name) is not None and not ref.namespace.path and isinstance(result, Tensor):
        result = _of_two_operands(args, result)
    if surface.is_stacked(ref.namespace.path, ref.name):
        result = EagerTracePair(ContainerValue("tuple", None, result), result)
    failure = failure or strict_function_failure(ref, args)
    if own is None and ref.namespace.root == "npx" and surface.is_no_operator(ref.name):
        result = Unknown()
    elif ref.namespace.root in {"nd", "np", "npx"}:
        result = _eager_result(ref.namespace, args, result)
    elif _draws_numbers(ref) and isinstance(result, Tensor) and _draws_one(args):
        result = act.tensor(type=result.type, random_scalar=True, origin=result.origin)
    act.emit(
        OpCall,
        node,
        namespace=ref.namespace,
        name=ref.name,
        arguments=args,
        operator=ref.operator,
        result=result,
        failure=failure,
    )
    return result


def _settings(args: ArgumentsEvent) -> Iterator[tuple[ast.expr, Value]]:
    """Return the arguments by keyword, except a device: a graph runs where its inputs are."""
    named = {name: value for name, value in args.keywords.items() if name != "ctx"}
    return ((args.keyword_nodes[name], value) for name, value in named.items() if name in args.keyword_nodes)


def _is_unheard_of(ref: OperatorRef) -> bool:
    """Return whether MXNet has no operator and no function of this name."""
    if not ref.namespace.path:
        return ref.name[:1].isupper()
    return ref.namespace.path == ("contrib",) and surface.namespace_has(ref.namespace.path, ref.name, "eager") is None


def _of_two_operands(args: ArgumentsEvent, result: Tensor) -> Tensor:
    """Return the result of a two-operand function with the shape of both tensors, or of a tensor beside a number."""
    match args.values:
        case (Tensor(optional=False) as left, Tensor(optional=False) as right) if result.type.shape is None:
            return replace(result, type=merged_type(left, right))
        case (Tensor() as data, StaticValue() | DataDependentValue()) | (
            StaticValue() | DataDependentValue(),
            Tensor() as data,
        ) if not data.optional:
            return replace(result, type=result.type.with_shape(data.type.shape), lineage=data.lineage)
        case _:
            return result


def _numbers_only(args: ArgumentsEvent) -> bool:
    return len(args.values) == 2 and not args.keywords and all(isinstance(value, StaticValue) for value in args.values)


def _emit_number(act: Activation, node: ast.Call, value: Value | None) -> None:
    """Emit an event for an argument that the Symbol form of a function converts to a number."""
    if isinstance(value, Tensor) and not value.optional:
        act.emit(Concretize, node, how="float", value=value)


def _eager_result(namespace: Namespace, args: ArgumentsEvent, result: Value) -> Value:
    if any(isinstance(v, Tensor | Outputs) for v in tensors_in([*args.values, *args.keywords.values()])):
        return result
    if isinstance(result, Tensor):
        # A draw that is read into Python is frozen just like an array that the block keeps.
        return CapturedArray(result.type, kept=namespace.path == ("random",))
    return ContainerValue("list", None, CapturedArray())


def _draws_numbers(ref: OperatorRef) -> bool:
    """Return whether a function draws as many random numbers as its shape has elements."""
    if ref.operator is not None:
        return ref.operator.random and not ref.operator.inputs
    return ref.namespace.path[-1:] == ("random",) and lookup.draws(ref.name)


def _draws_one(args: ArgumentsEvent) -> bool:
    values = [*args.values, *args.keywords.values()]
    if argument(args, "shape", 2) is not None or argument(args, "size", 2) is not None:
        return False
    return all(isinstance(v, StaticValue) for v in values)
