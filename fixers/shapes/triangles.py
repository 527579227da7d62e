"""Fixer of matrices with ones on one side of the diagonal, as wide as an axis: masks of later steps."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.positions import counting
from hybridlint.fixers.shapes.requested_dtypes import requested_dtype
from hybridlint.fixers.shapes.sized_call_rules import SizeRead
from hybridlint.fixers.shapes.sizes import elements, parse
from hybridlint.fixers.toolkit.names import ARRAYS, dotted_parts, parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record
from hybridlint.text.edits import Applicability, Fix

#: Functions that keep a triangle of a matrix, with the diagonal at which it ends -> row and column compared.
TRIANGLES = {("tril", 0): ">=", ("triu", 0): "<=", ("tril", -1): ">", ("triu", 1): "<"}

#: Each comparison -> the one that gives zeros where it gives ones.
_OPPOSITE = {">=": "<", "<": ">=", "<=": ">", ">": "<="}

#: The modules whose functions make arrays of numpy.
_NUMPY = (("np",), ("numpy",), ("onp",), ("_np",))


@record(frozen=True, slots=True)
class _Triangle:
    """Ones on one side of the diagonal of a square as wide as an axis, after axes of size 1."""

    call: ast.Call
    axis: tuple[str, int]
    compared: str
    leading: int


def triangle(event: SizeRead, ones: ast.Call) -> Fix | None:
    """Write ``nd.array(np.tril(np.ones((n, n))))`` of an ``n = x.shape[1]`` as a comparison of the axis's positions.

    Row `i` and column `j` are compared: ``i >= j`` for ``np.tril``, ``i <= j`` for ``np.triu``, and without the
    diagonal ``>`` and ``<``. It is safe: all of these give ones and zeros, in the dtype that the array has.
    """
    frame, functions = event.frame, event.frame.functions
    found = _triangle(frame, ones)
    made = None if found is None else _made(frame, found.call, found.compared)
    if found is None or made is None or functions is None:
        return None
    whole, compared = made
    given = {keyword.arg: keyword.value for keyword in whole.keywords if keyword.arg != "ctx"}
    dtype = requested_dtype(event, given.pop("dtype", None))
    if dtype is None or given:
        return None
    at = counting(event, f"{functions}.contrib", found.axis, dtype, made=whole)
    template = "{F}.{compared}({F}.expand_dims({at}, axis=1), {F}.expand_dims({at}, axis=0))"
    new = expression(template, F=functions, compared=lookup.broadcasting(compared), at=at)
    for _ in range(found.leading):
        new = expression("{F}.expand_dims({x}, axis=0)", F=functions, x=new)
    return rewrite(frame, whole, new, Applicability.SAFE)


def _triangle(frame: CodeContext, ones: ast.Call) -> _Triangle | None:
    """Return the triangle that is made of an array of ones of numpy; None if none is."""
    call = parent_of(frame, ones)
    shape = _shape_of_ones(ones)
    if shape is None or len(shape) < 2 or not isinstance(call, ast.Call):
        return None
    sizes = [parse(size) for size in shape]
    axis = None if sizes[-1] is None else sizes[-1].plain
    offset = _offset(call, ones)
    path = dotted_parts(call.func) or ("",)
    compared = None if offset is None or path[:-1] not in _NUMPY else TRIANGLES.get((path[-1], offset))
    if axis is None or compared is None or sizes[-2] != sizes[-1] or any(literal(size) != 1 for size in shape[:-2]):
        return None
    return _Triangle(call, axis, compared, len(shape) - 2)


def _shape_of_ones(ones: ast.Call) -> list[ast.expr] | None:
    path = dotted_parts(ones.func) or ("",)
    if path[-1] != "ones" or path[:-1] not in _NUMPY or any(keyword.arg != "dtype" for keyword in ones.keywords):
        return None
    return elements(ones.args[0]) if ones.args else None


def _offset(call: ast.Call, ones: ast.expr) -> int | None:
    """Return the diagonal where a triangle ends; None if it is no number or more arguments exist."""
    match call.args, call.keywords:
        case [first], [] if first is ones:
            return 0
        case ([first, offset], []) | ([first], [ast.keyword(arg="k", value=offset)]) if first is ones:
            return literal(offset)
    return None


def _made(frame: CodeContext, triangle: ast.expr, compared: str) -> tuple[ast.Call, str] | None:
    """Return the call that makes an array of MXNet of a triangle, and the comparison that gives it.

    Numpy may cast it before, and turn its ones into zeros.
    """
    outer = parent_of(frame, triangle)
    match outer:
        case ast.Attribute(attr="astype"):
            cast = parent_of(frame, outer)
            return _made(frame, cast, compared) if isinstance(cast, ast.Call) and cast.func is outer else None
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[number]) if left is triangle and literal(number) == 0:
            return _made(frame, outer, _OPPOSITE[compared])
        case ast.BinOp(left=number, op=ast.Sub(), right=right) if right is triangle and literal(number) == 1:
            return _made(frame, outer, _OPPOSITE[compared])
        case ast.Call(func=function, args=[first]) if first is triangle:
            path = dotted_parts(function) or ("",)
            array = path[-1] == "array" and (path[:-1] in ARRAYS or path[:-1] == (frame.functions,))
            return (outer, compared) if array else None
    return None
