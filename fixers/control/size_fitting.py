"""Fixer of tensors that are made as large as another one only where they are not: ``if x.shape != y.shape: ...``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import AttributeRead, CodeContext
from hybridlint.fixers.indexing.keys import literal, whole_slice
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.statements import taken_out
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import holds, walk

#: The axes of height and width, of images with channels first, which are all that their operators change.
_IMAGE = frozenset({2, 3})


@record(frozen=True, slots=True)
class _Sizes:
    """The sizes of a tensor that code reads: the sizes of some axes, or all sizes (None)."""

    tensor: str
    axes: frozenset[int] | None


def fitted_always(event: AttributeRead) -> Fix | None:
    """Remove ``if x.shape != y.shape:`` if its body only gives `x` the shape of `y`.

    Where the sizes are the same already, a reshape to them, a crop and a resize change nothing. Measured: a bilinear
    resize to its own size returns the numbers that it gets.
    """
    frame = event.frame
    guard = _guard(frame, event.node)
    asked = None if guard is None else _unequal(guard.test)
    match guard:
        case ast.If(body=[ast.Assign(targets=[ast.Name(id=name)], value=value)], orelse=[]) if asked is not None:
            pass
        case _:
            return None
    mine, other = asked if asked[0].tensor == name else asked[::-1]
    if mine.tensor != name or mine.tensor == other.tensor or mine.axes != other.axes:
        return None
    fits = _fits(frame, value, name, other.tensor)
    if fits is None or (mine.axes is not None and (fits.axes is None or not fits.axes <= mine.axes)):
        return None
    message = "Do it always: it changes nothing where the sizes are the same"
    return taken_out(frame, guard, Applicability.SAFE, message=message)


def _guard(frame: CodeContext, node: ast.AST) -> ast.If | None:
    """Return the `if` statement that asks for a node."""
    found = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.If))
    return next((n for n in found if holds(n.test, node)), None)


def _unequal(test: ast.expr) -> tuple[_Sizes, _Sizes] | None:
    """Return the sizes of two tensors that a test compares: whether any of them is another one."""
    match test:
        case ast.Compare(left=left, ops=[ast.NotEq()], comparators=[right]):
            one, other = _sizes(left), _sizes(right)
            return (one, other) if one is not None and other is not None else None
        case ast.BoolOp(op=ast.Or(), values=parts):
            found = [_unequal(part) for part in parts]
            return _together([pair for pair in found if pair is not None]) if None not in found else None
    return None


def _together(pairs: list[tuple[_Sizes, _Sizes]]) -> tuple[_Sizes, _Sizes] | None:
    """Return the sizes that several comparisons of the same two tensors test together."""
    one, other = pairs[0]
    for pair in pairs[1:]:
        first, second = pair if pair[0].tensor == one.tensor else pair[::-1]
        known = None not in (first.axes, second.axes, one.axes, other.axes)
        if (first.tensor, second.tensor) != (one.tensor, other.tensor) or not known:
            return None
        one = _Sizes(one.tensor, (one.axes or frozenset()) | (first.axes or frozenset()))
        other = _Sizes(other.tensor, (other.axes or frozenset()) | (second.axes or frozenset()))
    return one, other


def _sizes(node: ast.expr) -> _Sizes | None:
    match node:
        case ast.Attribute(value=ast.Name(id=name), attr="shape"):
            return _Sizes(name, None)
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=key):
            axes = _axes(key)
            return None if axes is None else _Sizes(name, axes)
    return None


def _axes(key: ast.expr) -> frozenset[int] | None:
    """Return the axes whose sizes ``shape[key]`` gives, height and width for ``[2:]`` and ``[-2:]``; else None."""
    match key:
        case ast.Slice(lower=lower, upper=None, step=None) if literal(lower) in {2, -2}:
            return _IMAGE
        case ast.Slice(lower=lower, upper=upper, step=None) if (literal(lower), literal(upper)) == (2, 4):
            return _IMAGE
    place = literal(key)
    return frozenset({place}) if place is not None and place >= 0 else None


def _fits(frame: CodeContext, value: ast.expr, name: str, like: str) -> _Sizes | None:
    """Return the sizes that an expression changes to another tensor's, if it does nothing else."""
    if isinstance(value, ast.Subscript):
        return _cropped(value, name, like)
    path = dotted_parts(value.func) if isinstance(value, ast.Call) else None
    if path is None or not isinstance(value, ast.Call):
        return None
    given = list(_given(value))
    of_space = path[0] == frame.functions and bool(given)
    tensor = ast.unparse(given.pop(0)[1]) if of_space else path[0]
    return _fitting(path[-1], given, like) if tensor == name else None


def _fitting(function: str, given: list[tuple[str, ast.expr]], like: str) -> _Sizes | None:
    """Return the sizes that a function changes to another tensor's; `given` are all arguments but the first."""
    operator, found = lookup.of_tensors(function), None
    by_shape = operator is not None and "shape" in operator.params
    by_tensor = operator is not None and function.endswith("_like") and len(operator.inputs) > 1
    match function, [(keyword, ast.unparse(node)) for keyword, node in given]:
        case _, [("" | "shape", text)] if by_shape and text == f"{like}.shape":
            found = _Sizes(like, None)
        case _, [("", text)] if by_tensor and text == like:
            found = _Sizes(like, None)
        case "slice_like", [("", text), ("axes", _)] if text == like:
            found = _listed(given[1][1], like)
        case "BilinearResize2D", [("height", height), ("width", width)]:
            sizes = (f"{like}.shape[2]", f"{like}.shape[3]")
            found = _Sizes(like, _IMAGE) if (height, width) == sizes else None
        case "BilinearResize2D", [("" | "like", text), ("mode", "'like'")] if text in {like, f"F.BlockGrad({like})"}:
            found = _Sizes(like, _IMAGE)
        case "Crop", [("", text), *_] if text == like and all(keyword in _OF_CROP for keyword, _ in given[1:]):
            found = _Sizes(like, _IMAGE)
    return found


#: What may be said to Crop without moving the part that it takes of an image of the same size.
_OF_CROP = frozenset({"center_crop", "num_args"})


def _given(call: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    yield from (("", node) for node in call.args)
    yield from ((keyword.arg or "**", keyword.value) for keyword in call.keywords)


def _listed(axes: ast.expr, like: str) -> _Sizes | None:
    elements = [literal(part) for part in axes.elts] if isinstance(axes, ast.Tuple | ast.List) else [None]
    numbers = [number for number in elements if number is not None and number >= 0]
    return _Sizes(like, frozenset(numbers)) if numbers and len(numbers) == len(elements) else None


def _cropped(value: ast.Subscript, name: str, like: str) -> _Sizes | None:
    """Return the axes that ``x[:, :, : y.shape[2]]`` cuts, each to the size of the same one of the other tensor."""
    if ast.unparse(value.value) != name:
        return None
    axes = set()
    for axis, key in enumerate(value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]):
        if whole_slice(key):
            continue
        match key:
            case ast.Slice(lower=None | ast.Constant(value=0), upper=ast.expr() as upper, step=None):
                if ast.unparse(upper) != f"{like}.shape[{axis}]":
                    return None
                axes.add(axis)
            case _:
                return None
    return _Sizes(like, frozenset(axes)) if axes else None
