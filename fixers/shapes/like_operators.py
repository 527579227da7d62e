"""Tensors that are made in a shape of sizes, written like a tensor of that shape: zeros_like, broadcast_like."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.carried_dtypes import meets_dtype, takes_dtype
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, axis_of, of_number
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.evidence.sizes.tensors_of_shape import Alike, is_asked, tensor_of_shape
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.requested_dtypes import DEFAULT
from hybridlint.fixers.shapes.sizes import broadcast_along, elements
from hybridlint.fixers.toolkit.arguments import data_and_rest, filling
from hybridlint.fixers.toolkit.names import ARRAYS, dotted_parts
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.edits import Fix
from hybridlint.text.syntax import walk

_SPREADS = "broadcast_to"


@record(frozen=True, slots=True)
class Likeness:
    """A call that makes a tensor with a shape of `sizes`, and the tensor `alike` that has these sizes.

    `alike` is None if the data have all sizes of tensors already.

    `data` is the tensor that is broadcast to the shape, or the number that fills it; None for zeros and ones. `kept`
    are the axes of the data that have their size already.
    """

    call: ast.Call
    sizes: tuple[ast.expr, ...]
    alike: Alike | None
    sure: bool
    data: ast.expr | None = None
    kept: frozenset[int] = frozenset()
    #: Whether the data may have 1 or their size already along another axis: only a whole shape lets them have either.
    open: bool = False

    @property
    def replaced(self) -> ast.expr:
        """The node of the file that the fix replaces."""
        return self.call

    def written(self, frame: CodeContext, within: Mapping[ast.expr, cst.BaseExpression]) -> cst.BaseExpression:
        """Return the replacement of that node. `within` maps nodes inside the data to their replacements."""
        assert isinstance(self.call.func, ast.Attribute)
        data = None if self.data is None else _with_parts(frame, self.data, within)
        if self.call.func.attr == _SPREADS:
            assert data is not None
            return self._spread(frame, data)
        assert self.alike is not None
        if self.alike.places is not None:
            return self._along(frame, self._with_ones(frame, self.alike.places), self.alike.places)
        like = "ones_like" if data is not None else lookup.like(self.call.func.attr)
        namespace = f"{frame.functions}.np" if frame.mode == "np" else frame.functions
        new = expression("{F}.{like}({x})", F=namespace, like=like, x=self.alike.read.id)
        return new if data is None else expression("{ones} * {filler}", ones=new, filler=data)

    def _spread(self, frame: CodeContext, data: cst.BaseExpression) -> cst.BaseExpression:
        """Return the data, broadcast to the shape: numbers and settings in it stay with broadcast_to."""
        whole = None if self.alike is None else self._whole(frame, self.alike)
        if whole is not None:
            method = (dotted_parts(self.call.func) or ("",))[0] != frame.functions
            template = "{x}.broadcast_like({like})" if method else "{F}.broadcast_like({x}, {like})"
            return expression(template, F=frame.functions, x=data, like=whole)
        places = (
            {} if self.alike is None else {k: v for k, v in (self.alike.places or {}).items() if k not in self.kept}
        )
        taken = self.kept | places.keys()
        if len(taken) < len(self.sizes):
            kept = [0 if place in taken else frame.concrete(size) for place, size in enumerate(self.sizes)]
            data = expression("{F}.broadcast_to({x}, shape=({kept},))", F=frame.functions, x=data, kept=kept)
        return self._along(frame, data, places)

    def _whole(self, frame: CodeContext, alike: Alike) -> cst.BaseExpression | None:
        """Return a tensor that has the whole shape; None if only single axes of the other tensor are meant."""
        new = expression("{x}", x=alike.read.id)
        if alike.places is None:
            return new
        for axis in alike.singles or ():
            template = "{F}.slice_axis({x}, axis={axis}, begin=0, end=1)"
            new = expression(template, F=frame.functions, x=new, axis=axis)
        return new if self.open else None

    def _with_ones(self, frame: CodeContext, places: Mapping[int, int]) -> cst.BaseExpression:
        """Return the call with 1 in the place of each size of a tensor."""
        assert isinstance(self.call.func, ast.Attribute)
        numbers = [1 if place in places else frame.concrete(size) for place, size in enumerate(self.sizes)]
        made = expression("{F}.{name}", F=frame.functions, name=self.call.func.attr)
        shape = next(node for node in walk(self.call) if isinstance(node, ast.expr) and self._is_shape(node))
        new: cst.BaseExpression = expression("({numbers},)", numbers=numbers)
        return concrete_with(frame, self.call, {self.call.func: made, shape: new})

    def _is_shape(self, node: ast.expr) -> bool:
        return elements(node) == list(self.sizes)

    def _along(self, frame: CodeContext, data: cst.BaseExpression, places: Mapping[int, int]) -> cst.BaseExpression:
        name = "" if self.alike is None else self.alike.read.id
        return broadcast_along(frame.functions or "", data, {own: (name, axis) for own, axis in places.items()})


def _with_parts(
    frame: CodeContext, node: ast.expr, within: Mapping[ast.expr, cst.BaseExpression]
) -> cst.BaseExpression:
    """Return an expression of the file with those of the given parts replaced that lie inside it."""
    inside = {id(part) for part in walk(node)}
    parts = {part: new for part, new in within.items() if id(part) in inside}
    return concrete_with(frame, node, parts) if parts else frame.concrete(node)


def like_tensor(frame: CodeContext, call: ast.Call, *, guess: bool = False) -> Fix | None:
    """Write ``F.zeros((b, h, t, t))`` as ``F.zeros_like(att)``, where the code shows that `att` has that shape."""
    found = likeness(frame, call, guess=guess)
    return None if found is None else rewrite(frame, call, found.written(frame, {}), safe_if(found.sure))


def likeness(frame: CodeContext, call: ast.Call, *, guess: bool = False) -> Likeness | None:
    """Return how to write a call that takes a shape of sizes by a tensor instead; None if impossible.

    A `guess` assumes that broadcast data have as many axes as the shape.
    """
    path = dotted_parts(call.func)
    if frame.functions is None or not isinstance(call.func, ast.Attribute):
        return None
    if call.func.attr == _SPREADS and frame.mode == "legacy":
        return _spread(frame, call, namespace=path is not None and path[0] == frame.functions, guess=guess)
    spaces = {(frame.functions, "np")} if frame.mode == "np" else {(frame.functions,), *ARRAYS}
    return _filled(frame, call, call.func.attr) if path is not None and path[:-1] in spaces else None


def _spread(frame: CodeContext, call: ast.Call, *, namespace: bool, guess: bool) -> Likeness | None:
    found = data_and_rest(call, ("shape",), namespace)
    if found is None or found[1][0] is None:
        return None
    data, sizes = found[0], tuple(elements(found[1][0]))
    own, reader = _axes(frame, data), SizeInference(frame)
    guess = guess and own is None
    if guess:
        reader = SizeInference(frame, guess=True)
        own = _first_axes(reader, data, len(sizes))
    wanted = [reader.size(size) for size in sizes]
    # Only the method adds leading axes, which broadcast_like never does.
    if (len(own) if own is not None else len(sizes) if namespace else None) != len(sizes):
        return None
    pairs = enumerate(zip(own or [None] * len(sizes), wanted, strict=True))
    kept = frozenset(k for k, (one, other) in pairs if (one is not None and one == other) or literal(sizes[k]) == 1)
    sized = {k for k, size in enumerate(sizes) if is_asked(frame, size, wanted[k])}
    alike = None if sized <= kept else tensor_of_shape(frame, call, sizes, kept)
    if alike is None:
        return Likeness(call, sizes, None, not guess, data, kept) if sized and sized <= kept else None
    is_open = any(own is None or own[place] != AxisSize(()) for place in (alike.places or {}).keys() - kept)
    if is_open and alike.singles is None:
        return None
    return Likeness(call, sizes, alike, alike.sure and not guess, data, kept, is_open)


def _first_axes(reader: SizeInference, data: ast.expr, count: int) -> Sequence[AxisSize | None] | None:
    """Return the sizes of `count` axes, the assumed rank of a tensor; None if the code shows none."""
    axes = reader.axes(data)
    if axes is None or axes.whole or not axes.sizes:
        return None
    return [axis_of(axes, place) for place in range(count)]


def _axes(frame: CodeContext, data: ast.expr) -> Sequence[AxisSize | None] | None:
    """Return the sizes of all axes of a tensor, None for unknown sizes; None if the rank is unknown."""
    held, axes = frame.seen.value(data), SizeInference(frame).axes(data)
    shape = held.type.shape if isinstance(held, Tensor) else None
    known = None if shape is None else [of_number(size) if isinstance(size, int) else None for size in shape]
    if axes is None or not axes.whole:
        return known
    return [one or other for one, other in zip(known or [None] * len(axes.sizes), axes.sizes, strict=True)]


def _filled(frame: CodeContext, call: ast.Call, name: str) -> Likeness | None:
    found = filling(call, name)
    if found is None or (found.filler is None and lookup.like(name) is None):
        return None
    given = {**found.rest}
    dtype = given.pop("dtype", None)
    if not given.keys() <= {"ctx", "device"}:
        return None
    sizes = tuple(elements(found.shape))
    alike = tensor_of_shape(frame, call, sizes)
    if alike is not None and alike.places is None and not _has_dtype(frame, call, alike, dtype):
        # Where the dtype may be another one, sizes alone are taken of the tensor.
        alike = replace(alike, places={k: k for k, size in enumerate(sizes) if literal(size) is None})
    if alike is None or (alike.places is not None and not _is_plain(frame, given, dtype)):
        return None
    return Likeness(call, sizes, alike, alike.sure, found.filler)


def _is_plain(frame: CodeContext, given: Mapping[str, ast.expr], dtype: ast.expr | None) -> bool:
    """Whether a tensor of other sizes can be created first, without a device or dtype read from a tensor."""
    return frame.mode == "legacy" and not given and not isinstance(dtype, ast.Attribute)


def _has_dtype(frame: CodeContext, call: ast.Call, alike: Alike, dtype: ast.expr | None) -> bool:
    """Whether a tensor surely has the dtype of what a call makes."""
    if alike.of_its_dtype or meets_dtype(frame, call, alike.read.id):
        return True
    held = frame.seen.value(alike.read)
    match dtype:
        case ast.Attribute(value=ast.Name(id=name), attr="dtype"):
            return takes_dtype(frame, alike.read, name)
        case ast.Constant(value=str() as wanted):
            return isinstance(held, Tensor) and held.type.dtype == wanted
        case None:
            return isinstance(held, Tensor) and held.type.dtype == DEFAULT
    return False
