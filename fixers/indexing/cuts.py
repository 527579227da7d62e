"""Cuts: the part of each axis that a basic subscript takes, and the operators that take the same part."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import StaticValue, Value
from hybridlint.fixers.indexing.bounds import counts_up, from_end, stays_inside, takes_the_same
from hybridlint.fixers.indexing.keys import is_ellipsis, is_none, literal
from hybridlint.fixers.toolkit.nodes import binary
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import record, replace
from hybridlint.runtime.facts.types import TensorType
from hybridlint.text import cst
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    Bound: TypeAlias = int | cst.BaseExpression | None


@record(frozen=True, slots=True)
class Cut:
    """The part of one axis that a subscript takes.

    Open bounds are None. `known` holds the bounds as numbers; `drops` says that an integer removes the axis. `alike`
    says that the operator surely takes the same part although the bounds are no numbers, and `inside` that they surely
    lie within the axis. `key` is the slice in the file.
    """

    axis: int
    begin: Bound
    end: Bound
    step: Bound
    known: tuple[int | None, int | None] | None
    drops: bool
    alike: bool = False
    inside: bool = False
    key: ast.Slice | None = None

    @property
    def whole(self) -> bool:
        """Whether the cut leaves the axis unchanged."""
        return not self.drops and self.begin is None and self.end is None and self.step in {None, 1}


@record(frozen=True, slots=True)
class CutPlan:
    """A basic subscript by axis: the cuts, and the positions at which None inserts axes afterwards."""

    cuts: tuple[Cut, ...]
    inserted: tuple[int, ...]

    @property
    def dropped(self) -> list[int]:
        """The axes that the subscript removes, by an integer each, in order."""
        return sorted(cut.axis for cut in self.cuts if cut.drops)

    @property
    def cuts_axes(self) -> bool:
        """Whether the subscript leaves anything out, or inserts axes."""
        return bool(self.inserted) or not all(cut.whole for cut in self.cuts)

    @property
    def keeping(self) -> CutPlan:
        """The same plan, which keeps these axes with a size of 1."""
        return replace(self, cuts=tuple(replace(cut, drops=False) for cut in self.cuts))


def plan_cuts(
    frame: CodeContext, node: ast.Subscript, keys: Sequence[ast.expr], values: Sequence[Value], known: TensorType
) -> CutPlan | None:
    """Assign each key of a subscript to its axis. None if a key is neither integer, slice, None nor Ellipsis."""
    if sum(is_ellipsis(key) for key in keys) > 1:
        return None
    dots = next((i for i, key in enumerate(keys) if is_ellipsis(key)), len(keys))
    front, back = list(keys[:dots]), list(keys[dots + 1 :])
    cuts: list[Cut] = []
    inserted: list[int] = []
    axis = place = 0
    for key, value in zip(front, values[:dots], strict=True):
        if is_none(key):
            inserted.append(place)
            place += 1
            continue
        cut = _cut(frame, node, key, value, axis)
        if cut is None:
            return None
        cuts.append(cut)
        axis += 1
        place += not cut.drops
    axis = place = -1
    for key, value in zip(reversed(back), reversed(values[dots + 1 :]), strict=True):
        if is_none(key):
            inserted.append(place)
            place -= 1
            continue
        cut = _cut(frame, node, key, value, axis if known.rank is None else known.rank + axis)
        if cut is None:
            return None
        cuts.append(cut)
        axis -= 1
        place -= not cut.drops
    return CutPlan(tuple(cuts), tuple(inserted))


def write(functions: str, base: cst.BaseExpression, plan: CutPlan, known: TensorType) -> cst.BaseExpression | None:
    """Return the expression that applies the plan to `base`; None for a step on an axis counted from the end.

    It uses flip, slice_axis or slice, then squeeze for integers and expand_dims for None.
    """
    new = base
    active = [cut for cut in plan.cuts if not cut.whole]
    only = active[0] if len(active) == 1 else None
    if only is not None and (only.begin, only.end, only.step) == (None, None, -1):
        new = expression("{F}.flip({data}, axis={axis})", F=functions, data=new, axis=only.axis)
    elif only is not None and only.step in {None, 1} and (only.axis < 0 or _axis_fits(only, known)):
        new = _slice_axis(functions, new, only)
    elif active and all(cut.axis >= 0 for cut in active):
        new = _slice(functions, new, active)
    elif any(cut.step not in {None, 1} for cut in active):
        return None
    else:
        for cut in active:
            new = _slice_axis(functions, new, cut)
    dropped = plan.dropped
    if dropped:
        axes = dropped[0] if len(dropped) == 1 else expression("({axes},)", axes=dropped)
        new = expression("{F}.squeeze({data}, axis={axes})", F=functions, data=new, axes=axes)
    for place in plan.inserted:
        new = expression("{F}.expand_dims({data}, axis={place})", F=functions, data=new, place=place)
    return new if new is not base else expression("{F}.identity({data})", F=functions, data=base)


def _slice_axis(functions: str, base: cst.BaseExpression, cut: Cut) -> cst.BaseExpression:
    template = "{F}.slice_axis({data}, axis={axis}, begin={begin}, end={end})"
    begin = 0 if cut.begin is None else cut.begin
    return expression(template, F=functions, data=base, axis=cut.axis, begin=begin, end=cut.end)


def _slice(functions: str, base: cst.BaseExpression, cuts: Sequence[Cut]) -> cst.BaseExpression:
    by_axis = {cut.axis: cut for cut in cuts}
    row = [by_axis.get(axis) for axis in range(max(by_axis) + 1)]
    begin, end, step = ([getattr(cut, name, None) for cut in row] for name in ("begin", "end", "step"))
    template = "{F}.slice({data}, begin=({begin},), end=({end},))"
    if any(s not in {None, 1} for s in step):
        template = "{F}.slice({data}, begin=({begin},), end=({end},), step=({step},))"
        return expression(template, F=functions, data=base, begin=begin, end=end, step=step)
    return expression(template, F=functions, data=base, begin=begin, end=end)


def _cut(frame: CodeContext, node: ast.Subscript, key: ast.expr, value: Value, axis: int) -> Cut | None:
    if isinstance(key, ast.Slice):
        return _slice_cut(frame, node, key, axis)
    number = literal(key)
    if number is None and isinstance(value, StaticValue) and isinstance(value.value, int):
        number = None if isinstance(key, ast.Constant) else value.value if not _varies(key) else None
    if number is not None:
        end = None if number == -1 else number + 1
        return Cut(axis, number, end, None, (number, end), drops=True)
    if isinstance(value, StaticValue) and isinstance(key, ast.Name | ast.Attribute | ast.BinOp):
        if isinstance(value.value, int) and value.value < 0:
            return None
        begin = frame.concrete(key)
        behind = binary(begin, ast.Add(), cst.Integer("1"))
        return Cut(axis, begin, behind, None, None, drops=True, alike=counts_up(frame, key))
    return None


def _varies(key: ast.expr) -> bool:
    """Whether the key's value may change between evaluations, as a loop variable does."""
    return any(isinstance(part, ast.Name) for part in walk(key))


def _slice_cut(frame: CodeContext, node: ast.Subscript, key: ast.Slice, axis: int) -> Cut | None:
    if isinstance(key.step, ast.Constant | ast.UnaryOp) and literal(key.step) is None and not is_none(key.step):
        return None
    behind = [None if part is None else from_end(frame, node.value, axis, part) for part in (key.lower, key.upper)]
    lower, upper = (literal(part) if k is None else -k for part, k in zip((key.lower, key.upper), behind, strict=True))
    bounds = [
        *(_bound(frame, part) if k is None else -k for part, k in zip((key.lower, key.upper), behind, strict=True)),
        _bound(frame, key.step),
    ]
    # On an axis that is shorter than a number, the size less that number is another place than the number from the end.
    doubtful = any(k is not None and k > 1 for k in behind)
    parts = zip((key.lower, key.upper), (lower, upper), strict=True)
    numbers = not doubtful and all(part is None or number is not None for part, number in parts)
    known = (lower, upper) if numbers else None
    empty = lower is not None and upper is not None and (lower < 0) == (upper < 0) and lower >= upper
    if empty and key.step is None:
        return None
    alike = known is None and not doubtful and takes_the_same(frame, node.value, node.slice, key)
    inside = known is None and stays_inside(frame, node.value, node.slice, key)
    return Cut(axis, bounds[0], bounds[1], bounds[2], known, drops=False, alike=alike, inside=inside, key=key)


def _bound(frame: CodeContext, node: ast.expr | None) -> Bound:
    if node is None or is_none(node):
        return None
    number = literal(node)
    return frame.concrete(node) if number is None else number


def _axis_fits(cut: Cut, known: TensorType) -> bool:
    """Whether the bounds surely lie within the axis, as slice_axis raises on others."""
    if cut.drops:
        return True
    if cut.known is None:
        return cut.inside or _begins_inside(cut)
    begin, end = cut.known
    size = _size(cut.axis, known)
    if begin is not None and begin < -1 and (size is None or begin < -size):
        return False
    return end is None or end < 0 or (size is not None and end <= size)


def _begins_inside(cut: Cut) -> bool:
    """Whether a part reaches from something that is no number, counted from the start, to the end of the axis.

    Eagerly it begins inside the axis too, as arrays take no parts of size 0.
    """
    return (
        isinstance(cut.begin, cst.BaseExpression) and cut.end is None and not isinstance(cut.begin, cst.UnaryOperation)
    )


def within(cut: Cut, known: TensorType) -> bool:
    """Whether the operator surely gives the subscript's result, even for bounds beyond the end of the axis."""
    if cut.known is None:
        return cut.alike and cut.axis >= 0
    begin, end = cut.known
    if cut.drops or cut.whole:
        return True
    size = _size(cut.axis, known)
    if begin is not None and begin < -1 and (size is None or begin < -size):
        return False
    return cut.axis >= 0 or end is None or end < 0 or (size is not None and end <= size)


def _size(axis: int, known: TensorType) -> int | None:
    if known.shape is None or not -len(known.shape) <= axis < len(known.shape):
        return None
    size = known.shape[axis]
    return size if isinstance(size, int) else None
