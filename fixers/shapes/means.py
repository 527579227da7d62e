"""Fixers of sums divided by the number of what they add up: means."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, TensorAxes, product
from hybridlint.fixers.evidence.sizes.shape_guesses import root_of
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.sizes import elements, parse
from hybridlint.fixers.toolkit.names import dotted_parts, parent_of
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite, safe_if, together
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.edits import Applicability, Fix, FixKind
from hybridlint.text.syntax import walk


@record(frozen=True, slots=True)
class _Quotient:
    """A sum divided by numbers, ``x.sum(axis=1) / h / w``: the whole, the call that adds up, and the divisors."""

    whole: ast.BinOp
    added: ast.Call
    divisors: tuple[ast.expr, ...]


def as_mean(frame: CodeContext, size: ast.expr) -> Fix | None:
    """Write ``F.sum(x, axis=1) / x.shape[1]`` as ``F.mean(x, axis=1)``, and ``x.sum() / x.size`` as ``x.mean()``.

    `size` is the divisor, or a part of it: ``x.sum(axis=(2, 3)) / (x.shape[2] * x.shape[3])``.
    """
    inner: ast.AST = size
    while isinstance(around := parent_of(frame, inner), ast.BinOp | ast.Call):
        if isinstance(around, ast.BinOp) and isinstance(around.op, ast.Div):
            fix = _mean(frame, around)
            if fix is not None:
                return fix
        inner = around
    return None


def mean_by_names(frame: CodeContext) -> Fix | None:
    """Write sums divided by sizes that names hold as means, as long as the code shows these.

    It is a step before the reads of sizes go.
    """
    if not isinstance(frame.statement, ast.Assign) or frame.function is None:
        return None
    found: list[Fix] = []
    for statement in (n for n in walk(frame.function) if isinstance(n, ast.stmt) and not hasattr(n, "body")):
        there, inside = replace(frame, statement=statement), set[int]()
        for node in walk(statement):
            if isinstance(node, ast.BinOp) and id(node) not in inside and _reads_names(node):
                fix = _mean(there, node)
                inside |= set() if fix is None else {id(part) for part in walk(node)}
                found += [] if fix is None else [fix]
    if not found:
        return None
    applicability = safe_if(*(fix.applicability is Applicability.SAFE for fix in found))
    return replace(together(found[0], *found[1:]), applicability=applicability, kind=FixKind.STEP)


def _reads_names(node: ast.BinOp) -> bool:
    """Whether an expression divides by names that are no shapes."""
    parts = [*walk(node.right)]
    if not isinstance(node.op, ast.Div):
        return False
    return any(isinstance(n, ast.Name) for n in parts) and not any(isinstance(n, ast.Attribute) for n in parts)


def _mean(frame: CodeContext, whole: ast.BinOp) -> Fix | None:
    found = _quotient(whole)
    summed = None if found is None else _summed(frame, found.added)
    if found is None or summed is None:
        return None
    rows, axes = summed
    single = axes if axes is None or len(axes) > 1 else axes[0]
    if len(found.divisors) == 1 and (root_of(rows), single) == _counted(found.divisors[0]):
        return _written(frame, found, sure=True)
    for guess in (False, True):
        reader = SizeInference(frame, guess=guess)
        known = [size for each in found.divisors if (size := reader.size(_number(each))) is not None]
        if len(known) < len(found.divisors) or not product(known).sized:
            return None
        data = reader.axes(rows)
        if data is not None and product(known) == _extent(data, axes):
            return _written(frame, found, sure=not guess)
    return None


def _quotient(whole: ast.BinOp) -> _Quotient | None:
    divisors: list[ast.expr] = []
    node: ast.expr = whole
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
        divisors.append(node.right)
        node = node.left
    match node:
        case ast.Call(func=ast.Attribute(attr="sum")) if divisors:
            return _Quotient(whole, node, tuple(divisors))
    return None


def _number(node: ast.expr) -> ast.expr:
    """Return the number that ``float(n)`` converts; other expressions as they are."""
    match node:
        case ast.Call(func=ast.Name(id="float"), args=[inner], keywords=[]):
            return inner
    return node


def _extent(data: TensorAxes, axes: Sequence[int] | None) -> AxisSize | None:
    """Return how many elements a sum along axes, or along all, adds up per result; None if unknown."""
    if axes is None:
        return product(data.sizes) if data.whole else None
    if any(not -len(data.sizes) <= axis < len(data.sizes) or (axis < 0 and not data.whole) for axis in axes):
        return None
    return product(data.sizes[axis] for axis in axes)


def _written(frame: CodeContext, found: _Quotient, *, sure: bool) -> Fix | None:
    function = found.added.func
    assert isinstance(function, ast.Attribute)
    new = expression("{receiver}.mean", receiver=frame.concrete(function.value))
    return rewrite(frame, found.whole, concrete_with(frame, found.added, {function: new}), safe_if(sure))


def _summed(frame: CodeContext, call: ast.Call) -> tuple[ast.expr, tuple[int, ...] | None] | None:
    """Return the tensor that a sum adds up, and its axes, None meaning all; None if unclear."""
    assert isinstance(call.func, ast.Attribute)
    path, values = dotted_parts(call.func.value), list(call.args)
    if path not in {(frame.functions,), (frame.functions, "np")}:
        values.insert(0, call.func.value)
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    given.pop("keepdims", None)
    axis = values[1] if len(values) == 2 else given.pop("axis", None)
    numbers = [] if axis is None else [literal(each) for each in elements(axis)]
    axes = tuple(number for number in numbers if number is not None)
    if not 1 <= len(values) <= 2 or given or len(axes) < len(numbers):
        return None
    return values[0], None if axis is None else axes


def _counted(size: ast.expr) -> tuple[str, int | None] | None:
    """Return the tensor and the axis whose size an expression reads; the axis is None for all elements."""
    match size:
        case ast.Attribute(value=ast.Name(id=name), attr="size"):
            return name, None
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            return name, 0
    found = parse(size)
    return None if found is None else found.plain
