"""Available tensors with the shape that a new tensor gets, as the code of a function shows."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, TensorAxes
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.toolkit.names import dotted_parts, parent_of
from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.records import record
from hybridlint.text.parameters import required_of
from hybridlint.text.syntax import children, each, walk


@record(frozen=True, slots=True)
class Alike:
    """A named tensor of a wanted shape.

    It is not `sure` if child blocks were assumed to keep the first axis of their input. `of_its_dtype` says that an
    operator takes both and lets them have one dtype only.
    """

    read: ast.Name
    sure: bool = True
    of_its_dtype: bool = False
    #: Its axes of the wanted sizes, by their places in the shape, if its own shape is another one.
    places: Mapping[int, int] | None = None
    #: Its axes along which the shape has 1, if it has the shape's sizes along all others.
    singles: tuple[int, ...] | None = None


def tensor_of_shape(
    frame: CodeContext, made: ast.expr, shape: Sequence[ast.expr], kept: Collection[int] = ()
) -> Alike | None:
    """Return a tensor bound where another one is `made`, which has its shape, or else its sizes of other tensors.

    The axes in `kept` need no tensor. None if the code shows none.
    """
    operand = _operand_beside(frame, made) if len(shape) > 1 else None
    if operand is not None:
        return operand
    at_hand = list(_bound_at(frame, made))
    readers = [SizeInference(frame, guess=guess) for guess in (False, True)]
    for whole in (True, False):
        for reader in readers:
            guess = reader.guess
            known = [reader.size(node) for node in shape]
            sizes = [size for size in known if size is not None]
            asked = [place for place, node in enumerate(shape) if is_asked(frame, node, known[place])]
            if len(sizes) < len(known) or not asked:
                return None
            for read in at_hand:
                axes = reader.axes(read)
                wanted = [] if whole else [place for place in asked if place not in kept]
                places = None if axes is None else _places(sizes, axes, wanted, whole=whole)
                if axes is None or places is None:
                    continue
                if whole:
                    return Alike(read, sure=not guess)
                return Alike(read, sure=not guess, places=places, singles=_singles(sizes, axes, places))
    return None


def _singles(sizes: Sequence[AxisSize], axes: TensorAxes, places: Mapping[int, int]) -> tuple[int, ...] | None:
    """Return the axes where a shape has 1 and a tensor any size; None unless all other sizes agree."""
    rest = tuple(place for place in range(len(sizes)) if place not in places)
    in_place = all(place == axis for place, axis in places.items()) and len(axes.sizes) == len(sizes)
    return rest if axes.whole and in_place and all(sizes[place] == AxisSize(()) for place in rest) else None


def is_asked(frame: CodeContext, node: ast.expr, size: AxisSize | None) -> bool:
    """Whether a size has to be read from a tensor, because the code has no number or setting for it."""
    if size is None or size.sized:
        return True
    names = (part.id for part in walk(node) if isinstance(part, ast.Name))
    return any(isinstance(n, ast.Attribute) and n.attr == "shape" for n in walk(node)) or any(
        frame.flow.rebindings_of(name) for name in names
    )


def _places(
    sizes: Sequence[AxisSize], axes: TensorAxes, asked: Sequence[int], *, whole: bool
) -> Mapping[int, int] | None:
    """Return the axes of a tensor that have the requested sizes, keyed by their positions in a shape."""
    if whole:
        return {} if axes.whole and axes.sizes == tuple(sizes) else None
    found: dict[int, int] = {}
    for place in asked:
        fitting = [axis for axis, own in enumerate(axes.sizes) if own == sizes[place]]
        if not fitting:
            return None
        found[place] = place if place in fitting else fitting[0]
    return found


def _operand_beside(frame: CodeContext, made: ast.expr) -> Alike | None:
    """Return the other operand of an operator on a new tensor that needs two tensors of one shape."""
    call = parent_of(frame, made, frame.function)
    if not isinstance(call, ast.Call) or made not in call.args:
        return None
    path, here = dotted_parts(call.func) or ("",), call.args.index(made)
    operator = lookup.function(path[1:-1], path[-1]) if path[0] == frame.functions else None
    if operator is None or len(call.args) > len(operator.inputs):
        return None
    found = [
        Alike(other, of_its_dtype=properties.share_dtype(operator, here, place))
        for place, other in enumerate(call.args)
        if isinstance(other, ast.Name) and other is not made and properties.share_shape(operator, here, place)
    ]
    tensors = [alike for alike in found if isinstance(frame.seen.value(alike.read), Tensor)]
    return next((alike for alike in tensors if alike.of_its_dtype), tensors[0] if tensors else None)


def _bound_at(frame: CodeContext, made: ast.expr) -> Iterator[ast.Name]:
    """Yield reads of tensors by names that surely mean the same where another tensor is made, the nearest first."""
    function = frame.function
    if not isinstance(function, ast.FunctionDef):
        return
    statements = _statements_of(function)
    here = statements[id(made)]
    given = {*required_of(function.args)}
    inside = {id(node) for node in walk(made)}
    reads = [read for read in each(function, ast.Name) if frame.flow.version(read) is not None]
    rows = {id(n): statements[id(n)].lineno for n in reads}
    for read in sorted(reads, key=lambda n: (abs(rows[id(n)] - here.lineno), n.col_offset)):
        version, held = frame.flow.version_before(here, read.id), frame.seen.value(read)
        same = version is not None and version == frame.flow.version(read)
        bound = version is not None and (not version.is_given or read.id in given)
        if same and bound and id(read) not in inside and isinstance(held, Tensor) and not held.optional:
            yield read


def _statements_of(function: ast.FunctionDef) -> dict[int, ast.stmt]:
    """Return, by the id of each node in a function, the innermost statement that contains it."""
    found: dict[int, ast.stmt] = {id(function): function}
    for node in walk(function):
        for child in children(node):
            found[id(child)] = child if isinstance(child, ast.stmt) else found[id(node)]
    return found
