"""Cuts: what a basic subscript does to each axis, and the operators that do the same."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from hybridlint.analysis.events import Frame
from hybridlint.analysis.values import Static, Value
from hybridlint.fixers.keys import is_ellipsis, is_none, literal
from hybridlint.runtime.types import TensorType
from hybridlint.syntax import walk


@dataclass(frozen=True, slots=True)
class Cut:
    """What a subscript does to one axis. Bounds are source text, "None" where open; `known` are they as numbers."""

    axis: int
    begin: str
    end: str
    step: str
    known: tuple[int | None, int | None] | None
    drops: bool

    @property
    def whole(self) -> bool:
        """Whether the axis stays as it is."""
        return not self.drops and (self.begin, self.end, self.step) in {("None", "None", "None"), ("None", "None", "1")}


@dataclass(frozen=True, slots=True)
class Plan:
    """A basic subscript, by axis: what is cut, and where dimensions are inserted afterwards."""

    cuts: tuple[Cut, ...]
    inserted: tuple[int, ...]


def plan_cuts(frame: Frame, keys: Sequence[ast.expr], values: Sequence[Value], known: TensorType) -> Plan | None:
    """Find what each key does to which axis. Returns None where a key is neither integer, slice, None nor Ellipsis."""
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
        cut = _cut(frame, key, value, axis)
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
        cut = _cut(frame, key, value, axis if known.rank is None else known.rank + axis)
        if cut is None:
            return None
        cuts.append(cut)
        axis -= 1
        place -= not cut.drops
    return Plan(tuple(cuts), tuple(inserted))


def write(functions: str, base: str, plan: Plan, known: TensorType) -> str | None:
    """Return the expression that makes the plan's cuts on `base`; None for steps along axes counted from the end."""
    text = base
    active = [cut for cut in plan.cuts if not cut.whole]
    reversals = [cut for cut in active if (cut.begin, cut.end, cut.step) == ("None", "None", "-1")]
    if len(active) == 1 and reversals:
        text = f"{functions}.flip({text}, axis={active[0].axis})"
    elif len(active) == 1 and active[0].step in {"None", "1"} and (active[0].axis < 0 or _axis_fits(active[0], known)):
        text = _slice_axis(functions, text, active[0])
    elif active and all(cut.axis >= 0 for cut in active):
        text = _slice(functions, text, active)
    elif any(cut.step not in {"None", "1"} for cut in active):
        return None
    elif active:
        for cut in active:
            text = _slice_axis(functions, text, cut)
    dropped = sorted(cut.axis for cut in plan.cuts if cut.drops)
    if dropped:
        axes = str(dropped[0]) if len(dropped) == 1 else f"({', '.join(map(str, dropped))})"
        text = f"{functions}.squeeze({text}, axis={axes})"
    for place in plan.inserted:
        text = f"{functions}.expand_dims({text}, axis={place})"
    return text if text != base else f"{functions}.identity({base})"


def _slice_axis(functions: str, base: str, cut: Cut) -> str:
    begin = "0" if cut.begin == "None" else cut.begin
    return f"{functions}.slice_axis({base}, axis={cut.axis}, begin={begin}, end={cut.end})"


def _slice(functions: str, base: str, cuts: Sequence[Cut]) -> str:
    by_axis = {cut.axis: cut for cut in cuts}
    row = [by_axis.get(axis) for axis in range(max(by_axis) + 1)]
    begin = _tuple([cut.begin if cut else "None" for cut in row])
    end = _tuple([cut.end if cut else "None" for cut in row])
    steps = [cut.step if cut else "None" for cut in row]
    step = f", step={_tuple(steps)}" if any(s not in {"None", "1"} for s in steps) else ""
    return f"{functions}.slice({base}, begin={begin}, end={end}{step})"


def _tuple(parts: Sequence[str]) -> str:
    return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"


def _cut(frame: Frame, key: ast.expr, value: Value, axis: int) -> Cut | None:
    if isinstance(key, ast.Slice):
        return _slice_cut(frame, key, axis)
    number = literal(key)
    if number is None and isinstance(value, Static) and isinstance(value.value, int):
        number = None if isinstance(key, ast.Constant) else value.value if not _varies(key) else None
    if number is not None:
        end = None if number == -1 else number + 1
        return Cut(axis, str(number), str(end), "None", (number, end), drops=True)
    if isinstance(value, Static) and isinstance(key, ast.Name | ast.Attribute | ast.BinOp):
        if isinstance(value.value, int) and value.value < 0:
            return None
        text = frame.source.code(key)
        return Cut(axis, text, f"{text} + 1", "None", None, drops=True)
    return None


def _varies(key: ast.expr) -> bool:
    """Whether the key's text stands for other values elsewhere, as a loop's variable does."""
    return any(isinstance(part, ast.Name) for part in walk(key))


def _slice_cut(frame: Frame, key: ast.Slice, axis: int) -> Cut | None:
    if isinstance(key.step, ast.Constant | ast.UnaryOp) and literal(key.step) is None and not is_none(key.step):
        return None
    bounds = [_bound(frame, key.lower), _bound(frame, key.upper), _bound(frame, key.step)]
    lower, upper = literal(key.lower), literal(key.upper)
    numbers = all(part is None or literal(part) is not None for part in (key.lower, key.upper))
    known = (lower, upper) if numbers else None
    empty = lower is not None and upper is not None and (lower < 0) == (upper < 0) and lower >= upper
    if empty and key.step is None:
        return None
    return Cut(axis, bounds[0], bounds[1], bounds[2], known, drops=False)


def _bound(frame: Frame, node: ast.expr | None) -> str:
    if node is None:
        return "None"
    number = literal(node)
    return frame.source.code(node) if number is None else str(number)


def _axis_fits(cut: Cut, known: TensorType) -> bool:
    """Whether slice_axis, which refuses bounds beyond the axis, surely takes these."""
    if cut.drops:
        return True
    if cut.known is None:
        return False
    begin, end = cut.known
    size = _size(cut.axis, known)
    if begin is not None and begin < -1 and (size is None or begin < -size):
        return False
    return end is None or end < 0 or (size is not None and end <= size)


def within(cut: Cut, known: TensorType) -> bool:
    """Whether the operator surely does what the subscript does, even where bounds reach beyond the axis."""
    if cut.known is None:
        return False
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
