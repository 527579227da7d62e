"""Calls of MXNet's own functions and classes: blocks, parameters, networks, helpers of losses, metrics, draws."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import callee
from hybridlint.analysis.model.arguments import tensors_in
from hybridlint.analysis.model.events import ArgumentsEvent, ForeignCall
from hybridlint.analysis.model.values import (
    BlockRef,
    CapturedArray,
    ContainerValue,
    LibraryInstance,
    MemberOf,
    ParameterRef,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.model.written_shapes import literal_shape, written_shape
from hybridlint.analysis.mxnet.blocks.deferred_initialization import late_in
from hybridlint.analysis.mxnet.blocks.hooks import take_off
from hybridlint.analysis.mxnet.blocks.networks import is_network, layer_name
from hybridlint.analysis.mxnet.blocks.objects import GradientFunction, HookHandle, ParameterDictRef
from hybridlint.analysis.mxnet.loss_weighting import weighting_call
from hybridlint.analysis.mxnet.names import is_block_name, is_hybrid_name
from hybridlint.analysis.mxnet.scopes import entering_call, scope_call
from hybridlint.analysis.python.library_calls import certain_tensors
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.types import TensorType

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: Constructors of objects that are called later, or whose methods are.
_CALLED_LATER = ("mxnet.metric.", "mxnet.kvstore.", "mxnet.init.", "mxnet.initializer.")
_PARAMETERS = {"mxnet.gluon.Parameter": "get", "mxnet.gluon.Constant": "get_constant"}


def library_call(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value | None:
    """Evaluate a call of one of MXNet's functions, by its full dotted name; None for all other functions.

    Functions on arrays are evaluated elsewhere.
    """
    if not name.startswith("mxnet."):
        return scope_call(act, node, name, args)
    if is_network(name):
        return BlockRef(layer_name(name), hybrid=True, creation=node, stray=not act.role.building)
    if is_block_name(name) and name.rpartition(".")[2][:1].isupper():
        return _block(act, node, name, args)
    if name in _PARAMETERS:
        made = _parameter(act, _PARAMETERS[name], args)
        return replace(made, apart=True) if isinstance(made, ParameterRef) else made
    if name.startswith(_CALLED_LATER) and not name.endswith(")") and "()" not in name:
        return LibraryInstance(f"{name}()", name)
    if name.startswith("mxnet.random.") and name != "mxnet.random.seed" and not certain_tensors(args):
        return CapturedArray(kept=True)
    scope = scope_call(act, node, name, args)
    return weighting_call(act, node, name, args) if scope is None else scope


def member_call(act: Activation, node: ast.Call, member: MemberOf, args: ArgumentsEvent) -> Value | None:
    """Evaluate a call of a method of an object of MXNet, None for other objects."""
    if isinstance(member.owner, ParameterDictRef):
        return _parameter(act, member.attribute, args)
    if isinstance(member.owner, HookHandle):
        return take_off(act, member.owner, member.attribute)
    return entering_call(act, node, member.owner, member.attribute, args)


@callee(ParameterDictRef)
def _call_parameters(act: Activation, node: ast.Call, parameters: ParameterDictRef, args: ArgumentsEvent) -> Value:
    return Unknown()


@callee(GradientFunction)
def _call_function(act: Activation, node: ast.Call, function: GradientFunction, args: ArgumentsEvent) -> Value:
    """Evaluate a call of an ``autograd.Function``, which only takes arrays."""
    if any(isinstance(value, Tensor) for value in tensors_in(args.values)):
        act.emit(ForeignCall, node, function="autograd.Function", arguments=args, operator=None)
    return _results(act, function.results)


def _results(act: Activation, count: str) -> Value:
    """Return the result of an ``autograd.Function``: one array, a tuple of `count`, or an unknown value."""
    if not count:
        return act.tensor()
    return ContainerValue("tuple", tuple(act.tensor() for _ in range(int(count)))) if count.isdecimal() else Unknown()


def _block(act: Activation, node: ast.Call, name: str, args: ArgumentsEvent) -> Value:
    layer = name.rpartition(".")[2]
    arguments = {str(i): v for i, v in enumerate(args.values)} | dict(args.keywords)
    act.run.blocks.parts.build(node)
    return BlockRef(layer, is_hybrid_name(name), arguments, creation=node, stray=not act.role.building)


def _parameter(act: Activation, name: str, args: ArgumentsEvent) -> Value:
    if name == "get":
        trained = args.keywords.get("grad_req") != StaticValue("null")
        shape = args.keywords.get("shape")
        return ParameterRef(TensorType(written_shape(shape)), trained, late_in(shape))
    if name == "get_constant":
        value = args.keywords.get("value") or (args.values[1] if len(args.values) > 1 else None)
        return ParameterRef(TensorType(literal_shape(value)), trained=False)
    return Unknown()
