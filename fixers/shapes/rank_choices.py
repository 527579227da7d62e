"""Fixers of branches on the number of axes, both of which give one value a row: lengths repeated, or flattened."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import AttributeRead, CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.rank_guards import tested_rank
from hybridlint.fixers.shapes.sizes import elements, parse
from hybridlint.fixers.toolkit.arguments import data_and_rest
from hybridlint.fixers.toolkit.names import dotted_parts, parent_of
from hybridlint.fixers.toolkit.statements import replace_statements
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix


def one_way(event: AttributeRead) -> Fix | None:
    """Write a branch on ``n.ndim == 1`` that assigns `n` either way as one assignment that does for both.

    Such branches are in the masks of attention, for a vector of lengths, or one for each query. Unsafe: for tensors of
    more than two axes the other branch did something else.
    """
    frame, node = event.frame, _branch(event.frame)
    if frame.functions is None or not isinstance(event.value, Tensor):
        return None
    match node:
        case ast.If(
            body=[ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as vector)],
            orelse=[ast.Assign(targets=[ast.Name(id=other)], value=ast.Call() as matrix)],
        ) if name == other and tested_rank(node.test, name) == 1:
            new = _repeated_or_flat(event, name, vector, matrix) or _tiled(event, name, vector, matrix)
        case _:
            return None
    if new is None or node is None:
        return None
    made = statements("{name} = {new}", name=name, new=new)
    return replace_statements(
        frame, node, made, Applicability.UNSAFE, message="Compute the same for either number of axes"
    )


def _branch(frame: CodeContext) -> ast.stmt | None:
    """Return the statement of a frame, or the branch that consists of it: sizes are read there too."""
    statement, function = frame.statement, frame.function
    if isinstance(statement, ast.If) or statement is None or function is None:
        return statement
    around = parent_of(frame, statement, function)
    return around if isinstance(around, ast.If) else statement


def _repeated_or_flat(event: AttributeRead, name: str, vector: ast.Call, matrix: ast.Call) -> cst.BaseExpression | None:
    """Return an expression that repeats a vector ``x.shape[1]`` times or flattens a matrix, by broadcasting."""
    frame = event.frame
    size = _repeats(frame, vector, name)
    if size is None or frame.functions is None or not _flattens(frame, matrix, name):
        return None
    numpy = isinstance(event.value, Tensor) and event.value.mode == "np"
    return (_in_numpy_mode if numpy else _in_legacy_mode)(frame.functions, name, size)


def _tiled(event: AttributeRead, name: str, vector: ast.Call, matrix: ast.Call) -> cst.BaseExpression | None:
    """Return an expression that tiles a vector `k` times or a matrix ``(k, 1)`` times, by concatenation."""
    frame = event.frame
    found = _on_name(frame, vector, "tile", ("reps",), name), _on_name(frame, matrix, "tile", ("reps",), name)
    if None in found or frame.functions is None:
        return None
    first, second = (elements(parts[0]) if parts and parts[0] is not None else [] for parts in found)
    if len(first) != 1 or len(second) != 2 or literal(second[1]) != 1 or ast.dump(first[0]) != ast.dump(second[0]):
        return None
    numpy = isinstance(event.value, Tensor) and event.value.mode == "np"
    template = "{F}.np.concatenate([{x}] * {count})" if numpy else "{F}.concat(*[{x}] * {count}, dim=0)"
    return expression(template, F=frame.functions, x=name, count=frame.concrete(first[0]))


def _in_legacy_mode(functions: str, name: str, size: tuple[str, int]) -> cst.BaseExpression | None:
    """Return the column or matrix broadcast to the first two axes of the tensor.

    Only a whole shape lets an axis be broadcast that may have its size already.
    """
    if size[1] != 1:
        return None
    like = expression("{F}.slice_axis({F}.reshape({x}, (0, 0, -1)), axis=2, begin=0, end=1)", F=functions, x=size[0])
    template = "{F}.broadcast_like({F}.reshape({x}, (0, -1, 1)), {like}).reshape((-1,))"
    return expression(template, F=functions, x=name, like=like)


def _in_numpy_mode(functions: str, name: str, size: tuple[str, int]) -> cst.BaseExpression:
    """Numpy mode has no broadcast_like: the column is added to zeros along the axis."""
    template = (
        "({F}.npx.reshape({x}, (-2, -1)) + {F}.np.zeros_like({F}.npx.arange_like({like}, axis={axis}))).reshape(-1)"
    )
    return expression(template, F=functions, x=name, like=size[0], axis=size[1])


def _repeats(frame: CodeContext, call: ast.Call, name: str) -> tuple[str, int] | None:
    """Return the tensor and the axis whose size a call repeats the named vector by; None for other calls."""
    found = _on_name(frame, call, "repeat", ("repeats", "axis"), name)
    if found is None or found[0] is None or literal(found[1]) not in {None, 0, -1}:
        return None
    size = parse(found[0])
    return None if size is None else size.plain


def _flattens(frame: CodeContext, call: ast.Call, name: str) -> bool:
    """Whether a call flattens the named tensor to a vector."""
    found = _on_name(frame, call, "reshape", ("shape",), name) or _on_name(frame, call, "reshape", ("newshape",), name)
    return found is not None and found[0] is not None and [literal(e) for e in elements(found[0])] == [-1]


def _on_name(
    frame: CodeContext, call: ast.Call, function: str, names: tuple[str, ...], name: str
) -> list[ast.expr | None] | None:
    """Return the arguments of a call of a function or method on a named tensor; None for other calls."""
    path = dotted_parts(call.func) or ()
    if not path or path[-1] != function:
        return None
    found = data_and_rest(call, names, path[0] == frame.functions)
    if found is None or not isinstance(found[0], ast.Name) or found[0].id != name:
        return None
    return list(found[1])
