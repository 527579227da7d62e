"""Objects that a block holds, such as schedules, and the block's calls that read values which their methods change."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from hybridlint.analysis.model.events import CodeContext, SideEffect
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.evidence.properties import is_property
from hybridlint.fixers.evidence.unconditional_code import function_around
from hybridlint.fixers.toolkit.class_hierarchy import methods_in
from hybridlint.text.syntax import is_dotted, walk

#: Methods that tell a block, whose own code is where a read of its state is named.
_OF_BLOCKS = frozenset({ENTRY, "forward"})


def asked_of_object(event: SideEffect) -> ast.expr | None:
    """Return the first read of state that the same object's own method changes; None if none is known.

    ``self.beta.value`` is that place, where the trace calls ``self.beta.step()`` beside it, and what ``step`` changes
    is what ``value`` reads. A method that returns what it has changed, ``self.beta.step() * kl``, is asked itself.
    """
    owner, _, attribute = event.target.rpartition(".")
    if owner != "self" or not attribute.isidentifier():
        return None
    places = [place for place, method in _places(event.frame) if _reads(event, method, attribute)]
    return min(places, key=lambda place: (place.lineno, place.col_offset)) if places else None


def _places(frame: CodeContext) -> Iterator[tuple[ast.expr, ast.FunctionDef]]:
    """Yield the call from a block to the event's object, and the block's other reads of that object.

    Each comes with the method of the object that answers.
    """
    if frame.class_name is None or not isinstance(frame.function, ast.FunctionDef):
        return
    tree, methods = frame.source.tree, methods_in(frame.source.tree, frame.class_name)
    if not methods.keys().isdisjoint(_OF_BLOCKS):
        return
    entered = frame.function
    for site in reversed(frame.calls):
        caller = function_around(tree, site.node) if site.source is frame.source else None
        if caller is None:
            return
        if caller not in methods.values():
            yield site.node, entered
            yield from _asked_beside(caller, site.node, methods)
            return
        entered = caller


def _asked_beside(
    caller: ast.FunctionDef, call: ast.expr, methods: Mapping[str, ast.FunctionDef]
) -> Iterator[tuple[ast.expr, ast.FunctionDef]]:
    """Yield the other calls and properties of the object whose method is called, in the same function."""
    match call:
        case ast.Call(func=ast.Attribute(value=held, attr=name)) if name in methods and is_dotted(held):
            holder = ast.unparse(held)
        case _:
            return
    calls = {id(node.func): node for node in walk(caller) if isinstance(node, ast.Call)}
    for node in walk(caller):
        if isinstance(node, ast.Attribute) and node.attr in methods and ast.unparse(node.value) == holder:
            asked, method = calls.get(id(node)), methods[node.attr]
            if asked is not None or is_property(method):
                yield asked or node, method


def _reads(event: SideEffect, method: ast.FunctionDef, attribute: str) -> bool:
    """Return whether a method, or a method that it calls, reads an attribute, other than in the changing statement."""
    methods = methods_in(event.frame.source.tree, event.frame.class_name)
    changed = {id(node) for node in walk(event.node)}
    waiting = [method]
    for one in waiting:
        for node in walk(one):
            match node:
                case ast.Attribute(value=ast.Name(id="self"), attr=name, ctx=ast.Load()) if id(node) not in changed:
                    if name == attribute:
                        return True
                    if name in methods and methods[name] not in waiting:
                        waiting.append(methods[name])
                case _:
                    pass
    return False
