"""Attributes of tensors, namespaces, parameters and blocks."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from hybridlint.analysis.dispatch import attribute_of, member
from hybridlint.analysis.flow.persistent_state import note_read
from hybridlint.analysis.flow.truth import outcome
from hybridlint.analysis.model.events import MissingName
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    TEXT,
    TRUE_OR_FALSE,
    BlockRef,
    BoundMethod,
    CapturedArray,
    ClassRef,
    ContainerValue,
    DataDependentValue,
    External,
    Namespace,
    OperatorRef,
    ParameterRef,
    ProjectObject,
    SelfRef,
    ShapeProvenance,
    StaticValue,
    Tensor,
    TypeOf,
    Unknown,
    Value,
)
from hybridlint.analysis.mxnet import type_tests
from hybridlint.analysis.mxnet.added_names import adds_name, has_method
from hybridlint.analysis.mxnet.blocks.children import any_child, any_child_of_self
from hybridlint.analysis.mxnet.blocks.deferred_initialization import layer_parameter, sizes
from hybridlint.analysis.mxnet.blocks.named_outputs import note_lost
from hybridlint.analysis.mxnet.blocks.networks import network_part
from hybridlint.analysis.mxnet.blocks.objects import GradientFunction, HookHandle, ParameterDictRef
from hybridlint.analysis.mxnet.namespace_texts import namespace_attribute, type_attribute
from hybridlint.analysis.mxnet.operators.array_member_names import FROM_DATA
from hybridlint.analysis.mxnet.operators.project_operators import is_missing
from hybridlint.analysis.syntax.attributes import self_attribute
from hybridlint.analysis.syntax.building import instance_of
from hybridlint.runtime.facts import lookup, surface
from hybridlint.runtime.facts.records import replace

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

_FUNCTIONS = Namespace("F")
#: Origins of values that a caller gives, and kinds of these that are no tensors.
_GIVEN = frozenset({"argument", "element"})
_CONTAINERS = (list, tuple, dict, set, str, int, float)
_SETTINGS = frozenset({"prefix", "_prefix", "name", "_name"})
#: Attributes that every block has.
_OWN: dict[str, Callable[[ProjectObject], Value]] = {
    "params": lambda instance: ParameterDictRef("self.params"),
    "_children": lambda instance: ContainerValue("dict", None, any_child_of_self(instance)),
    "__dict__": lambda instance: ContainerValue("dict", None, Unknown(), kept=True),
    "__class__": lambda instance: ClassRef(instance.info),
}


def own_attribute(instance: ProjectObject, name: str) -> Value | None:
    """Return an attribute that every block has, None for other names."""
    if name in _OWN:
        return _OWN[name](instance)
    return StaticValue(STATIC_UNKNOWN) if name in _SETTINGS else None


def look_up(act: Activation, value: Value, place: ast.Attribute) -> None:
    """Report an attribute that MXNet 1.9.1 has in neither run."""
    if isinstance(value, ContainerValue):
        note_lost(act, value, place)
    if not is_absent(act, value, place.attr) or _may_be_another_object(act, value, place.attr):
        return
    before, act.flow.unsupported = act.flow.unsupported, False
    told = replace(value, presumed=not _is_surely_tensor(act, value, place)) if isinstance(value, Tensor) else value
    act.emit(MissingName, place, value=told, name=place.attr)
    act.flow.unsupported = before


def has_attribute(act: Activation, value: Value, name: str) -> Value:
    """Return the value of ``hasattr(value, name)`` in the eager run and at the trace."""
    if is_absent(act, value, name):
        open_kind = isinstance(value, Tensor) and (value.optional or _may_be_another_object(act, value, name))
        return TRUE_OR_FALSE if open_kind else outcome(eager=False, traced=False)
    return type_tests.has_attribute(value, name)


def is_absent(act: Activation, value: Value, name: str) -> bool:
    """Return whether MXNet has no such name in a namespace or on tensors, and the project adds none."""
    if isinstance(value, Tensor):
        return not lookup.has_attribute(name, value.mode) and not adds_name(act.module, name)
    return isinstance(value, Namespace) and is_missing(act, value, name)


def _may_be_another_object(act: Activation, value: Value, name: str) -> bool:
    """Return whether a value is an argument that may be a container or an object with the attribute."""
    if not isinstance(value, Tensor) or value.origin not in _GIVEN:
        return False
    return any(hasattr(kind, name) for kind in _CONTAINERS) or has_method(act.module, name)


def _is_surely_tensor(act: Activation, value: Tensor, place: ast.Attribute) -> bool:
    """Return whether a value is a tensor: an operator's result, a first input, or an argument used as one."""
    if value.origin not in _GIVEN:
        return True
    names = [] if act.node is None else [one.arg for one in act.node.args.args]
    name = place.value.id if isinstance(place.value, ast.Name) else None
    return value.origin == "argument" and (name in act.tensors or (act.role.entry and name in names[2:3]))


def lacks(namespace: Namespace, name: str) -> bool:
    """Return whether a namespace's function exists for NDArrays but not for Symbols."""
    return namespace.root == "F" and surface.namespace_lacks(namespace.path, name)


@attribute_of(Tensor)
def _tensor_attribute(act: Activation, value: Tensor, name: str) -> Value:
    if name == "T":
        shape = value.type.shape
        return act.tensor(
            type=value.type.with_shape(None if shape is None else shape[::-1]), lineage=ShapeProvenance(act.run.token())
        )
    if name == "__class__":
        return type_tests.type_of(value)
    if name == "__module__":
        return member(act, type_tests.type_of(value), name)
    if name in {"__doc__", "__dict__"}:
        return DataDependentValue(TEXT)
    if name == "grad":
        return CapturedArray(value.type)
    return DataDependentValue(name) if name in FROM_DATA else BoundMethod(value, name)


@attribute_of(CapturedArray)
def _foreign_attribute(act: Activation, value: CapturedArray, name: str) -> Value:
    if name != "T":
        return StaticValue(STATIC_UNKNOWN)
    shape = value.type.shape
    return replace(value, type=value.type.with_shape(None if shape is None else shape[::-1]))


@attribute_of(TypeOf)
def _class_attribute(act: Activation, value: TypeOf, name: str) -> Value:
    return type_attribute(value, name) or Unknown()


@attribute_of(Namespace)
def _namespace_attribute(act: Activation, value: Namespace, name: str) -> Value:
    if value == _FUNCTIONS:
        if name == "__spec__":
            return ContainerValue("record", (member(act, value, "__name__"),), keys=("name",))
        if name == "__dict__":
            return DataDependentValue(TEXT)
    known = namespace_attribute(value.path, name) if value.root == "F" else None
    return known or act.run.project.attribute(value, name)


@attribute_of(OperatorRef)
def _of_module(act: Activation, value: OperatorRef, name: str) -> Value:
    """Return a member of a module or a class of a namespace: ``mx.sym.symbol.Symbol``."""
    return External(".".join(("mxnet", value.namespace.root, *value.namespace.path, value.name, name)))


@attribute_of(ParameterRef)
def _parameter_attribute(act: Activation, value: ParameterRef, name: str) -> Value:
    if name == "value":
        # Only a Constant, which never changes, has it; other Parameters lack it.
        return CapturedArray(value.type)
    return sizes(value) if name == "shape" else StaticValue(STATIC_UNKNOWN)


@attribute_of(ParameterDictRef, HookHandle, GradientFunction)
def _of_object(act: Activation, value: External, name: str) -> Value:
    return act.run.project.attribute(value, name)


@attribute_of(BlockRef)
def _block_attribute(act: Activation, value: BlockRef, name: str) -> Value:
    note_read(act, value, name)
    if value.info is not None:
        return self_attribute(act, SelfRef(instance_of(act.run, value.info)), name)
    if name == "_children":
        return ContainerValue("dict", None, any_child(act.run, value))
    if name == "params":
        return ParameterDictRef("block.params")
    return network_part(value, name) or layer_parameter(value, name) or Unknown()
