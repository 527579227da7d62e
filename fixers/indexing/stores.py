"""Fixers of item assignment: a new tensor takes the place of the changed one."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext, TensorStore
from hybridlint.analysis.model.values import StaticValue, Tensor, Unknown
from hybridlint.fixers.arithmetic.python_operators import SYMBOLS
from hybridlint.fixers.evidence.aliases import may_be_aliased
from hybridlint.fixers.evidence.dtypes import of_one_dtype
from hybridlint.fixers.evidence.fresh_arrays import is_just_made
from hybridlint.fixers.indexing.keys import is_ellipsis, literal, whole_slice
from hybridlint.fixers.toolkit.class_hierarchy import constructor_of
from hybridlint.fixers.toolkit.names import class_around, dotted_parts
from hybridlint.fixers.toolkit.nodes import assignment, between, binary, subscript, whole_axis
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst, parameters
from hybridlint.text.edits import Fix
from hybridlint.text.syntax import walk

#: The functions that make zeros, and ones, like a tensor.
_NAMES = ("zeros_like", "ones_like")


@record(frozen=True, slots=True)
class Region:
    """The part of one axis that a store writes: from `begin` to `end`, or only item `begin` if `single`.

    `name` is the constant that holds the number of the item, where code names it. The number of a `setting` is not
    known, but taken for one that counts from the front.
    """

    axis: int
    begin: int
    end: int | None
    single: bool
    name: str | None = None
    setting: bool = False


def store(event: TensorStore) -> Fix | None:
    """Write ``x[key] = v`` as an assignment to the name `x`, such as ``x = F.where(mask, new, x)``.

    None if the key is neither one region of an axis nor a mask.
    """
    node, functions, names = event.node, event.frame.functions, names_of(event)
    if functions is None or not names or not isinstance(node, ast.Assign | ast.AugAssign):
        return None
    assert isinstance(event.value, Tensor)
    name = names[0]
    if isinstance(node, ast.AugAssign):
        new = _changed(event, functions, name, node)
    elif event.value.mode == "np":
        new = _numpy_content(event, f"{functions}.np", name, node.value)
    else:
        new = _content(event, functions, name, node.value)
    if new is None:
        return None
    # A store casts the value to the dtype of the array; no operator casts to a dtype that is known only at run time.
    one_dtype = of_one_dtype(event.frame, event.value, event.new, (event.target.value, node.value))
    given = isinstance(event.new, StaticValue) or (one_dtype and isinstance(node, ast.Assign))
    given = given and not _by_setting(event)
    known = event.value.origin != "argument" or event.value.type.shape is not None or not takes_list(event.target.slice)
    return rewrite(event.frame, node, assignment(names, new), safe_if(given, known))


def names_of(event: TensorStore) -> list[str]:
    """Return the names that hold the array of a store, its own first; none if other names may hold it."""
    node, target = event.node, event.target.value
    if not isinstance(event.value, Tensor) or not isinstance(target, ast.Name):
        return []
    if isinstance(node, ast.Assign) and node.targets != [event.target]:
        return []
    names = [target.id, *sorted(event.frame.aliases - {target.id})]
    if names == [target.id] and isinstance(node, ast.stmt) and is_just_made(event.frame, node, target.id):
        return names
    return names if all(n.isidentifier() for n in names) and not may_be_aliased(event.frame, target.id) else []


def takes_list(key: ast.expr) -> bool:
    """Whether the key could also be an index or slice of a list."""
    return not isinstance(key, ast.Compare | ast.Tuple) and not whole_slice(key) and not is_ellipsis(key)


def _content(event: TensorStore, functions: str, name: str, value: ast.expr) -> cst.BaseExpression | None:
    key, whole = event.target.slice, expression("{x}", x=name)
    if whole_slice(key) or is_ellipsis(key):
        return _filled(event, functions, whole, value)
    assert isinstance(event.value, Tensor)
    rank = event.value.type.rank
    region = region_of(list(key.elts) if isinstance(key, ast.Tuple) else [key], event.frame)
    if region is None or (not region.single and not isinstance(event.new, StaticValue)):
        return None
    if rank is not None and region.axis >= rank:
        return None
    if region.axis >= 1 and rank is None:
        # Without a known rank, exchange the axis with the first one and write to the rows.
        if region.axis > 1 and not isinstance(event.new, StaticValue):
            return None
        turned = expression("{F}.swapaxes({x}, 0, {axis})", F=functions, x=name, axis=region.axis)
        new = _filled(event, functions, turned, value, inserted=0 if region.single else None)
        chosen = None if new is None else _where(functions, _positions(functions, name, region), new, turned)
        back = "{F}.swapaxes({x}, 0, {axis})"
        return None if chosen is None else expression(back, F=functions, x=chosen, axis=region.axis)
    # A value written to one item of the first axis broadcasts without change.
    inserted = region.axis if region.single and region.axis else None
    new = _filled(event, functions, whole, value, inserted=inserted)
    condition = None if new is None else _mask(functions, name, region, rank)
    return None if new is None or condition is None else _where(functions, condition, new, whole)


def _where(
    functions: str, condition: cst.BaseExpression, new: cst.BaseExpression, old: cst.BaseExpression
) -> cst.BaseExpression:
    return expression("{F}.where({condition}, {new}, {old})", F=functions, condition=condition, new=new, old=old)


def _changed(event: TensorStore, functions: str, name: str, node: ast.AugAssign) -> cst.BaseExpression | None:
    """Return the tensor after ``x[key] += number``: ``F.where(mask, x + number, x)``."""
    assert isinstance(event.value, Tensor)
    if type(node.op) not in SYMBOLS or not isinstance(node.value, ast.Constant) or event.value.mode != "legacy":
        return None
    key, old = event.target.slice, expression("{x}", x=name)
    new = binary(old, node.op, event.frame.concrete(node.value))
    if whole_slice(key) or is_ellipsis(key):
        return new
    region = region_of(list(key.elts) if isinstance(key, ast.Tuple) else [key], event.frame)
    mask = None if region is None else _mask(functions, name, region, event.value.type.rank)
    return None if mask is None else _where(functions, mask, new, old)


def _filled(
    event: TensorStore, functions: str, like: cst.BaseExpression, value: ast.expr, *, inserted: int | None = None
) -> cst.BaseExpression | None:
    """Return a tensor with the shape of `like` that is filled with the new value.

    If the value is a tensor, it is broadcast to that shape, after a new axis at `inserted` if that is given.
    """
    match event.new, value:
        case Tensor(), _:
            part = event.frame.concrete(value)
            if inserted is not None:
                part = expression("{F}.expand_dims({x}, axis={axis})", F=functions, x=part, axis=inserted)
            return expression("{F}.broadcast_add({F}.zeros_like({like}), {x})", F=functions, like=like, x=part)
        case StaticValue(), ast.Constant(value=bool() | int() | float() as number) if number in {0, 1}:
            return expression("{F}.{name}({like})", F=functions, name=_NAMES[bool(number)], like=like)
        case StaticValue(), _:
            template = "{F}.ones_like({like}) * {value}"
            return expression(template, F=functions, like=like, value=event.frame.concrete(value))
    return None


def masks(key: ast.expr, name: str) -> bool:
    """Whether a key compares the tensor itself with a number, as in ``x[x > 0]``: a mask in numpy mode.

    A comparison of legacy arrays gives floats, which a key takes as row numbers.
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


def region_of(keys: list[ast.expr], frame: CodeContext | None = None) -> Region | None:
    """Return the region of one axis that keys select, such as ``[:, 1:3]``; None for other keys.

    With the frame of the keys, an item may go by the name of a constant, such as ``[:, START]`` or ``[:, self.START]``,
    or by that of a setting, ``[:, self.padding_idx]``.
    """
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
    # True and False are masks, not positions.
    number = None if isinstance(key, ast.Constant) and isinstance(key.value, bool) else literal(key)
    name = ".".join(dotted_parts(key) or ()) if number is None and frame is not None else ""
    if name and frame is not None:
        match frame.seen.value(key):
            case StaticValue(value=int() as constant, certain=True) if type(constant) is int and constant >= 0:
                return Region(axis, constant, None, single=True, name=name)
            case StaticValue() | Unknown() if _is_given(frame, key):
                return Region(axis, 0, None, single=True, name=name, setting=True)
    return None if number is None else Region(axis, number, None, single=True)


def _is_given(frame: CodeContext, key: ast.expr) -> bool:
    """Whether a key is an attribute that keeps a constructor's argument, whose default is a plain key."""
    owner = class_around(frame)
    function = None if owner is None else constructor_of(owner)
    if function is None or not isinstance(key, ast.Attribute):
        return False
    made = [n for n in walk(frame.source.tree) if isinstance(n, ast.Attribute) and n.attr == key.attr]
    made = [n for n in made if not isinstance(n.ctx, ast.Load)]
    stores = [n for n in walk(function) if isinstance(n, ast.Assign) and len(made) == 1 and n.targets == made]
    given = stores[0].value if stores else None
    if not isinstance(given, ast.Name) or given.id not in parameters.names_of(function.args):
        return False
    default = parameters.defaults_of(function.args).get(given.id)
    number = 0 if default is None else literal(default)
    return number is not None and number >= 0


def _by_setting(event: TensorStore) -> bool:
    key = event.target.slice
    region = region_of(list(key.elts) if isinstance(key, ast.Tuple) else [key], event.frame)
    return region is not None and region.setting


def _mask(functions: str, name: str, region: Region, rank: int | None) -> cst.BaseExpression | None:
    """Return a mask that is true in the region, a vector for axis 0, else in the tensor's shape."""
    mask = _positions(functions, name, region)
    if region.axis == 0:
        return mask
    if rank is None:
        return None
    shape = [-1 if axis == region.axis else 1 for axis in range(rank)]
    template = "{F}.broadcast_like({mask}.reshape(({shape},)), {x})"
    return expression(template, F=functions, mask=mask, shape=shape, x=name)


def _positions(functions: str, name: str, region: Region) -> cst.BaseExpression:
    """Return a mask along the region's axis, a vector: ``F.contrib.arange_like(x, axis=0) == begin``."""
    template = "{F}.contrib.arange_like({x}, axis={axis})"
    positions = expression(template, F=functions, x=name, axis=region.axis)
    if region.single and region.begin < 0:
        template = "{F}.flip({positions}, axis=0) == {begin}"
        return expression(template, F=functions, positions=positions, begin=-region.begin - 1)
    template = "({positions} >= {begin}) * ({positions} < {end})"
    if region.single:
        template = "{positions} == {begin}"
    elif region.end is None:
        template = "{positions} >= {begin}"
    elif region.begin == 0:
        template = "{positions} < {end}"
    begin = region.begin if region.name is None else expression("{name}", name=region.name)
    return expression(template, positions=positions, begin=begin, end=region.end)


def _numpy_content(event: TensorStore, np: str, name: str, value: ast.expr) -> cst.BaseExpression | None:
    """Return the tensor of numpy mode after ``x[key] = v``: ``F.np.where`` of a mask, or its parts concatenated."""
    key, whole = event.target.slice, expression("{x}", x=name)
    if whole_slice(key) or is_ellipsis(key):
        return _numpy_filled(event, np, whole, value, None)
    if isinstance(event.new, StaticValue) and masks(key, name):
        filled = _numpy_filled(event, np, whole, value, None)
        return None if filled is None else _where(np, event.frame.concrete(key), filled, whole)
    region = region_of(list(key.elts) if isinstance(key, ast.Tuple) else [key], event.frame)
    if (
        region is None
        or (not region.single and not isinstance(event.new, StaticValue))
        or region.begin < 0
        or region.setting
    ):
        return None
    end = region.begin + 1 if region.single else region.end
    middle = _cut(name, region.axis, region.begin or None, end)
    new = _numpy_filled(event, np, middle, value, region.axis if region.single else None)
    if new is None:
        return None
    before = [_cut(name, region.axis, None, region.begin)] if region.begin else []
    behind = [_cut(name, region.axis, end, None)] if end is not None else []
    template = "{np}.concatenate([{parts}], axis={axis})"
    return expression(template, np=np, parts=[*before, new, *behind], axis=region.axis)


def _cut(name: str, axis: int, begin: int | None, end: int | None) -> cst.BaseExpression:
    """Return ``x[begin:end]``, with ``:`` for the axes before `axis`."""
    return subscript(cst.Name(name), [*[whole_axis()] * axis, between(begin, end)])


def _numpy_filled(
    event: TensorStore, np: str, like: cst.BaseExpression, value: ast.expr, axis: int | None
) -> cst.BaseExpression | None:
    match event.new, value:
        case Tensor(), _:
            part = event.frame.concrete(value)
            if axis is not None:
                part = expression("{np}.expand_dims({x}, axis={axis})", np=np, x=part, axis=axis)
            return expression("{np}.zeros_like({like}) + {x}", np=np, like=like, x=part)
        case StaticValue(), ast.Constant(value=bool() | int() | float() as number) if number in {0, 1}:
            return expression("{np}.{name}({like})", np=np, name=_NAMES[bool(number)], like=like)
        case StaticValue(), _:
            return expression("{np}.full_like({like}, {x})", np=np, like=like, x=event.frame.concrete(value))
    return None
