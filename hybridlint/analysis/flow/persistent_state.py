"""State that outlives a call: containers and objects of the block, the module or a default, and changes to them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.flow.certain_statements import runs_always
from hybridlint.analysis.flow.reporting_names import own_attribute, tallies
from hybridlint.analysis.flow.restored_attributes import given_back
from hybridlint.analysis.model.events import SideEffect
from hybridlint.analysis.model.lattice import parts
from hybridlint.analysis.model.values import (
    BlockRef,
    CapturedArray,
    ClassRef,
    ContainerValue,
    DataDependentValue,
    External,
    Function,
    ModuleFile,
    Outputs,
    SelfRef,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.run.run import StoredValue
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation


#: Links of a chain that are gone along, from each of its links: what hangs on longer ones belongs to nobody.
_MOST_LINKS = 100


def outlives(act: Activation, node: ast.expr, value: Value | None = None) -> bool:
    """Return whether a container belongs to the block, the module or a default, so that changes to it persist.

    This includes the containers of a closure that ``__init__`` made. For a function inside a control flow operator,
    which runs once at the trace, it includes every container from outside that function.
    """
    if isinstance(value, ContainerValue) and value.kept:
        return True
    if act.this is not None and act.this.instance.local and isinstance(node, ast.Attribute):
        return False
    base = _base(node)
    if base is None or _is_own_state(base):
        return True
    if not isinstance(base, ast.Name):
        return False
    known = act.is_global(base.id) or act.is_shared_default(base.id)
    return known or act.is_kept(base.id) or body_around(act, node) is not None


def body_around(act: Activation, container: ast.expr) -> str | None:
    """Return the control flow operator whose function changes a container from outside that function, or None."""
    base = _base(container)
    return act.holder(base.id)[1] if isinstance(base, ast.Name) and not act.is_global(base.id) else None


def _base(node: ast.expr) -> ast.expr | None:
    """Return the expression at the root of a chain of attributes and subscripts, None if the root is self."""
    for _ in range(_MOST_LINKS):
        if not isinstance(node, ast.Attribute | ast.Subscript):
            break
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            return None
        node = node.value
    return node


def _is_own_state(node: ast.expr) -> bool:
    """Return whether an expression gives access to self's own state: ``vars(self)``, ``type(self)``."""
    match node:
        case ast.Call(func=ast.Name(id="vars" | "type" | "super"), args=[ast.Name(id="self")]):
            return True
        case _:
            return False


def emit_change(act: Activation, place: ast.AST, container: ast.expr, *, emptied: bool = False) -> None:
    """Emit an event for a change of a container that belongs to the block.

    Emptying a container before anything reads it carries no state between calls, so only filling it is reported.
    """
    if act.node is not None and act.place.statement in given_back(act.node):
        return
    body = body_around(act, container)
    carried = body is None and is_carried(act, container)
    if emptied and not carried and body is None:
        return
    target, tally = act.module.source.code(container), is_tally(act, place, container)
    act.emit(SideEffect, place, kind="append", target=target, carried=carried, body=body, tally=tally)


def is_tally(act: Activation, place: ast.AST, container: ast.expr) -> bool:
    """Return whether a change only counts or times calls for people to read, and depends on no input."""
    if own_attribute(container) not in tallies(act.module.source.tree) or _is_entry(place):
        return False
    names = (n.id for n in walk(place) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return all(isinstance(act.lookup(name), SelfRef | StaticValue | External) for name in names)


def _is_entry(place: ast.AST) -> bool:
    """Return whether a change adds a constant to a list, as an entry of a protocol."""
    return isinstance(place, ast.Call) and all(isinstance(part, ast.Constant) for part in place.args)


def is_carried(act: Activation, container: ast.expr) -> bool:
    """Return whether the call may already have read a container of the block, with what earlier calls left in it."""
    owner = id(act.this.instance) if act.this is not None else 0
    names = {(owner, n.attr) for n in walk(container) if isinstance(n, ast.Attribute)}
    return bool(names & act.run.trail.state_read) or not names


def note_read(act: Activation, owner: Value, name: str, place: ast.expr | None = None) -> None:
    """Record that the call reads an attribute of an object that outlives it.

    The object is identified by itself, or else by the expression `place`.
    """
    if act.role.building or act.place.against_default:
        return
    known = _identity(owner)
    if known is None and place is not None and isinstance(owner, Unknown | ContainerValue) and outlives(act, place):
        known = _key(place)
    if isinstance(owner, BlockRef):
        known = _filled_by_call(act, owner, name) or known
    if known is not None:
        note_found(act, (known, name))
        if (known, name) not in act.run.trail.state_stored:
            act.run.trail.state_read.add((known, name))


def _filled_by_call(act: Activation, block: BlockRef, name: str) -> int | None:
    """Return the identity of a child whose attribute the current trace stored while it called the child, else None."""
    for one in block.alternatives or (block,):
        instance = None if one.info is None else act.run.blocks.instances.get(one.info)
        if instance is None or (id(instance), name) not in act.run.trail.state_stored:
            return None
        known = id(instance)
    return known


def note_found(act: Activation, state: tuple[int, str]) -> None:
    """Record whether this call or an earlier one stored the attribute that is read."""
    read = act.place.read
    if read is not None and read.attr == state[1] and not act.role.building:
        own = state in act.run.trail.state_stored
        (act.run.seen.own if own else act.run.seen.left).add(read)


def note_stored(act: Activation, owner: Value, name: str, value: Value, place: ast.AST) -> None:
    """Record that code stores an attribute, if an analysis collects stores."""
    if act.run.blocks.stored is not None:
        act.run.blocks.stored.append(StoredValue(owner, name, value, place))


def note_emptied(act: Activation, container: ast.expr) -> None:
    """Record that the call empties a container of its object. Later reads of it see only this call's items."""
    match container:
        case ast.Attribute(value=ast.Name(id="self"), attr=name) if act.this is not None:
            if act.place.statement in getattr(act.node, "body", ()):
                act.run.trail.state_stored.add((id(act.this.instance), name))
                act.run.seen.left.discard(container)
                act.run.seen.own.add(container)
        case _:
            return


def emit_store(act: Activation, place: ast.AST, target: ast.Attribute, owner: Value, value: Value | None) -> None:
    """Emit an event for an attribute stored on a class, function, child or module, or deleted (`value` None).

    A store of a value that depends neither on earlier calls nor on the inputs stores the same thing each time, and is
    not reported.
    """
    known = _identity(owner)
    if known is None and not (isinstance(owner, Unknown | ContainerValue) and outlives(act, target.value)):
        return
    state = (_key(target.value) if known is None else known, target.attr)
    carried = state in act.run.trail.state_read
    if isinstance(place, ast.Assign) and runs_always(act.node, place):
        act.run.trail.state_stored.add(state)
    if carried or value is None or depends_on_inputs(value):
        text = act.module.source.code(target)
        data = value is None or depends_on_inputs(value)
        act.emit(SideEffect, place, kind="attribute", target=text, carried=carried, data=data)


def depends_on_inputs(value: Value) -> bool:
    """Return whether a value depends on the inputs of the block."""
    if isinstance(value, ContainerValue):
        return any(map(depends_on_inputs, parts(value)))
    return isinstance(value, Outputs | DataDependentValue) or (isinstance(value, Tensor) and value.origin != "constant")


def holds_arrays(value: Value) -> bool:
    """Return whether a value is an array or a container of arrays."""
    if isinstance(value, ContainerValue):
        return any(map(holds_arrays, parts(value)))
    return isinstance(value, Tensor | Outputs | CapturedArray)


def _identity(owner: Value) -> int | None:
    """Return a number that identifies an object, None if it is unknown or the call itself may have made it."""
    match owner:
        case ClassRef(info=info):
            return id(info)
        case Function(node=node, closure=closure):
            # A function that the call itself makes does not outlive the call.
            return None if getattr(closure, "building", True) is False else id(node)
        case BlockRef(creation=ast.AST() as made, stray=False):
            return id(made)
        case ModuleFile(name=name):
            return hash(name)
        case Unknown(held=(_, _) as held):
            return hash(held)
        case _:
            return None


def _key(node: ast.expr) -> int:
    return hash(ast.dump(node))
