"""Reads and stores of attributes, ``value.name``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace

from hybridlint.analysis.dispatch import evaluate, expression
from hybridlint.analysis.flow.itself import is_stored_as_itself
from hybridlint.analysis.flow.outliving import depends_on_inputs, note_read, tell_store
from hybridlint.analysis.flow.truth import outcome, type_of
from hybridlint.analysis.model.events import NOTHING, AttributeRead, AttributeStore, SideEffect
from hybridlint.analysis.model.kinds import TEXT, namespace_attribute, type_attribute
from hybridlint.analysis.model.records import field, with_field
from hybridlint.analysis.model.tables import FROM_DATA, KEEPING
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    Block,
    BoundMethod,
    ClassRef,
    Concrete,
    Divergent,
    External,
    ForeignTensor,
    Function,
    Items,
    Lineage,
    Namespace,
    NumpyArray,
    OperatorRef,
    Outputs,
    ParameterRef,
    ProjectClass,
    ProjectObject,
    Static,
    Tensor,
    This,
    Unknown,
    Value,
)
from hybridlint.analysis.mxnet.children import any_child, any_child_of_self
from hybridlint.analysis.mxnet.deferred import layer_parameter, sizes
from hybridlint.analysis.mxnet.networks import network_part
from hybridlint.analysis.mxnet.operators import operator_ref
from hybridlint.analysis.project.instances import class_attribute
from hybridlint.analysis.run.activation import Activation, Role
from hybridlint.analysis.run.flow import NARROWED
from hybridlint.analysis.syntax.building import instance_of
from hybridlint.analysis.syntax.functions import decorate, enter
from hybridlint.analysis.syntax.subscripts import rebind
from hybridlint.runtime.facts import surface

_SETTINGS = frozenset({"prefix", "_prefix", "name", "_name"})
_SWITCHES = (bool, int, str)
#: Attributes that every block has.
_OWN: dict[str, Callable[[ProjectObject], Value]] = {
    "params": lambda instance: External("self.params"),
    "_children": lambda instance: Items("dict", None, any_child_of_self(instance)),
    "__dict__": lambda instance: Items("dict", None, Unknown(), kept=True),
    "__class__": lambda instance: ClassRef(instance.info),
}


@expression(ast.Attribute)
def attribute(act: Activation, node: ast.Attribute) -> Value:
    """Evaluate ``value.name`` outside of a method call."""
    value = evaluate(act, node.value)
    look_up(act, value, node.attr)
    note_read(act, value, node.attr, node.value)
    result = member(act, value, node.attr)
    if isinstance(value, Unknown | ClassRef) and isinstance(node.value, ast.Name):
        result = act.flow.names.get(f"{node.value.id}.{node.attr}", result)
    missing = isinstance(value, Namespace) and value.root == "F" and surface.namespace_lacks(value.path, node.attr)
    if missing or (isinstance(value, Tensor | Outputs | ParameterRef) and not _on_any_object(value, node.attr)):
        act.tell(AttributeRead, node, value=value, name=node.attr)
    return result


def look_up(act: Activation, value: Value, name: str) -> None:
    """Mark the flow if MXNet 1.9.1 lacks the function and raises in either run: the code is for another version."""
    if not isinstance(value, Namespace) or value.root not in {"F", "nd", "sym"}:
        return
    if surface.is_unheard_of(value.path, name) and operator_ref(value, name).operator is None:
        act.flow.elsewhere = True


def _on_any_object(value: Value, name: str) -> bool:
    """Return whether a special attribute means the same on every object."""
    return name.startswith("__") and not (isinstance(value, Tensor) and surface.tensor_lack(name, value.mode))


def member(act: Activation, value: Value, name: str) -> Value:
    """Return the value of an attribute without emitting events."""
    match value:
        case This():
            return self_attribute(act, value, name)
        case Tensor():
            return _tensor_attribute(act, value, name)
        case Outputs():
            return Unknown()
        case Items():
            return field(value, name) or Unknown()
        case Namespace():
            return _namespace_attribute(act, value, name)
        case External(name=known) if known.startswith("type:"):
            return type_attribute(known, name) or Unknown()
        case External():
            return act.run.project.attribute(value, name)
        case OperatorRef(namespace=namespace):
            # A module or a class of a namespace: `mx.sym.symbol`.
            return External(".".join(("mxnet", namespace.root, *namespace.path, value.name, name)))
        case ClassRef(info=info):
            return _class_attribute(act, info, name)
        case ParameterRef(type=known):
            if name == "value":
                # Only a Constant, which never changes, has it; other Parameters lack it.
                return ForeignTensor(known)
            return sizes(value) if name == "shape" else Static(STATIC_UNKNOWN)
        case Block():
            return _block_attribute(act, value, name)
        case Concrete() | NumpyArray():
            return Concrete(value.reason if isinstance(value, Concrete) else name)
        case ForeignTensor() | Static():
            return Static(STATIC_UNKNOWN)
        case Divergent():
            return Divergent(member(act, value.eager, name), member(act, value.traced, name))
        case _:
            return Unknown()


def _class_attribute(act: Activation, info: ProjectClass, name: str) -> Value:
    """Return a class attribute that is a function, an array or a container; others may have been reassigned."""
    note_read(act, ClassRef(info), name)
    found = info.method(name)
    if found is not None:
        of_class = any(isinstance(d, ast.Name) and d.id == "classmethod" for d in found[0].decorator_list)
        return Function(found[0], found[1].module, (ClassRef(info),) if of_class else ())
    held = class_attribute(info, name)
    return held if isinstance(held, ForeignTensor | Items) else Unknown()


def self_attribute(act: Activation, this: This, name: str) -> Value:
    """Return the value of ``self.name``."""
    scope: Activation | None = act
    while scope is not None:
        stored = scope.flow.names.get(f"self.{name}")
        if stored is not None and scope.this == this:
            return stored
        scope = scope.parent
    instance = this.instance
    if name == "_active" and instance.info.hybrid:
        # An attribute that hybridize() sets.
        return outcome(eager=False, traced=True)
    if not act.role.building and not instance.local:
        if not act.place.against_default:
            act.run.trail.state_read.add((id(instance), name))
        if name in instance.changing:
            return Unknown()
    held = instance.attributes.get(name)
    if isinstance(held, Items) and not act.role.building and name in instance.refilled:
        return Items(held.kind, None, Unknown(), kept=not instance.local)
    if held is not None:
        return act.narrowed(this, name) or _switch(instance, name, held)
    found = instance.info.method(name)
    if found is not None:
        return _method(act, this, *found)
    if name in _OWN:
        return _OWN[name](instance)
    return Static(STATIC_UNKNOWN) if name in _SETTINGS else Unknown()


def _switch(instance: ProjectObject, name: str, held: Value) -> Value:
    """Return an attribute's value, marked `certain` if nothing but ``__init__`` sets it."""
    if not isinstance(held, Static) or (held.among is None and not isinstance(held.value, _SWITCHES)):
        return held
    if instance.info.stores(name) == max(instance.info.makes(name), 1):
        return held if held.certain or held.among is not None else replace(held, certain=True)
    return replace(held, certain=False, among=None) if held.certain or held.among is not None else held


def _method(act: Activation, this: This, method: ast.FunctionDef, owner: ProjectClass) -> Value:
    names = {d.id for d in method.decorator_list if isinstance(d, ast.Name)}
    if "property" in names:
        return enter(act, Function(method, owner, (this,)), NOTHING, method)
    if "staticmethod" in names:
        return Function(method, owner)
    if "classmethod" in names:
        return Function(method, owner, (ClassRef(this.instance.info),))
    if not method.decorator_list:
        return Function(method, owner, (this,))
    scope = Activation(act.run, owner.module, None, owner=owner, mode=act.mode, role=Role(building=True))
    made = decorate(scope, method, Function(method, owner))
    return replace(made, bound=(this, *made.bound)) if isinstance(made, Function) else made


def store_attribute(act: Activation, target: ast.Attribute, value: Value, statement: ast.AST) -> None:
    """Perform ``owner.name = value``."""
    owner = evaluate(act, target.value)
    if isinstance(owner, This):
        if act.role.building:
            value = _kept(value)
            owner.instance.note(target.attr, value, statement)
        elif not owner.instance.local:
            carried = (id(owner.instance), target.attr) in act.run.trail.state_read
            if is_stored_as_itself(target, statement, KEEPING):
                carried = False
            if target.attr in act.place.made_once:
                carried = carried and depends_on_inputs(value)
            constant = _is_constant(value)
            lazy_child = isinstance(value, Block) and target.attr in act.place.made_once
            body = act.holder("self")[1] if constant and not carried else None
            if (carried or not constant or body == "cond") and not lazy_child:
                name = f"self.{target.attr}"
                act.tell(SideEffect, statement, kind="attribute", target=name, carried=carried, body=body)
        if isinstance(value, Block) and owner.instance.info.block:
            value = replace(value, stray=False)
        act.flow.names.pop(f"{NARROWED}{target.attr}", None)
        if owner == act.this:
            act.flow.names[f"self.{target.attr}"] = value
        if not owner.instance.info.block:
            owner.instance.attributes[target.attr] = value
            act.run.reuse.changed |= not (act.role.building or owner.instance.local)
    elif isinstance(owner, Unknown) and isinstance(target.value, ast.Name) and target.value.id in act.flow.names:
        act.run.owners.add(target.value.id)
        act.flow.names[f"{target.value.id}.{target.attr}"] = value
    elif isinstance(owner, Items) and owner.kind == "record" and owner.keys is not None:
        tell_store(act, statement, target, owner, value)
        rebind(act, target.value, with_field(owner, target.attr, value))
    elif isinstance(owner, Tensor):
        act.tell(AttributeStore, target, value=owner, name=target.attr)
    else:
        tell_store(act, statement, target, owner, value)


def remove_attribute(act: Activation, target: ast.Attribute, statement: ast.AST) -> None:
    """Perform ``del owner.name``."""
    owner = evaluate(act, target.value)
    if not isinstance(owner, This):
        tell_store(act, statement, target, owner, None)
        return
    if not act.role.building and not owner.instance.local:
        carried = (id(owner.instance), target.attr) in act.run.trail.state_read
        act.tell(SideEffect, statement, kind="attribute", target=f"self.{target.attr}", carried=carried)
    act.flow.names.pop(f"self.{target.attr}", None)


def _is_constant(value: Value) -> bool:
    return isinstance(value, Static) and value.value is not STATIC_UNKNOWN


def _kept(value: Value) -> Value:
    return ForeignTensor(value.type, kept=True) if isinstance(value, ForeignTensor) else value


def _tensor_attribute(act: Activation, value: Tensor, name: str) -> Value:
    if name == "T":
        shape = value.type.shape
        return act.tensor(
            type=value.type.with_shape(None if shape is None else shape[::-1]), lineage=Lineage(act.run.token())
        )
    if name == "__class__":
        return type_of(value)
    if name == "__module__":
        return member(act, type_of(value), name)
    if name in {"__doc__", "__dict__"}:
        return Concrete(TEXT)
    if name == "grad":
        return ForeignTensor(value.type)
    return Concrete(name) if name in FROM_DATA else BoundMethod(value, name)


def _namespace_attribute(act: Activation, value: Namespace, name: str) -> Value:
    if value == Namespace("F"):
        if name == "__spec__":
            return Items("record", (member(act, value, "__name__"),), keys=("name",))
        if name == "__dict__":
            return Concrete(TEXT)
    known = namespace_attribute(value.path, name) if value.root == "F" else None
    return known or act.run.project.attribute(value, name)


def _block_attribute(act: Activation, value: Block, name: str) -> Value:
    note_read(act, value, name)
    if value.info is not None:
        return self_attribute(act, This(instance_of(act.run, value.info)), name)
    if name == "_children":
        return Items("dict", None, any_child(act.run, value))
    return network_part(value, name) or layer_parameter(value, name) or Unknown()
