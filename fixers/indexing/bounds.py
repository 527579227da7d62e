"""Bounds that are not numbers in the text: whether operators take the same part of an axis as a subscript.

Measured: ``F.slice`` equals ``x[begin:end]`` for all integers and None, except that it raises for a `begin` before the
front, where the subscript begins at the front. A part of size 0 raises in a subscript.
"""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import StaticValue, Unknown
from hybridlint.fixers.evidence.numbers_kept import keeps_number
from hybridlint.fixers.evidence.sizes.axis_size import axis_of
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.sizes import parse, reads_shape
from hybridlint.fixers.toolkit.nodes import binary
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.syntax import walk


def takes_the_same(frame: CodeContext, data: ast.expr, keys: ast.expr, key: ast.Slice) -> bool:
    """Return whether ``F.slice`` surely takes what a slice takes, one of the `keys` in a subscript of `data`."""
    if key.step is not None or not all(_is_python(frame, bound) for bound in (key.lower, key.upper)):
        return False
    if key.lower is None or (literal(key.lower) or 0) >= 0 == _is_open(key.lower):
        return True
    if counts_up(frame, key.lower) or _is_one_row(key.lower, key.upper):
        return True
    return key.upper is None and _has_the_rest(frame, data, keys, key)


def stays_inside(frame: CodeContext, data: ast.expr, keys: ast.expr, key: ast.Slice) -> bool:
    """Return whether a slice, one of the `keys` in a subscript of `data`, reaches no further than its axis.

    A part that begins at a number and has no end would be empty behind the axis; that the number is not in front of it
    is what `takes_the_same` answers. A part that ends where the statement takes such a part ends inside.
    """
    match key:
        case ast.Slice(lower=ast.expr() as lower, upper=None, step=None):
            return _is_number(frame, lower)
        case ast.Slice(lower=None | ast.Constant(value=0), upper=ast.expr() as upper, step=None):
            behind = ast.unparse(keys).replace(ast.unparse(key), f"{ast.unparse(upper)}:")
            return _is_number(frame, upper) and _takes(frame, data, behind)
    return False


def _is_number(frame: CodeContext, node: ast.expr) -> bool:
    """Return whether a bound is a number, and not None."""
    match node:
        case ast.BinOp(left=left, right=right):
            return all(literal(part) is not None or _is_number(frame, part) for part in (left, right))
    return keeps_number(frame, node) or counts_up(frame, node)


def from_end(frame: CodeContext, data: ast.expr, axis: int, bound: ast.expr) -> int | None:
    """Return `k` of a bound ``t - k`` if `t` is the size of the cut axis; None for other bounds."""
    match bound:
        case ast.BinOp(left=left, op=ast.Sub(), right=right) if (literal(right) or 0) > 0:
            reader = SizeInference(frame)
            size = reader.size(left)
            return literal(right) if size is not None and size == axis_of(reader.axes(data), axis) else None
    return None


@record(frozen=True, slots=True)
class EndBound:
    """A bound counted from the end of its axis: None for its size ``t``, ``-k`` for ``t - k``.

    Not `sure`: `k` may be 0, or the size is that of another tensor's axis, which is taken to be as long.
    """

    new: cst.BaseExpression
    sure: bool


def counted_from_end(frame: CodeContext, data: ast.expr, axis: int, bound: ast.expr) -> EndBound | None:
    """Return a bound ``x.shape[1] - k`` of an axis as a number counted from its end; None for other bounds."""
    subtracted: list[ast.expr] = []
    size = bound
    while isinstance(size, ast.BinOp) and isinstance(size.op, ast.Sub):
        subtracted.insert(0, size.right)
        size = size.left
    reader = SizeInference(frame)
    if not reader.reads_tensor(size) or any(map(reader.reads_tensor, subtracted)):
        return None
    known, read = reader.size(size), parse(size)
    own = known is not None and known == axis_of(reader.axes(data), axis)
    if not own and (read is None or read.plain is None or read.plain[1] != axis):
        return None
    new = expression("None")
    for place, part in enumerate(subtracted):
        taken = frame.concrete(part)
        new = binary(new, ast.Sub(), taken) if place else expression("-{taken}", taken=taken)
    positive = any((literal(part) or 0) > 0 for part in subtracted) and len(subtracted) == 1
    return EndBound(new, own and (not subtracted or positive))


def counts_up(frame: CodeContext, node: ast.expr) -> bool:
    """Return whether an expression is the name of a loop over ``range`` or ``enumerate``, which has no negative number.

    A loop over the sizes of a tensor is left to the fixes that repair it as a whole.
    """
    if not isinstance(node, ast.Name) or frame.function is None:
        return False
    bindings = frame.flow.reaching(node)
    loops = [n for n in walk(frame.function) if isinstance(n, ast.For | ast.comprehension)]
    counted = {id(_counter(loop.target, loop.iter)) for loop in loops}
    return bool(bindings) and all(id(binding.node) in counted for binding in bindings)


def _counter(target: ast.expr, iterated: ast.expr) -> ast.expr | None:
    """Return the target of a loop that counts its steps from a number of at least 0, else None."""
    match target, iterated:
        case ast.Tuple(elts=[counter, _]), ast.Call(func=ast.Name(id="enumerate"), args=[_], keywords=[]):
            return counter
    return target if _is_count(iterated) else None


def _is_count(node: ast.expr) -> bool:
    if reads_shape(node):
        return False
    match node:
        case ast.Call(func=ast.Name(id="range"), args=[_], keywords=[]):
            return True
        case ast.Call(func=ast.Name(id="range"), args=[start, _], keywords=[]):
            return (literal(start) or 0) >= 0 == _is_open(start)
    return False


def _is_open(node: ast.expr) -> bool:
    return literal(node) is None


def _is_python(frame: CodeContext, node: ast.expr | None) -> bool:
    """Return whether a bound is left out or a Python value, as far as is known."""
    return node is None or literal(node) is not None or isinstance(frame.seen.value(node), StaticValue | Unknown)


def _is_one_row(lower: ast.expr, upper: ast.expr | None) -> bool:
    """Return whether bounds are ``i`` and ``i + 1``: before the front, such a part would be empty."""
    match upper:
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Constant(value=1)):
            return ast.unparse(left) == ast.unparse(lower)
    return False


def _has_the_rest(frame: CodeContext, data: ast.expr, keys: ast.expr, key: ast.Slice) -> bool:
    """Return whether the statement also takes the part before a slice that begins at `key.lower`.

    That part would be empty for a bound before the front.
    """
    lower = key.lower
    if lower is None or frame.statement is None:
        return False
    return _takes(frame, data, ast.unparse(keys).replace(f"{ast.unparse(lower)}:", f":{ast.unparse(lower)}"))


def _takes(frame: CodeContext, data: ast.expr, keys: str) -> bool:
    """Return whether the statement takes a part of the same data."""
    taken = (n for n in walk(frame.statement or ast.Pass()) if isinstance(n, ast.Subscript))
    return any((ast.unparse(n.value), ast.unparse(n.slice)) == (ast.unparse(data), keys) for n in taken)
