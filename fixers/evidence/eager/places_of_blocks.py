"""Where a class puts the blocks that it makes: into itself, or into a container that is its attribute."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from hybridlint.text.syntax import walk

#: What may stand between a call and the place that it is put into.
_BETWEEN = (ast.Starred, ast.List, ast.Tuple, ast.ListComp, ast.GeneratorExp, ast.IfExp, ast.BoolOp)
_ADD = "add"


def containers_of(way: Sequence[ast.AST]) -> set[str] | None:
    """Return the attributes of self that contain a block, given its class name and the nodes around that name.

    The set is empty if the block is a child of self. None if it may be anywhere else.
    """
    name, call, *around = way
    if not isinstance(call, ast.Call) or call.func is not name:
        return None
    return _put(call, around)


def _put(value: ast.AST, around: Sequence[ast.AST]) -> set[str] | None:
    """Return the containers that a value goes to; `around` is everything around it, innermost first."""
    outer = list(around)
    while outer and isinstance(outer[0], _BETWEEN):
        value = outer.pop(0)
    match outer[:1]:
        case [ast.Assign(targets=targets)]:
            return _assigned(targets, outer)
        case [ast.AnnAssign(target=ast.Attribute())]:
            return set()
        case [ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id="self"), *_])]:
            return set()
        case [ast.Call(func=ast.Attribute(value=taker, attr=method)) as call] if call.func is not value:
            return _taken(taker, method, outer)
        case _:
            return None


def _assigned(targets: Sequence[ast.expr], around: Sequence[ast.AST]) -> set[str] | None:
    parts = [part for target in targets for part in (target.elts if isinstance(target, ast.Tuple) else [target])]
    if all(_own_attribute(part) is not None for part in parts):
        return set()
    match parts:
        case [ast.Name(id=name)]:
            return _followed(name, around, container=False)
        case _:
            return None


def _taken(taker: ast.expr, method: str, around: Sequence[ast.AST]) -> set[str] | None:
    """Return the containers that get what a method takes: ``self.stages.add(...)``, ``self.register_child(...)``."""
    attribute = _own_attribute(taker)
    match taker:
        case ast.Name(id="self") | ast.Call(func=ast.Name(id="super")):
            return set() if method in {_ADD, "register_child"} else None
        case ast.Attribute() if attribute is not None:
            return {attribute} if method == _ADD else set() if method == "append" else None
        case ast.Name(id=name) if method in {_ADD, "append"}:
            return _followed(name, around, container=method == _ADD)
        case _:
            return None


def _followed(name: str, around: Sequence[ast.AST], *, container: bool) -> set[str] | None:
    """Return the containers that a local name's value goes to; `container` says whether it is a container itself."""
    function = next((node for node in around if isinstance(node, ast.FunctionDef)), None)
    if function is None:
        return None
    found = [set(place) for node in walk(function) for place in _uses(node, name, container=container)]
    return set().union(*found) if found else None


def _uses(node: ast.AST, name: str, *, container: bool) -> Iterator[set[str]]:
    match node:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=attribute)], value=ast.Name(id=read)):
            if read == name:
                yield {attribute} if container else set()
        case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id="self"), _, ast.Name(id=read)]):
            if read == name and not container:
                yield set()
        case ast.Call(func=ast.Attribute(value=taker, attr=method), args=args) if not container:
            given = (arg.value if isinstance(arg, ast.Starred) else arg for arg in args)
            holder = _own_attribute(taker)
            if not any(isinstance(arg, ast.Name) and arg.id == name for arg in given):
                return
            if holder is not None and method == _ADD:
                yield {holder}
            elif isinstance(taker, ast.Name) and taker.id == "self" and method in {_ADD, "register_child"}:
                yield set()


def _own_attribute(node: ast.expr) -> str | None:
    """Return the name of an attribute of self, None for any other expression."""
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            return name
        case _:
            return None
