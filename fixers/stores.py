"""Item assignment as a new tensor: filled like the old one, or chosen by position."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from hybridlint.analysis.model.events import Store
from hybridlint.analysis.model.values import Static, Tensor
from hybridlint.fixers.aliases import may_be_aliased
from hybridlint.fixers.arithmetic import SYMBOLS
from hybridlint.fixers.dtypes import of_one_dtype
from hybridlint.fixers.keys import is_ellipsis, literal, whole_slice
from hybridlint.fixers.text import argument, factor, replace, safe_if
from hybridlint.text.edits import Fix


@dataclass(frozen=True, slots=True)
class Region:
    """The part of one axis that is written: `begin` to `end`, or the one item `begin`."""

    axis: int
    begin: int
    end: int | None
    single: bool


def store(event: Store) -> Fix | None:
    """Write ``x[key] = v`` as an assignment to the name. Returns None for keys that are neither region nor mask."""
    node, functions = event.node, event.frame.functions
    if functions is None or not isinstance(event.value, Tensor) or not isinstance(event.target.value, ast.Name):
        return None
    if not isinstance(node, ast.Assign | ast.AugAssign) or (
        isinstance(node, ast.Assign) and node.targets != [event.target]
    ):
        return None
    name = event.target.value.id
    names = [name, *sorted(event.frame.aliases - {name})]
    if not all(n.isidentifier() for n in names) or may_be_aliased(event.frame, name):
        return None
    if isinstance(node, ast.AugAssign):
        content = _changed(event, functions, name, node)
    elif event.value.mode == "np":
        content = numpy_content(event, functions, name, node.value)
    else:
        content = _content(event, functions, name, node.value)
    if content is None:
        return None
    # What is written is cast to the dtype of the array; no operator casts to a dtype that only runs tell.
    alike = of_one_dtype(event.frame, event.value, event.new, (event.target.value, node.value))
    given = isinstance(event.new, Static) or (alike and isinstance(node, ast.Assign))
    known = event.value.origin != "argument" or event.value.type.shape is not None or not takes_list(event.target.slice)
    return replace(event.frame, node, f"{' = '.join(names)} = {content}", safe_if(given, known), kept=[node.value])


def takes_list(key: ast.expr) -> bool:
    """Whether a list could be written to with the key too."""
    return not isinstance(key, ast.Compare | ast.Tuple) and not whole_slice(key) and not is_ellipsis(key)


def _content(event: Store, functions: str, name: str, value: ast.expr) -> str | None:
    key = event.target.slice
    if whole_slice(key) or is_ellipsis(key):
        return _filled(event, functions, name, value, axis=None)
    assert isinstance(event.value, Tensor)
    rank = event.value.type.rank
    region = region_of(list(key.elts) if isinstance(key, ast.Tuple) else [key])
    if region is None or (not region.single and not isinstance(event.new, Static)):
        return None
    if rank is not None and region.axis >= rank:
        return None
    if region.axis == 1 and rank is None:
        # The rows of the tensor with its first two axes exchanged.
        turned = f"{functions}.swapaxes({name}, 0, 1)"
        new = _filled(event, functions, turned, value, axis=0 if region.single else None)
        mask = _positions(functions, name, region)
        return None if new is None else f"{functions}.swapaxes({functions}.where({mask}, {new}, {turned}), 0, 1)"
    new = _filled(event, functions, name, value, axis=region.axis if region.single else None)
    condition = None if new is None else _mask(functions, name, region, rank)
    return None if condition is None else f"{functions}.where({condition}, {new}, {name})"


def _changed(event: Store, functions: str, name: str, node: ast.AugAssign) -> str | None:
    """Return the tensor after ``x[key] += number``."""
    symbol = SYMBOLS.get(type(node.op))
    assert isinstance(event.value, Tensor)
    if symbol is None or not isinstance(node.value, ast.Constant) or event.value.mode != "legacy":
        return None
    key = event.target.slice
    new = f"{name} {symbol} {factor(event.frame, node.value)}"
    if whole_slice(key) or is_ellipsis(key):
        return new
    region = region_of(list(key.elts) if isinstance(key, ast.Tuple) else [key])
    mask = None if region is None else _mask(functions, name, region, event.value.type.rank)
    return None if mask is None else f"{functions}.where({mask}, {new}, {name})"


def _filled(event: Store, functions: str, like: str, value: ast.expr, axis: int | None) -> str | None:
    """Return an expression like a tensor and full of the new value, which lacks `axis` where that is given."""
    match event.new, value:
        case Tensor(), _:
            part = argument(event.frame, value)
            if axis or (axis == 0 and "swapaxes" in like):
                part = f"{functions}.expand_dims({part}, axis={axis})"
            return f"{functions}.broadcast_add({functions}.zeros_like({like}), {part})"
        case Static(), ast.Constant(value=bool() | int() | float() as number) if number in {0, 1}:
            return f"{functions}.{'ones' if number else 'zeros'}_like({like})"
        case Static(), _:
            return f"{functions}.ones_like({like}) * {factor(event.frame, value)}"
    return None


def masks(key: ast.expr, name: str) -> bool:
    """Whether a key compares the tensor itself with a number, which is a mask in numpy mode.

    A comparison of legacy arrays is made of floats, and as a key these are the numbers of rows.
    """
    match key:
        case ast.Compare(left=left, ops=[_], comparators=[ast.Constant(value=int() | float())]):
            return _root(left) == name
    return False


def _root(node: ast.expr) -> str | None:
    match node:
        case ast.Name(id=name):
            return name
        case ast.BinOp(left=inner, right=ast.Constant()) | ast.BinOp(left=ast.Constant(), right=inner):
            return _root(inner)
    return None


def region_of(keys: list[ast.expr]) -> Region | None:
    """Return the region of one axis that keys mean; None for others."""
    written = [(axis, key) for axis, key in enumerate(keys) if not whole_slice(key)]
    if len(written) != 1:
        return None
    axis, key = written[0]
    if isinstance(key, ast.Slice):
        lower, upper = literal(key.lower), literal(key.upper)
        given = (key.lower is None or lower is not None) and (key.upper is None or upper is not None)
        if key.step is not None or not given or (lower or 0) < 0 or (upper or 0) < 0:
            return None
        return Region(axis, lower or 0, upper, single=False)
    # True and False are masks of one answer, no positions.
    number = None if isinstance(key, ast.Constant) and isinstance(key.value, bool) else literal(key)
    return None if number is None else Region(axis, number, None, single=True)


def _mask(functions: str, name: str, region: Region, rank: int | None) -> str | None:
    """Return a condition that is true in the region: of one dimension for axis 0, else as large as the tensor."""
    mask = _positions(functions, name, region)
    if region.axis == 0:
        return mask
    if rank is None:
        return None
    shape = ", ".join("-1" if axis == region.axis else "1" for axis in range(rank))
    return f"{functions}.broadcast_like(({mask}).reshape(({shape})), {name})"


def _positions(functions: str, name: str, region: Region) -> str:
    """Return a condition of one dimension, along the region's axis."""
    positions = f"{functions}.contrib.arange_like({name}, axis={region.axis})"
    if region.single and region.begin < 0:
        return f"{functions}.flip({positions}, axis=0) == {-region.begin - 1}"
    if region.single:
        return f"{positions} == {region.begin}"
    if region.end is None:
        return f"{positions} >= {region.begin}"
    if region.begin == 0:
        return f"{positions} < {region.end}"
    return f"({positions} >= {region.begin}) * ({positions} < {region.end})"


def numpy_content(event: Store, functions: str, name: str, value: ast.expr) -> str | None:
    """Return the tensor of numpy mode after ``x[key] = v``: chosen by a mask, or put together from its parts."""
    key, np = event.target.slice, f"{functions}.np"
    if whole_slice(key) or is_ellipsis(key):
        return _numpy_filled(event, np, name, value, None)
    if isinstance(event.new, Static) and masks(key, name):
        filled = _numpy_filled(event, np, name, value, None)
        return None if filled is None else f"{np}.where({event.frame.source.code(key)}, {filled}, {name})"
    region = region_of(list(key.elts) if isinstance(key, ast.Tuple) else [key])
    if region is None or (not region.single and not isinstance(event.new, Static)) or region.begin < 0:
        return None
    end = region.begin + 1 if region.single else region.end
    before = ":, " * region.axis
    middle = f"{name}[{before}{region.begin or ''}:{'' if end is None else end}]"
    new = _numpy_filled(event, np, middle, value, region.axis if region.single else None)
    parts = [f"{name}[{before}:{region.begin}]"] if region.begin else []
    parts += [new or "", *([f"{name}[{before}{end}:]"] if end is not None else [])]
    return None if new is None else f"{np}.concatenate([{', '.join(parts)}], axis={region.axis})"


def _numpy_filled(event: Store, np: str, like: str, value: ast.expr, axis: int | None) -> str | None:
    match event.new, value:
        case Tensor(), _:
            part = argument(event.frame, value)
            part = part if axis is None else f"{np}.expand_dims({part}, axis={axis})"
            return f"{np}.zeros_like({like}) + {part}"
        case Static(), ast.Constant(value=bool() | int() | float() as number) if number in {0, 1}:
            return f"{np}.{'ones' if number else 'zeros'}_like({like})"
        case Static(), _:
            return f"{np}.full_like({like}, {argument(event.frame, value)})"
    return None
