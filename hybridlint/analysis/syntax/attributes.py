"""Reads and stores of attributes, ``value.name``."""

from __future__ import annotations

import ast

from hybridlint.analysis import semantics
from hybridlint.analysis.dispatch import attribute_of, evaluate, expression, member
from hybridlint.analysis.flow.certain_statements import runs_always
from hybridlint.analysis.flow.persistent_state import (
    depends_on_inputs,
    emit_store,
    holds_arrays,
    is_tally,
    note_found,
    note_read,
    note_stored,
)
from hybridlint.analysis.flow.restored_attributes import given_back, is_emptied, is_stored_as_itself
from hybridlint.analysis.flow.truth import outcome
from hybridlint.analysis.model.events import NOTHING, ArgumentsEvent, AttributeRead, AttributeStore, SideEffect
from hybridlint.analysis.model.lattice import is_plain, join_all
from hybridlint.analysis.model.records import field, with_field
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    BlockRef,
    CachedFunction,
    CallableUnion,
    CapturedArray,
    ClassRef,
    ContainerValue,
    DataDependentValue,
    EagerTracePair,
    External,
    Function,
    LibraryInstance,
    MemberOf,
    ModuleFile,
    Namespace,
    NumpyArray,
    Outputs,
    ParameterRef,
    ProjectClass,
    ProjectObject,
    ScopeOf,
    SelfRef,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.project.instances import class_attribute, is_only_in_class_body
from hybridlint.analysis.run.activation import Activation, Role
from hybridlint.analysis.syntax.functions import decorate, enter
from hybridlint.analysis.syntax.inferred_receivers import infer_receiver
from hybridlint.analysis.syntax.subscripts import rebind
from hybridlint.runtime.facts import surface
from hybridlint.runtime.facts.records import replace

_SWITCHES = (bool, int, str)


@expression(ast.Attribute)
def attribute(act: Activation, node: ast.Attribute) -> Value:
    """Evaluate ``value.name`` outside of a method call."""
    value = evaluate(act, node.value)
    value = infer_receiver(act, value, node.attr) or value
    semantics.library.look_up(act, value, node)
    act.place.read = node
    note_read(act, value, node.attr, node.value)
    result = note_value(act, value, node.value, node.attr)
    missing = isinstance(value, Namespace) and semantics.library.lacks(value, node.attr)
    if missing or (isinstance(value, Tensor | Outputs | ParameterRef) and not _on_any_object(value, node.attr)):
        act.emit(AttributeRead, node, value=value, name=node.attr)
    return result


def note_value(act: Activation, value: Value, holder: ast.expr, name: str) -> Value:
    """Return the value of an attribute; a value that this function stored by the object's name comes first."""
    result = member(act, value, name)
    if isinstance(value, Unknown | ClassRef) and isinstance(holder, ast.Name):
        return act.flow.names.get(f"{holder.id}.{name}", result)
    return result


def _on_any_object(value: Value, name: str) -> bool:
    """Return whether an attribute such as ``__class__`` means the same on every object."""
    return name.startswith("__") and not (isinstance(value, Tensor) and surface.tensor_lack(name, value.mode))


@attribute_of(ContainerValue)
def _field(act: Activation, value: ContainerValue, name: str) -> Value:
    held = field(value, name)
    found = value.info.method(name) if held is None and value.info is not None and value.kind == "tuple" else None
    return held or (Unknown() if found is None else _method(act, value, *found))


@attribute_of(External, ModuleFile, LibraryInstance, MemberOf, ScopeOf)
def _of_external(act: Activation, value: External, name: str) -> Value:
    return act.run.project.attribute(value, name)


@attribute_of(DataDependentValue, NumpyArray)
def _of_concrete(act: Activation, value: DataDependentValue | NumpyArray, name: str) -> Value:
    return DataDependentValue(value.reason if isinstance(value, DataDependentValue) else name)


@attribute_of(StaticValue)
def _of_static(act: Activation, value: StaticValue, name: str) -> Value:
    return StaticValue(STATIC_UNKNOWN)


@attribute_of(CallableUnion)
def _of_choice(act: Activation, value: CallableUnion, name: str) -> Value:
    if not any(map(is_plain, value.functions)):
        return Unknown()
    return join_all([member(act, one, name) for one in value.functions])


@attribute_of(EagerTracePair)
def _of_divergent(act: Activation, value: EagerTracePair, name: str) -> Value:
    return EagerTracePair(member(act, value.eager, name), member(act, value.traced, name))


@attribute_of(ClassRef)
def _class_attribute(act: Activation, value: ClassRef, name: str) -> Value:
    """Return a class attribute that is a function, an array or a container; others may have been reassigned."""
    note_read(act, value, name)
    info = value.info
    found = info.method(name)
    if found is not None:
        of_class = any(isinstance(d, ast.Name) and d.id == "classmethod" for d in found[0].decorator_list)
        return Function(found[0], found[1].module, (ClassRef(info),) if of_class else ())
    held = class_attribute(info, name)
    return held if isinstance(held, CapturedArray | ContainerValue) else Unknown()


@attribute_of(SelfRef)
def self_attribute(act: Activation, this: SelfRef, name: str) -> Value:
    """Return the value of ``self.name``."""
    scope: Activation | None = act
    while scope is not None:
        stored = scope.flow.names.get(f"self.{name}")
        if stored is not None and scope.this == this:
            note_found(act, (id(this.instance), name))
            return stored
        scope = scope.parent
    instance = this.instance
    if name == act.run.project.dialect.compiled and instance.info.hybrid:
        return outcome(eager=False, traced=True)
    if not act.role.building and not instance.local:
        note_found(act, (id(instance), name))
        if not act.place.against_default and (id(instance), name) not in act.run.trail.state_stored:
            act.run.trail.state_read.add((id(instance), name))
            if not instance.info.makes(name):
                # The class may be what holds it.
                act.run.trail.state_read |= {(id(one), name) for one in instance.info.lineage}
        if name in instance.changing or (instance.imported and instance.info.stores(name) > instance.info.makes(name)):
            return Unknown()
    held = instance.attributes.get(name)
    if isinstance(held, SelfRef) and not instance.info.makes(name):
        return _got(act, this, held, None)
    if isinstance(held, ContainerValue) and not act.role.building and name in instance.refilled:
        return ContainerValue(held.kind, None, Unknown(), kept=not instance.local)
    if held is not None:
        return act.narrowed(this, name) or _made(
            act, instance, name, _loose(act, instance, name, _switch(instance, name, held))
        )
    found = instance.info.method(name)
    if found is not None:
        return _method(act, this, *found)
    return semantics.library.own_attribute(instance, name) or Unknown()


def _loose(act: Activation, instance: ProjectObject, name: str, held: Value) -> Value:
    """Return an attribute's value, marked as loose if it may be a number that no layer has been given."""
    match held:
        case Unknown() | StaticValue(value=int() | float()):
            pass
        case StaticValue(value=value) if value is STATIC_UNKNOWN:
            pass
        case ContainerValue(kind="dict" | "tuple", items=tuple(items)):
            return replace(held, items=tuple(_loose(act, instance, name, item) for item in items))
        case _:
            return held
    return held if act.role.building or instance.info.hands_on(name) else replace(held, loose=True)


def _made(act: Activation, instance: ProjectObject, name: str, held: Value) -> Value:
    """Return an attribute's value, marked if it is unknown, and is what ``__init__`` has left on a block."""
    if not isinstance(held, Unknown) or act.role.building or not instance.info.block:
        return held
    made = instance.info.makes(name)
    only = 0 < made >= instance.info.stores(name)
    return replace(held, made=True, held=(id(instance), name)) if only else held


def _switch(instance: ProjectObject, name: str, held: Value) -> Value:
    """Return an attribute's value, marked as certain if only ``__init__`` or the class's body sets the attribute."""
    if not isinstance(held, StaticValue) or (held.among is None and not isinstance(held.value, _SWITCHES)):
        return held
    info, stores = instance.info, instance.info.stores(name)
    # A name among others, ``START, STOP = 0, 1``, is no place that a search of the text finds.
    if stores == max(info.makes(name), 1) or (stores == 0 and is_only_in_class_body(info, name)):
        return held if held.certain or held.among is not None else replace(held, certain=True)
    return replace(held, certain=False, among=None) if held.certain or held.among is not None else held


def _method(act: Activation, this: SelfRef | ContainerValue, method: ast.FunctionDef, owner: ProjectClass) -> Value:
    """Return a method of an object or of a namedtuple, or what it gives if it is a property."""
    info = this.info if isinstance(this, ContainerValue) else this.instance.info
    names = {d.id for d in method.decorator_list if isinstance(d, ast.Name)}
    if "property" in names:
        read = act.place.read
        place = read if read is not None and read.attr == method.name else method
        return enter(act, Function(method, owner, (this,)), NOTHING, place)
    if "staticmethod" in names:
        return Function(method, owner)
    if "classmethod" in names:
        return Function(method, owner, () if info is None else (ClassRef(info),))
    if not method.decorator_list:
        return Function(method, owner, (this,))
    scope = Activation(act.run, owner.module, None, owner=owner, mode=act.mode, role=Role(building=True))
    made = decorate(scope, method, Function(method, owner))
    if isinstance(made, SelfRef) and isinstance(this, SelfRef):
        return _got(act, this, made, method.decorator_list[0])
    if isinstance(made, CachedFunction) and isinstance(made.function, Function):
        return CachedFunction(replace(made.function, bound=(this, *made.function.bound)))
    return replace(made, bound=(this, *made.bound)) if isinstance(made, Function) else made


def _got(act: Activation, this: SelfRef, held: SelfRef, place: ast.expr | None) -> Value:
    """Return the value of a descriptor, an object kept as a class attribute, on an instance: its ``__get__`` result."""
    getter, where = held.instance.info.method("__get__"), act.place.read or place
    if getter is None or where is None:
        return held
    given = ArgumentsEvent((where, where), (this, ClassRef(this.instance.info)), {}, {})
    return enter(act, Function(*getter, (held,)), given, where)


def store_attribute(act: Activation, target: ast.Attribute, value: Value, statement: ast.AST) -> None:
    """Perform ``owner.name = value``."""
    owner = evaluate(act, target.value)
    note_stored(act, owner, target.attr, value, statement)
    if isinstance(owner, SelfRef):
        if act.role.building:
            value = _kept(value)
            owner.instance.note(target.attr, value, statement)
        elif not owner.instance.local:
            _emit_own_store(act, target, owner, value, statement)
        if isinstance(value, BlockRef) and owner.instance.info.block:
            value = replace(value, stray=False)
        act.flow.narrowed.pop(target.attr, None)
        if owner == act.this:
            act.flow.names[f"self.{target.attr}"] = value
        if not owner.instance.info.block and not owner.instance.imported:
            owner.instance.attributes[target.attr] = value
            act.run.reuse.changed |= not (act.role.building or owner.instance.local)
    elif isinstance(owner, Unknown) and isinstance(target.value, ast.Name) and target.value.id in act.flow.names:
        if owner.held is not None:
            emit_store(act, statement, target, owner, value)
        act.run.owners.add(target.value.id)
        act.flow.names[f"{target.value.id}.{target.attr}"] = value
    elif isinstance(owner, ContainerValue) and owner.kind == "record" and owner.keys is not None:
        emit_store(act, statement, target, owner, value)
        rebind(act, target.value, with_field(owner, target.attr, value))
    elif isinstance(owner, Tensor):
        act.emit(AttributeStore, target, value=owner, name=target.attr)
    else:
        emit_store(act, statement, target, owner, value)


def _emit_own_store(act: Activation, target: ast.Attribute, owner: SelfRef, value: Value, statement: ast.AST) -> None:
    """Emit an event for an attribute that the trace stores on an object which outlives the call."""
    carried = (id(owner.instance), target.attr) in act.run.trail.state_read
    dialect = act.run.project.dialect
    emptied = is_emptied(owner.instance.info, target.attr, value)
    if emptied or is_stored_as_itself(target, statement, dialect.keeping):
        carried = False
    if target.attr in act.place.made_once:
        carried = carried and depends_on_inputs(value)
    # What the call reads of F was stored by this call, and nobody reads it after the call.
    own_functions = isinstance(value, Namespace) and target.attr not in act.place.made_once
    # What the call emptied before, and empties again, holds nothing after it either.
    own = (id(owner.instance), target.attr) in act.run.trail.state_stored
    emptied |= own and isinstance(value, ContainerValue) and value.items == ()
    lazy = target.attr in act.place.made_once and not holds_arrays(value)
    back = act.node is not None and statement in given_back(act.node)
    carried = carried and not back
    constant = emptied or own_functions or lazy or back or _is_constant(value)
    lazy_child = isinstance(value, BlockRef) and target.attr in act.place.made_once
    body = act.holder("self")[1] if constant and not carried else None
    if (carried or not constant or body in dialect.runs_all) and not lazy_child:
        act.emit(
            SideEffect,
            statement,
            kind="attribute",
            target=f"self.{target.attr}",
            carried=carried,
            body=body,
            tally=is_tally(act, statement, target),
            data=depends_on_inputs(value),
        )
    if isinstance(statement, ast.Assign) and runs_always(act.node, statement):
        # Wherever the function is called, it stores this.
        act.run.trail.state_stored.add((id(owner.instance), target.attr))


def remove_attribute(act: Activation, target: ast.Attribute, statement: ast.AST) -> None:
    """Perform ``del owner.name``."""
    owner = evaluate(act, target.value)
    if not isinstance(owner, SelfRef):
        emit_store(act, statement, target, owner, None)
        return
    if not act.role.building and not owner.instance.local:
        carried = (id(owner.instance), target.attr) in act.run.trail.state_read
        act.emit(SideEffect, statement, kind="attribute", target=f"self.{target.attr}", carried=carried)
    act.flow.names.pop(f"self.{target.attr}", None)


def _is_constant(value: Value) -> bool:
    return isinstance(value, StaticValue) and value.value is not STATIC_UNKNOWN


def _kept(value: Value) -> Value:
    return CapturedArray(value.type, kept=True) if isinstance(value, CapturedArray) else value
