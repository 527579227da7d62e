"""Fixer of tensors that a loop fills item by item: ``y = F.zeros_like(x)``, ``for t in range(n): y[:, t] = row``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.dataflow.scopes import names_in
from hybridlint.analysis.model.events import CodeContext, TensorStore
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, axis_of
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.indexing.keys import literal, whole_slice
from hybridlint.fixers.toolkit.names import block_around, dotted_parts
from hybridlint.fixers.toolkit.statements import insert_statements, join_fixes, replace_statements
from hybridlint.fixers.toolkit.templates import statements
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk

#: What ends a loop, or one of its steps, before its end: not all items are stored then.
_ENDING = (ast.Break, ast.Continue, ast.Return, ast.Try)


@record(frozen=True, slots=True)
class _Count:
    """The number of steps of a loop, and whether it counts from their end."""

    size: ast.expr
    turned: bool


def filled_by_loop(event: TensorStore) -> Fix | None:
    """Replace a new tensor whose items a loop stores by a list that the loop fills, and its stack.

    The code must show that the loop has as many steps as the axis has items, so that the loop overwrites the whole
    tensor. Unsafe: an item that is smaller than its row was broadcast, and cast to the dtype of the tensor.
    """
    frame, node, target, functions = event.frame, event.node, event.target.value, event.frame.functions
    if functions is None or not isinstance(node, ast.Assign) or not isinstance(target, ast.Name):
        return None
    if not isinstance(event.value, Tensor) or event.value.mode != "legacy" or node.targets != [event.target]:
        return None
    loop = _loop_of(frame, node)
    block = None if loop is None else block_around(frame, loop)
    if loop is None or block is None:
        return None
    count, axis = _count(loop.iter), _axis(event.target.slice, loop)
    made = _made(frame, block[: block.index(loop)], target.id)
    if count is None or axis is None or made is None or not _is_item(event.value, event.new, axis):
        return None
    size = _size_of(frame, made.value, axis)
    if _reads(loop, target) or size is None or size != SizeInference(frame).size(count.size):
        return None
    message, unsafe = "Stack what the loop stores", Applicability.UNSAFE
    template = "{name}.insert(0, {item})" if count.turned else "{name}.append({item})"
    added = statements(template, name=target.id, item=frame.concrete(node.value))
    stacked = statements("{name} = {F}.stack(*{name}, axis={axis})", name=target.id, F=functions, axis=axis)
    fixes = [
        replace_statements(frame, made, statements("{name} = []", name=target.id), unsafe, message=message),
        replace_statements(frame, node, added, unsafe, message=message),
        insert_statements(frame, stacked, unsafe, message=message, after=loop),
    ]
    return join_fixes(message, fixes)


def _loop_of(frame: CodeContext, node: ast.Assign) -> ast.For | None:
    """Return the loop each step of which runs a statement once; None if it may end early."""
    loops = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.For) and node in n.body)
    loop = next(loops, None)
    if loop is None or loop.orelse or any(isinstance(part, _ENDING) for part in walk(loop)):
        return None
    return loop


def _count(source: ast.expr) -> _Count | None:
    """Return how many steps a loop has that counts from 0, or down to it; None for any other loop."""
    match source:
        case ast.Call(func=ast.Name(id="range"), args=[size], keywords=[]):
            return _Count(size, turned=False)
        case ast.Call(func=ast.Name(id="range"), args=[first, size], keywords=[]) if literal(first) == 0:
            return _Count(size, turned=False)
        case ast.Call(
            func=ast.Name(id="reversed"), args=[ast.Call(func=ast.Name(id="range"), args=[size], keywords=[])]
        ):
            return _Count(size, turned=True)
        case ast.Call(
            func=ast.Name(id="range"), args=[ast.BinOp(left=size, op=ast.Sub(), right=one), stop, step], keywords=[]
        ) if (literal(one), literal(stop), literal(step)) == (1, -1, -1):
            return _Count(size, turned=True)
    return None


def _axis(key: ast.expr, loop: ast.For) -> int | None:
    """Return the axis along which a key ``[:, t]`` takes the item that a loop has come to."""
    keys = list(key.elts) if isinstance(key, ast.Tuple) else [key]
    written = [(axis, part) for axis, part in enumerate(keys) if not whole_slice(part)]
    match written, loop.target:
        case [(axis, ast.Name(id=read))], ast.Name(id=counter) if read == counter:
            return None if counter in names_in(*loop.body).stores else axis
    return None


def _made(frame: CodeContext, before: Sequence[ast.stmt], name: str) -> ast.Assign | None:
    """Return the statement that makes a tensor, the last one before a loop with its name; None for others."""
    last = next((s for s in reversed(before) if any(_is_name(n, name) for n in walk(s))), None)
    match last:
        case ast.Assign(targets=[ast.Name(id=bound)], value=value) if bound == name and _filler(frame, value):
            return last
    return None


def _filler(frame: CodeContext, value: ast.expr) -> ast.Call | None:
    """Return the call of F that creates a tensor filled with a number, even if cast and scaled later."""
    match value:
        case ast.BinOp(left=ast.Call() as inner, right=factor) if literal(factor) is not None or _is_float(factor):
            return _filler(frame, inner)
        case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr="astype")):
            return _filler(frame, inner)
        case ast.Call(args=[_, *_]) as call:
            path = dotted_parts(call.func) or ("",)
            name = path[-1]
            fills = lookup.takes_shape(name) or lookup.like(name.removesuffix("_like")) == name
            return call if path[:-1] == (frame.functions,) and fills else None
    return None


def _is_float(node: ast.expr) -> bool:
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _is_float(inner)
        case ast.Constant(value=value):
            return isinstance(value, float)
    return False


def _size_of(frame: CodeContext, made: ast.expr, axis: int) -> AxisSize | None:
    """Return the size of an axis of what a call makes, as its arguments show it."""
    call, reader = _filler(frame, made), SizeInference(frame)
    assert call is not None
    match call.args[0]:
        case ast.Tuple(elts=sizes):
            return reader.size(sizes[axis]) if axis < len(sizes) else None
        case ast.Call(func=ast.Attribute(attr="tile"), keywords=[ast.keyword(arg="reps", value=ast.Tuple(elts=sizes))]):
            return reader.size(sizes[axis]) if axis < len(sizes) and literal(sizes[axis]) != 1 else None
        case like:
            return axis_of(reader.axes(like), axis)


def _is_item(whole: Tensor, item: object, axis: int) -> bool:
    """Whether a tensor may fill a row of another without broadcasting: one axis less, and equal sizes."""
    if not isinstance(item, Tensor) or item.optional:
        return False
    made, given = whole.type.shape, item.type.shape
    if given is None or made is None:
        return given is None or bool(given)
    rest = (*made[:axis], *made[axis + 1 :])
    numbers = zip(rest, given, strict=False)
    return len(rest) == len(given) and all(a == b or not (isinstance(a, int) or isinstance(b, int)) for a, b in numbers)


def _reads(loop: ast.For, target: ast.Name) -> bool:
    """Whether a loop mentions a tensor but where it stores an item."""
    return any(_is_name(n, target.id) and n is not target for n in walk(loop))


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name
