"""Basic subscripts as operators: slice_axis, slice, squeeze, expand_dims, take."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from hybridlint.analysis.events import Frame, Subscript
from hybridlint.analysis.values import Concrete, Static, Tensor, Value
from hybridlint.edits import Fix
from hybridlint.fixers.aliases import part_changes
from hybridlint.fixers.broadcasting import used_as_tensor, with_broadcasting
from hybridlint.fixers.text import argument, replace, safe_if
from hybridlint.runtime.types import TensorType

_MANY = 8


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


def subscript(event: Subscript) -> Fix | None:
    """Write ``x[key]`` with operators, on a legacy tensor. Returns None for keys that no operator covers."""
    functions, node = event.frame.functions, event.node
    if functions is None or not isinstance(node, ast.Subscript) or not isinstance(event.value, Tensor):
        return None
    if part_changes(event.frame, node):
        return None
    keys, values = flat_keys(event.keys, event.key_values)
    single = _gather(event, functions, node, keys[0], values[0]) if len(keys) == 1 else None
    return single or _cut_out(event, functions, node, keys, values)


def _cut_out(
    event: Subscript, functions: str, node: ast.Subscript, keys: Sequence[ast.expr], values: Sequence[Value]
) -> Fix | None:
    """Rewrite integers, slices, None and Ellipsis."""
    assert isinstance(event.value, Tensor)
    plan = plan_cuts(event.frame, keys, values, event.value.type)
    content = None if plan is None else write(functions, argument(event.frame, node.value), plan, event.value.type)
    if plan is None or content is None:
        return None
    certain = _assured(event, keys) and not any(isinstance(v, Concrete) for v in values)
    sure = certain and all(_within(cut, event.value.type) for cut in plan.cuts)
    fix = replace(event.frame, node, content, safe_if(sure), kept=kept_parts(node))
    if fix is None or event.value.type.shape is not None:
        return fix
    return with_broadcasting(event.frame, node, fix)


def flat_keys(keys: Sequence[ast.expr], values: Sequence[Value]) -> tuple[list[ast.expr], list[Value]]:
    """Return the keys of a subscript, where ``x[(0, 1)]`` is two of them and ``x[slice(0, 1)]`` is ``x[0:1]``."""
    if len(keys) == 1 and isinstance(keys[0], ast.Tuple):
        parts = keys[0].elts
        return [_as_slice(part) for part in parts], [Static(literal(part)) for part in parts]
    return [_as_slice(key) for key in keys], list(values)


def _as_slice(key: ast.expr) -> ast.expr:
    match key:
        case ast.Call(func=ast.Name(id="slice"), args=[stop], keywords=[]):
            return ast.copy_location(ast.Slice(None, _bound_node(stop), None), key)
        case ast.Call(func=ast.Name(id="slice"), args=[start, stop, *step], keywords=[]) if len(step) < 2:
            parts = [_bound_node(start), _bound_node(stop), _bound_node(step[0]) if step else None]
            return ast.copy_location(ast.Slice(*parts), key)
    return key


def _bound_node(node: ast.expr) -> ast.expr | None:
    return None if is_none(node) else node


def literal(node: ast.expr | None) -> int | None:
    """Return an integer that is written out, numpy's constructors included; None for anything else."""
    match node:
        case ast.Constant(value=bool() as flag):
            return int(flag)
        case ast.Constant(value=int() as number):
            return number
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
            return -number
        case ast.Call(func=ast.Attribute(attr=name), args=[only]) if name.startswith(("int", "uint")):
            return literal(only)
    return None


def _assured(event: Subscript, keys: Sequence[ast.expr]) -> bool:
    """Whether the value is surely a tensor, by the key or by what the function does with it elsewhere."""
    assert isinstance(event.value, Tensor)
    assert isinstance(event.node, ast.Subscript)
    name = event.node.value
    return proves_tensor(event.value, keys) or (isinstance(name, ast.Name) and used_as_tensor(event.frame, name.id))


def proves_tensor(value: Tensor, keys: Sequence[ast.expr]) -> bool:
    """Whether the value is surely a tensor: a list would take the same integers and slices."""
    if value.origin != "argument" or value.type.shape is not None or len(keys) != 1:
        return True
    return not (isinstance(keys[0], ast.Slice) or literal(keys[0]) is not None or isinstance(keys[0], ast.Name))


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
    return any(isinstance(part, ast.Name) for part in ast.walk(key))


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
    if cut.known is None:
        return True
    end = cut.known[1]
    if cut.drops or end is None or end < 0:
        return True
    size = _size(cut.axis, known)
    return size is not None and end <= size


def _within(cut: Cut, known: TensorType) -> bool:
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


def _gather(event: Subscript, functions: str, node: ast.Subscript, key: ast.expr, value: Value) -> Fix | None:
    """Rewrite a single key that picks rows: a list of integers, a range, a tensor."""
    base = argument(event.frame, node.value)
    if isinstance(value, Tensor):
        content = f"{functions}.take({base}, {argument(event.frame, key)}, axis=0, mode='wrap')"
        return replace(event.frame, node, content, safe_if(value.type.dtype != "bool"), kept=kept_parts(node))
    rows = listed_rows(key)
    if rows is None:
        return None
    ends = [str(row + 1) if row != -1 else "None" for row in rows]
    parts = [f"{functions}.slice_axis({base}, axis=0, begin={r}, end={e})" for r, e in zip(rows, ends, strict=True)]
    content = parts[0] if len(parts) == 1 else f"{functions}.concat({', '.join(parts)}, dim=0)"
    simple = isinstance(node.value, ast.Name)
    return (
        replace(event.frame, node, content, safe_if(simple), kept=[node.value]) if simple or len(parts) == 1 else None
    )


def listed_rows(key: ast.expr) -> list[int] | None:
    """Return the rows that a key lists, where they are written out and few."""
    match key:
        case ast.List(elts=elements):
            numbers = [literal(e) for e in elements]
        case ast.Call(func=ast.Name(id="range"), args=[*bounds]) if bounds:
            given = [literal(b) for b in bounds]
            if any(g is None for g in given):
                return None
            numbers = list(range(*[g for g in given if g is not None]))
        case ast.Call(func=ast.Attribute(attr="array"), args=[ast.List() as inner]):
            return listed_rows(inner)
        case _:
            return None
    rows = [n for n in numbers if n is not None]
    return rows if 0 < len(rows) == len(numbers) <= _MANY else None


def kept_parts(node: ast.Subscript) -> list[ast.AST]:
    """Return what of a subscript stands again in every rewrite."""
    return [node.value]


def is_none(node: ast.expr) -> bool:
    """Whether an expression is None."""
    return isinstance(node, ast.Constant) and node.value is None


def is_ellipsis(node: ast.expr) -> bool:
    """Whether an expression is ``...``."""
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def selects_output(event: Subscript) -> bool:
    """Whether a Symbol of one output answers the key with itself: 0, or a forward slice from 0 within one output."""
    keys, values = flat_keys(event.keys, event.key_values)
    if len(keys) != 1 or (isinstance(event.node, ast.Subscript) and isinstance(event.node.slice, ast.Tuple)):
        return False
    key = keys[0]
    if isinstance(key, ast.Slice):
        return _selects_itself(key) and not whole_slice(key)
    number = literal(key)
    if number is None and isinstance(values[0], Static) and isinstance(values[0].value, int):
        number = int(values[0].value)
    return number == 0


def whole_slice(key: ast.expr) -> bool:
    """Whether a key is a slice of everything, which both kinds of array answer with themselves."""
    if not isinstance(key, ast.Slice):
        return False
    return (
        key.upper is None and (literal(key.lower) or 0) == 0 == _unknown(key.lower) and literal(key.step) in {None, 1}
    )


def _selects_itself(key: ast.Slice) -> bool:
    if any(_unknown(part) for part in (key.lower, key.upper, key.step)):
        return False
    lower, upper, step = literal(key.lower) or 0, literal(key.upper), literal(key.step) or 1
    return lower == 0 and upper in {None, 1} and step > 0


def _unknown(node: ast.expr | None) -> int:
    return int(node is not None and not is_none(node) and literal(node) is None)
