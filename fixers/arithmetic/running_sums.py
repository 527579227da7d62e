"""The fixer of running sums: ``total += part`` in a loop, where the first step binds the name to its part."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext, InPlace
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.nodes import assignment, binary
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import holds, reads, walk


def running_sum(event: InPlace) -> Fix | None:
    """Write ``total += part`` in a loop as ``total = total + part``, if the first step made `total` of its part.

        total = 0
        for layer in self.layers:
            x, part = layer(x)
            total = total + part

    The sum starts as a number, or as None and then ``total = part``. In place, no step may change its shape, so that
    `part` has that of the first step, or broadcasts into it, which is why the fix is unsafe. None if something else may
    hold the array that is changed in place.
    """
    node, frame = event.node, event.frame
    match node:
        case ast.AugAssign(target=ast.Name(id=name), op=ast.Add() | ast.Sub(), value=value):
            loop = _loop(frame, node, name)
        case _:
            return None
    if loop is None or frame.function is None or not isinstance(event.target, Tensor):
        return None
    if not _starts_with_its_part(frame.function, node, loop) or _is_kept(frame, name, loop):
        return None
    new = assignment([name], binary(frame.concrete(node.target), node.op, frame.concrete(value)))
    return rewrite(frame, node, new, Applicability.UNSAFE)


def _loop(frame: CodeContext, node: ast.AST, name: str) -> ast.For | None:
    """Return the outermost loop around a statement in which the sum does not start anew."""
    loops = [n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.For) and holds(n, node)]
    running = [loop for loop in loops if not any(_starts(each, name) for each in walk(loop))]
    return min(running, key=lambda loop: loop.lineno, default=None)


def _starts(node: ast.AST, name: str) -> bool:
    """Whether a statement binds a name to a number or None."""
    match node:
        case ast.Assign(targets=[ast.Name(id=bound)], value=ast.Constant(value=int() | float() | None)):
            return bound == name
    return False


def _starts_with_its_part(function: ast.AST, node: ast.AugAssign, loop: ast.For) -> bool:
    """Whether a name is a number or None before a loop, and inside only the part that it adds."""
    assert isinstance(node.target, ast.Name)
    name, start, first = node.target.id, False, False
    known: set[int] = {id(node.target)}
    for each in (n for n in walk(function) if isinstance(n, ast.Assign)):
        match each:
            case ast.Assign(targets=[ast.Name(id=bound) as target], value=value) if bound == name:
                number, part = _starts(each, name), holds(loop, each) and ast.dump(value) == ast.dump(node.value)
                if not (number or part):
                    return False
                start, first = start or number, first or part
                known.add(id(target))
    stores = (n for n in walk(function) if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load))
    return start and all(id(n) in known for n in stores) and (not first or _is_fresh(function, node.value, loop))


def _is_fresh(function: ast.AST, part: ast.expr, loop: ast.For) -> bool:
    """Whether each step binds the name of a part anew, and reads it only for the running sum."""
    if not isinstance(part, ast.Name):
        return isinstance(part, ast.Call | ast.BinOp)
    uses = [n for n in walk(function) if isinstance(n, ast.Name) and n.id == part.id]
    read = [n for n in uses if isinstance(n.ctx, ast.Load)]
    stores = [n for n in uses if not isinstance(n.ctx, ast.Load)]
    bound = any(holds(each, store) for store in stores for each in loop.body if isinstance(each, ast.Assign))
    return bound and len(read) == 2 and all(holds(loop, n) for n in uses)


def _is_kept(frame: CodeContext, name: str, loop: ast.For) -> bool:
    """Whether a loop reads a sum in another way than to ask whether there is one yet."""
    for read in reads(loop, name):
        test = parent_of(frame, read, loop)
        asked = isinstance(test, ast.Compare) and all(isinstance(op, ast.Is | ast.IsNot) for op in test.ops)
        if not asked:
            return True
    return False
