"""Item assignment as a new tensor: filled like the old one, or chosen by position."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from hybridlint.analysis.events import Store
from hybridlint.analysis.values import Static, Tensor
from hybridlint.edits import Fix
from hybridlint.fixers.subscripts import literal, whole_slice
from hybridlint.fixers.text import argument, factor, replace, safe_if


@dataclass(frozen=True, slots=True)
class _Region:
    """The part of one axis that is written: `begin` to `end`, or the one item `begin`."""

    axis: int
    begin: int
    end: int | None
    single: bool


def store(event: Store) -> Fix | None:
    """Write ``x[key] = v`` as an assignment to the name. Returns None for keys that are not a region of one axis."""
    node, functions = event.node, event.frame.functions
    if functions is None or not isinstance(event.value, Tensor) or event.value.mode != "legacy":
        return None
    if not isinstance(node, ast.Assign) or len(node.targets) != 1 or not isinstance(event.target.value, ast.Name):
        return None
    name = event.target.value.id
    names = [name, *sorted(event.frame.aliases - {name})]
    if not all(n.isidentifier() for n in names):
        return None
    content = _content(event, functions, name, node.value)
    if content is None:
        return None
    sure = isinstance(event.new, Tensor | Static) and (
        event.value.origin != "argument" or event.value.type.shape is not None
    )
    return replace(event.frame, node, f"{' = '.join(names)} = {content}", safe_if(sure), kept=[node.value])


def _content(event: Store, functions: str, name: str, value: ast.expr) -> str | None:
    key = event.target.slice
    if whole_slice(key) or (isinstance(key, ast.Constant) and key.value is Ellipsis):
        return _filled(event, functions, name, value, axis=None)
    assert isinstance(event.value, Tensor)
    keys = list(key.elts) if isinstance(key, ast.Tuple) else [key]
    region = _region(keys, event.value.type.rank)
    if region is None:
        return None
    new = _filled(event, functions, name, value, axis=region.axis if region.single else None)
    if new is None or (not region.single and not isinstance(event.new, Static)):
        return None
    mask = _mask(functions, name, region, event.value.type.rank)
    return None if mask is None else f"{functions}.where({mask}, {new}, {name})"


def _filled(event: Store, functions: str, name: str, value: ast.expr, axis: int | None) -> str | None:
    """Return an expression like the tensor and full of the new value, which lacks `axis` where that is given."""
    match event.new, value:
        case Tensor(), _:
            part = argument(event.frame, value)
            if axis:
                part = f"{functions}.expand_dims({part}, axis={axis})"
            return f"{functions}.broadcast_add({functions}.zeros_like({name}), {part})"
        case Static(), ast.Constant(value=bool() | int() | float() as number) if number in {0, 1}:
            return f"{functions}.{'ones' if number else 'zeros'}_like({name})"
        case Static(), _:
            return f"{functions}.ones_like({name}) * {factor(event.frame, value)}"
    return None


def _region(keys: list[ast.expr], rank: int | None) -> _Region | None:
    written = [(axis, key) for axis, key in enumerate(keys) if not whole_slice(key)]
    if len(written) != 1 or (len(keys) > 1 and rank is None):
        return None
    axis, key = written[0]
    if isinstance(key, ast.Slice):
        lower, upper = literal(key.lower), literal(key.upper)
        given = (key.lower is None or lower is not None) and (key.upper is None or upper is not None)
        if key.step is not None or not given or (lower or 0) < 0 or (upper or 0) < 0:
            return None
        return _Region(axis, lower or 0, upper, single=False)
    # True and False are masks of one answer, no positions.
    number = None if isinstance(key, ast.Constant) and isinstance(key.value, bool) else literal(key)
    return None if number is None else _Region(axis, number, None, single=True)


def _mask(functions: str, name: str, region: _Region, rank: int | None) -> str | None:
    """Return a condition that is true in the region: of one dimension for axis 0, else as large as the tensor."""
    positions = f"{functions}.contrib.arange_like({name}, axis={region.axis})"
    if region.single and region.begin < 0:
        mask = f"{functions}.flip({positions}, axis=0) == {-region.begin - 1}"
    elif region.single:
        mask = f"{positions} == {region.begin}"
    elif region.end is None:
        mask = f"{positions} >= {region.begin}"
    elif region.begin == 0:
        mask = f"{positions} < {region.end}"
    else:
        mask = f"({positions} >= {region.begin}) * ({positions} < {region.end})"
    if region.axis == 0:
        return mask
    if rank is None:
        return None
    shape = ", ".join("-1" if axis == region.axis else "1" for axis in range(rank))
    return f"{functions}.broadcast_like(({mask}).reshape(({shape})), {name})"
