"""Methods of tensors, outputs, parameters and NDArrays."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import method_of
from hybridlint.analysis.flow.guards import emit_division
from hybridlint.analysis.model.arguments import constant
from hybridlint.analysis.model.events import ArgumentsEvent, MethodCall, SideEffect, TraceConstant
from hybridlint.analysis.model.shapes import mismatch
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    UNTYPED,
    CapturedArray,
    ContainerValue,
    DataDependentValue,
    NumpyArray,
    OperatorRef,
    Outputs,
    ParameterRef,
    ShapeProvenance,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.model.written_shapes import reshaped_rank
from hybridlint.analysis.mxnet.operators.array_member_names import FROM_DATA, KEEPING, TO_PYTHON
from hybridlint.analysis.mxnet.operators.results import result_of
from hybridlint.analysis.python.functional import special_method
from hybridlint.analysis.syntax.calls import arguments, as_written
from hybridlint.runtime.facts import lookup, surface
from hybridlint.runtime.facts.registry import Operator
from hybridlint.runtime.facts.types import TensorType

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

_ITSELF = frozenset({"as_nd_ndarray", "as_np_ndarray"})
_NOTHING = frozenset({"wait_to_read", "attach_grad", "backward"})


@method_of(Tensor, Outputs)
def _of_tensor(act: Activation, node: ast.Call, receiver: Tensor | Outputs, name: str) -> Value:
    args = arguments(act, node)
    if name.startswith("__"):
        return special_method(act, node, receiver, name, args)
    for place, value in zip(args.nodes, args.values, strict=True):
        emit_division(act, place, value)
    result, operator = tensor_method(act, receiver, name, args)
    with as_written(act, node, args):
        act.emit(MethodCall, node, receiver=receiver, name=name, arguments=args, operator=operator, result=result)
    return result


@method_of(ParameterRef)
def _of_parameter(act: Activation, node: ast.Call, receiver: ParameterRef, name: str) -> Value:
    return parameter_method(act, node, receiver, name, arguments(act, node))


@method_of(CapturedArray)
def _of_foreign(act: Activation, node: ast.Call, receiver: CapturedArray, name: str) -> Value:
    return foreign_method(act, node, receiver, name, arguments(act, node))


def tensor_method(
    act: Activation, receiver: Tensor | Outputs, name: str, args: ArgumentsEvent
) -> tuple[Value, Operator | None]:
    """Return the result of a tensor's method, and the operator that it calls."""
    if isinstance(receiver, Outputs):
        return Unknown(), None
    if name in TO_PYTHON:
        return DataDependentValue(name), None
    if name == "asnumpy":
        return NumpyArray(), None
    if name in _NOTHING:
        return StaticValue(None), None
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


def strict_function_failure(ref: OperatorRef, args: ArgumentsEvent) -> str | None:
    """Return why the Symbol form of a function that broadcasts eagerly fails, or None."""
    operator = ref.operator or lookup.of_numbers(ref.name)
    strict = operator is not None and operator.facts.broadcast_twin is not None
    if not strict or ref.namespace.path or len(args.values) < 2:
        return None
    left, right = args.values[:2]
    if not isinstance(left, Tensor) or not isinstance(right, Tensor):
        return None
    return mismatch(left, right)


def parameter_method(act: Activation, node: ast.Call, receiver: ParameterRef, name: str, args: ArgumentsEvent) -> Value:
    """Evaluate a method of a Parameter, whose array is an NDArray in either run."""
    result: Value = Unknown()
    if name in {"data", "grad"}:
        result = CapturedArray(receiver.type, kept=True)
    elif name == "var":
        result = act.tensor(type=receiver.type)
    elif name in {"list_data", "list_grad"}:
        result = ContainerValue("list", None, CapturedArray(receiver.type))
    elif name in {"set_data", "zero_grad"} or (name == "initialize" and _again(args)):
        act.emit(SideEffect, node, kind="set_data", target=act.module.source.code(node.func))
        return StaticValue(None)
    act.emit(MethodCall, node, receiver=receiver, name=name, arguments=args, operator=None, result=result)
    return result


def _again(args: ArgumentsEvent) -> bool:
    """Return whether ``initialize`` draws new values for parameters that already have some."""
    return args.keywords.get("force_reinit") == StaticValue(True)


def foreign_method(act: Activation, node: ast.Call, receiver: CapturedArray, name: str, args: ArgumentsEvent) -> Value:
    """Evaluate a method of an NDArray; values that it reads into Python are frozen at the trace."""
    if name in TO_PYTHON or name == "asnumpy":
        if receiver.kept:
            act.emit(TraceConstant, node, source_of_value=act.module.source.code(node), used=True)
        return NumpyArray() if name == "asnumpy" else StaticValue(STATIC_UNKNOWN)
    if name in _NOTHING:
        return StaticValue(None)
    result, _ = tensor_method(act, Tensor(receiver.type, act.mode), name, args)
    return CapturedArray(result.type if isinstance(result, Tensor) else UNTYPED, kept=receiver.kept)


def _cast(act: Activation, receiver: Tensor, args: ArgumentsEvent) -> Tensor:
    given = args.keywords.get("dtype") or (args.values[0] if args.values else None)
    known = constant(given)
    dtype = {"float": "float32", "int": "int32"}.get(str(known), str(known))
    known_dtype = dtype if dtype.startswith(("float", "int", "uint", "bool")) else None
    return act.tensor(type=receiver.type.with_dtype(known_dtype), lineage=receiver.lineage, flows=receiver.flows)


def _reshaped(act: Activation, receiver: Tensor, args: ArgumentsEvent, operator: Operator | None) -> Value:
    if len(args.values) > 1:
        args = ArgumentsEvent(
            args.nodes[:1], (ContainerValue("tuple", args.values),), args.keyword_nodes, args.keywords
        )
    result, _ = result_of(act, "reshape", operator, args, receiver)
    if isinstance(result, Tensor) and result.type.shape is not None:
        return result
    given = args.keywords.get("shape") or (args.values[0] if args.values else None)
    known = TensorType(reshaped_rank(given), receiver.type.dtype)
    return act.tensor(type=known, lineage=ShapeProvenance(act.run.token()), flows=receiver.flows)
