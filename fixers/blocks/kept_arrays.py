"""Reads of an array that a block keeps: directly, through names, or moved to the device of an input."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import BlockRef
from hybridlint.fixers.evidence.fixed_values import MOVES
from hybridlint.fixers.toolkit.names import block_around, bound_value, class_around, classes_in
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import delete_statement
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import each, walk


def in_method(frame: CodeContext) -> CodeContext:
    """Return the frame of the method that contains a nested function or lambda; any other frame as it is."""
    function = frame.function
    if function is None or class_around(frame) is not None:
        return frame
    parts = (part for owner in classes_in(frame.source) for part in owner.body)
    methods = (part for part in parts if isinstance(part, ast.FunctionDef) and part.name != "__init__")
    around = next((method for method in methods if any(n is function for n in walk(method))), None)
    return frame if around is None else replace(frame, function=around)


def kept_array(frame: CodeContext, node: ast.expr) -> ast.expr:
    """Return ``self.c`` of ``-self.c.reshape(...)``: what methods and a minus are applied to, also behind names.

    So too of ``self.c[labels]``, and of ``self.child(self.c)``, where a child is given nothing else.
    """
    seen = set[ast.Name]()
    while True:
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if lookup.of_tensors(name) or name in MOVES:
                node = inner
            case ast.UnaryOp(op=ast.USub(), operand=inner) | ast.Attribute(value=inner, attr="T"):
                node = inner
            case ast.Subscript(value=inner):
                node = inner
            case ast.Call(func=function, args=[inner], keywords=[]) if isinstance(frame.seen.value(function), BlockRef):
                node = inner
            case ast.Name() if node not in seen:
                seen.add(node)
                node = bound_value(frame, node)
            case _:
                return node


@record(frozen=True, slots=True)
class ArrayRead:
    """An expression that reads the array alone: the attribute of self, or that moved to a device."""

    whole: ast.expr
    attribute: ast.Attribute


def argument_in_place(
    frame: CodeContext, function: ast.FunctionDef, attributes: Sequence[ast.Attribute], name: str
) -> list[Fix | None] | None:
    """Return the fixes by which a function reads an argument in the place of some attributes of self.

    A graph has its parameters where its inputs are: moves to a device go. So does a statement that binds the array to
    the name of the argument. None if the function uses that name for anything else.
    """
    reads = [_read(function, attribute) for attribute in attributes]
    gone: list[ast.Assign] = []
    for stored in {n.id for n in each(function, ast.Name) if isinstance(n.ctx, ast.Store)}:
        stores = _stores(function, stored)
        first = [] if stores is None else [store for store in stores if not _moves_on(store)]
        alone = len(first) == 1 and any(read.whole is first[0].value for read in reads)
        if stored == name and not alone:
            return None
        if alone and stores is not None:
            gone += [store for store in stores if stored == name or store is not first[0]]
    if any(len(block_around(frame, store) or ()) <= 1 for store in gone):
        return None
    inside = {id(n) for store in gone for n in walk(store)}
    message = "The argument is on the device of the block"
    kept = [read for read in reads if id(read.attribute) not in inside]
    return [
        *(delete_statement(frame, store, Applicability.UNSAFE, message=message) for store in gone),
        *(rewrite(frame, read.whole, cst.Name(name), Applicability.UNSAFE) for read in kept),
    ]


def _read(function: ast.FunctionDef, attribute: ast.Attribute) -> ArrayRead:
    """Return the read of an attribute, with the calls around it that move it to a device."""
    whole: ast.expr = attribute
    while True:
        outer = next((call for call in each(function, ast.Call) if _moved(call) is whole), None)
        if outer is None:
            return ArrayRead(whole, attribute)
        whole = outer


def _moved(node: ast.expr) -> ast.expr | None:
    """Return the expression that a call moves to a device; None for any other expression."""
    match node:
        case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in MOVES:
            return inner
    return None


def _moves_on(store: ast.Assign) -> bool:
    """Whether a statement binds what a name holds to it once more, on another device: ``w = w.as_in_context(ctx)``."""
    held = _moved(store.value)
    return isinstance(held, ast.Name) and held.id == ast.unparse(store.targets[0])


def _stores(function: ast.AST | None, name: str) -> list[ast.Assign] | None:
    """Return the statements that bind a name alone to a value; None if anything else binds it."""
    found = [n for n in each(function or ast.Pass(), ast.Name) if n.id == name and not isinstance(n.ctx, ast.Load)]
    made = [n for n in each(function or ast.Pass(), ast.Assign) if len(n.targets) == 1 and n.targets[0] in found]
    return made if len(made) == len(found) else None
