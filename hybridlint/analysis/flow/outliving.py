"""What outlives a call: containers and objects of the block, of the module or of a default, and changes of them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from hybridlint.analysis.model.events import SideEffect
from hybridlint.analysis.model.values import (
    Block,
    ClassRef,
    Concrete,
    External,
    Function,
    Items,
    Outputs,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.state import Activation


def outlives(act: Activation, node: ast.expr, value: Value | None = None) -> bool:
    """Whether a container belongs to the block, the module or a default: what is put there stays after the call.

    So does what a closure has that ``__init__`` made. What a function in a control flow operator finds outside of it
    outlives the function, which runs once at the trace.
    """
    if isinstance(value, Items) and value.kept:
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
    """Return the control flow operator in whose function a container of the function around it is changed."""
    base = _base(container)
    return act.holder(base.id)[1] if isinstance(base, ast.Name) and not act.is_global(base.id) else None


def _base(node: ast.expr) -> ast.expr | None:
    """Return the expression that a container is a part of, None where that is self."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            return None
        node = node.value
    return node


def _is_own_state(node: ast.expr) -> bool:
    """Whether an expression is what self consists of: ``vars(self)``, ``type(self)``."""
    match node:
        case ast.Call(func=ast.Name(id="vars" | "type" | "super"), args=[ast.Name(id="self")]):
            return True
        case _:
            return False


def tell_change(act: Activation, place: ast.AST, container: ast.expr, *, emptied: bool = False) -> None:
    """Tell that a container is changed that belongs to the block.

    To empty it before it is read carries nothing from call to call: what is told is how it is filled.
    """
    owner = id(act.this.instance) if act.this is not None else 0
    names = {(owner, n.attr) for n in walk(container) if isinstance(n, ast.Attribute)}
    body = body_around(act, container)
    carried = body is None and (bool(names & act.run.trail.state_read) or not names)
    if emptied and not carried and body is None:
        return
    act.tell(SideEffect, place, kind="append", target=act.module.source.code(container), carried=carried, body=body)


def note_read(act: Activation, owner: Value, name: str, place: ast.expr | None = None) -> None:
    """Take down that the call reads an attribute of what outlives it, known by itself or by how it is written."""
    if act.building or act.against_default:
        return
    known = _identity(owner)
    if known is None and place is not None and isinstance(owner, Unknown | Items) and outlives(act, place):
        known = _key(place)
    if known is not None:
        act.run.trail.state_read.add((known, name))


def tell_store(act: Activation, place: ast.AST, target: ast.Attribute, owner: Value, value: Value | None) -> None:
    """Tell a store of an attribute, or that it is deleted (`value` None), on a class, a function, a child or a module.

    What neither earlier calls nor the inputs make is the same whenever it is stored.
    """
    known = _identity(owner)
    if known is None and not (isinstance(owner, Unknown | Items) and outlives(act, target.value)):
        return
    carried = (_key(target.value) if known is None else known, target.attr) in act.run.trail.state_read
    if carried or value is None or depends_on_inputs(value):
        text = act.module.source.code(target)
        act.tell(SideEffect, place, kind="attribute", target=text, carried=carried)


def depends_on_inputs(value: Value) -> bool:
    """Whether a value is made of what the block is called with."""
    if isinstance(value, Items):
        return any(map(depends_on_inputs, (value.each,) if value.items is None else value.items))
    return isinstance(value, Outputs | Concrete) or (isinstance(value, Tensor) and value.origin != "constant")


def _identity(owner: Value) -> int | None:
    """Return a number that stands for an object; None for those that a call may have made, or that are not known."""
    match owner:
        case ClassRef(info=info):
            return id(info)
        case Function(node=node, closure=closure):
            # One that the call itself makes does not outlive it.
            return None if getattr(closure, "building", True) is False else id(node)
        case Block(creation=ast.AST() as made, stray=False):
            return id(made)
        case External(name=name) if name.startswith("file:"):
            return hash(name)
        case _:
            return None


def _key(node: ast.expr) -> int:
    return hash(ast.dump(node))
