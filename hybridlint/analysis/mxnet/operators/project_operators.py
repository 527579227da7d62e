"""Calls of operators that MXNet does not have and the project declares."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridlint.analysis.model.arguments import constant, origin_of
from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.values import (
    CapturedArray,
    ContainerValue,
    Namespace,
    OperatorRef,
    Outputs,
    ShapeProvenance,
    Tensor,
    Value,
)
from hybridlint.analysis.mxnet.added_names import adds_name
from hybridlint.analysis.mxnet.operators.results import flows
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.types import TensorType

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: The function that calls operators written in Python, and its argument that names one.
_CUSTOM, _TYPE = "Custom", "op_type"


def own_result(act: Activation, ref: OperatorRef, args: ArgumentsEvent) -> Value | None:
    """Return the result of a call of a declared operator; None for other operators."""
    signature = act.run.declared.get(_name(ref, args)) if act.run.declared else None
    if signature is None:
        return None
    types = signature.results_of(
        [_type(value) for value in args.values],
        {name: _type(value) for name, value in args.keywords.items() if isinstance(value, Tensor | CapturedArray)},
        {name: known for name, value in args.keywords.items() if type(known := constant(value)) is int},
    )
    passes = flows(None, args)
    if len(types) == 1:
        origin = origin_of([*args.values, *args.keywords.values()])
        return act.tensor(type=types[0], lineage=ShapeProvenance(act.run.token()), origin=origin, flows=passes)
    if act.mode == "np":
        return ContainerValue("list", tuple(act.tensor(type=part, flows=passes) for part in types))
    return Outputs(types, act.mode, ref.name, passes)


def is_missing(act: Activation, namespace: Namespace, name: str) -> bool:
    """Return whether MXNet has no such function in a namespace, and the project neither adds nor declares it."""
    absent = namespace.root in {"F", "nd", "sym"} and not lookup.has_function(namespace.path, name)
    return absent and not is_declared(act, namespace, name) and not adds_name(act.module, name)


def is_declared(act: Activation, namespace: Namespace, name: str) -> bool:
    """Return whether the project declares a function of a namespace."""
    return _dotted(namespace, name) in act.run.declared


def _name(ref: OperatorRef, args: ArgumentsEvent) -> str:
    """Return the name under which the operator of a call is declared, such as ``contrib.Align`` or ``Custom.focal``."""
    custom = constant(args.keywords.get(_TYPE)) if ref.name == _CUSTOM else None
    name = _dotted(ref.namespace, ref.name)
    return f"{name}.{custom}" if isinstance(custom, str) else name


def _dotted(namespace: Namespace, name: str) -> str:
    root = (namespace.root,) if namespace.root in {"np", "npx"} else ()
    return ".".join((*root, *namespace.path, name))


def _type(value: Value) -> TensorType:
    return value.type if isinstance(value, Tensor | CapturedArray) else TensorType()
