"""Fixer of parts of a tensor that slices store: ``y = F.zeros_like(x)``, ``y[:, 1:, :c] = x[:, :-1, :c]``."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from hybridlint.analysis.dataflow.bindings import BindingKind
from hybridlint.analysis.dataflow.scopes import names_in
from hybridlint.analysis.model.events import CodeContext, TensorStore
from hybridlint.analysis.model.values import StaticValue, Tensor
from hybridlint.fixers.indexing.bounds import from_end
from hybridlint.fixers.indexing.end_stores import number_like
from hybridlint.fixers.indexing.keys import literal, whole_slice
from hybridlint.fixers.indexing.proportional_slices import SharedPart, shared_part
from hybridlint.fixers.indexing.stores import names_of
from hybridlint.fixers.toolkit.names import block_around
from hybridlint.fixers.toolkit.nodes import assignment
from hybridlint.fixers.toolkit.statements import replace_statements, run_around
from hybridlint.fixers.toolkit.templates import as_statement, expression
from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk

#: What a bound may be made of, which is written several times.
_BOUND = (ast.Name, ast.Attribute, ast.Constant, ast.UnaryOp, ast.USub, ast.BinOp, ast.operator, ast.Load)


@record(frozen=True, slots=True)
class _Bound:
    """An end of a slice: its text, its node, and its expression. A negative number counts from the end."""

    text: str
    written: cst.BaseExpression | int
    node: ast.expr


@record(frozen=True, slots=True)
class _Part:
    """The part of an axis that a slice takes; None for an end that it leaves open."""

    axis: int
    begin: _Bound | None
    end: _Bound | None

    @property
    def text(self) -> tuple[int, str, str]:
        """The key that distinguishes two parts: the axis, and the texts of begin and end."""
        return self.axis, self.begin.text if self.begin else "", self.end.text if self.end else ""

    @property
    def length(self) -> tuple[int, str]:
        """A key that is equal for parts of equal length, if the tensors have one shape."""
        begin, end = (0 if bound is None else bound.written for bound in (self.begin, self.end))
        if isinstance(begin, int) and isinstance(end, int):
            if begin >= 0 >= end:
                return self.axis, f"all but {begin - end}"
            if (begin < 0) == (end <= 0):
                return self.axis, f"{end - begin}"
        return self.axis, ":".join(self.text[1:])


_Written: TypeAlias = "cst.BaseExpression | int | None"
_Bounds = Mapping[int, tuple[_Bound | None, _Bound | None]]


def concat_slice_stores(event: TensorStore) -> Fix | None:
    """Replace slice stores into a tensor by an expression that joins the new parts and the remaining parts.

    Stores in a row that divide an axis among them, as groups of channels, become one concat along it. Unsafe: operators
    accept no part of size 0, so that the bounds must lie inside the axes.
    """
    frame, node, functions = event.frame, event.node, event.frame.functions
    names = names_of(event)
    block = block_around(frame, node) if isinstance(node, ast.Assign) else None
    if functions is None or not names or block is None or not isinstance(node, ast.Assign):
        return None
    if not isinstance(event.value, Tensor) or event.value.mode != "legacy" or len(names) > 1:
        return None
    whole = _Whole(frame, functions, names[0], event.value, event.target.value)
    run = run_around(block, node, lambda other: _stores(other, names[0]))
    stores = [(statement, parts) for statement in run if (parts := whole.parts(statement)) is not None]
    axis = _divided([parts for _, parts in stores]) if len(stores) == len(run) else None
    if axis is None:
        stores = [(statement, parts) for statement, parts in stores if statement is node]
    new = [whole.with_value(statement, parts, axis) for statement, parts in stores]
    made = [part for part in new if part is not None]
    if not made or len(made) < len(new):
        return None
    result = made[0] if axis is None else whole.joined(made, axis)
    return replace_statements(
        frame,
        [statement for statement, _ in stores],
        [as_statement(assignment(names, result))],
        Applicability.UNSAFE,
        message="Put the tensor together of its parts",
    )


def _stores(node: ast.stmt, name: str) -> bool:
    match node:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=found))], value=value):
            return found == name and name not in names_in(value).reads
    return False


def _divided(stores: Sequence[Sequence[_Part]]) -> int | None:
    """Return the axis that several stores divide among them, each beginning where the one before ends; None if none."""
    for axis in sorted({part.axis for parts in stores for part in parts}):
        cuts = [next((part for part in parts if part.axis == axis), None) for parts in stores]
        found = [cut for cut in cuts if cut is not None]
        if len(found) < max(2, len(cuts)) or found[0].begin is not None or found[-1].end is not None:
            continue
        if all(one.text[2] == other.text[1] != "" for one, other in pairwise(found)):
            return axis
    return None


@record(frozen=True, slots=True)
class _Whole:
    """The tensor into which parts are stored."""

    frame: CodeContext
    functions: str
    name: str
    value: Tensor
    data: ast.expr

    def parts(self, store: ast.Assign) -> list[_Part] | None:
        """Return the parts of the axes that a store writes, without whole axes; None for keys other than slices."""
        target = store.targets[0]
        assert isinstance(target, ast.Subscript)
        parts = self._parts(target)
        return parts or None

    def _parts(self, node: ast.Subscript) -> list[_Part] | None:
        keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        found: list[_Part] = []
        for axis, key in enumerate(keys):
            if whole_slice(key):
                continue
            if not isinstance(key, ast.Slice) or key.step is not None:
                return None
            lower = None if literal(key.lower) == 0 else key.lower
            if any(bound is not None and not _is_kept(bound) for bound in (lower, key.upper)):
                return None
            begin, end = (self._bound(node.value, axis, bound) for bound in (lower, key.upper))
            found.append(_Part(axis, begin, end))
        return found

    def _bound(self, data: ast.expr, axis: int, node: ast.expr | None) -> _Bound | None:
        if node is None:
            return None
        behind = from_end(self.frame, data, axis, node)
        number = literal(node) if behind is None else -behind
        return _Bound(ast.unparse(node) if number is None else str(number), number or self.frame.concrete(node), node)

    def with_value(self, store: ast.Assign, parts: Sequence[_Part], divided: int | None) -> cst.BaseExpression | None:
        """Return the tensor with the value of a store in its parts. Of the axis `divided`, return only the part."""
        of_axis = {part.axis: (part.begin, part.end) for part in parts if part.axis == divided}
        value = self._value(store, parts)
        rest = [part for part in parts if part.axis != divided]
        return None if value is None else self._around(value, rest, of_axis)

    def _around(self, value: cst.BaseExpression, parts: Sequence[_Part], outer: _Bounds) -> cst.BaseExpression:
        """Return a value inside the surrounding elements of the tensor, along the axes of its parts."""
        if not parts:
            return value
        first, *rest = parts
        inner = self._around(value, rest, {**outer, first.axis: (first.begin, first.end)})
        before = [] if first.begin is None else [self._cut({**outer, first.axis: (None, first.begin)})]
        behind = [] if first.end is None else [self._cut({**outer, first.axis: (first.end, None)})]
        return self.joined([*before, inner, *behind], first.axis)

    def joined(self, parts: Sequence[cst.BaseExpression], axis: int) -> cst.BaseExpression:
        """Return parts one behind the other along an axis."""
        return expression("{F}.concat({parts}, dim={axis})", F=self.functions, parts=list(parts), axis=axis)

    def _cut(self, bounds: _Bounds) -> cst.BaseExpression:
        """Return the part of the tensor between bounds of some of its axes."""
        shared = self._shared(bounds)
        if shared is None:
            written = {axis: (_written(begin), _written(end)) for axis, (begin, end) in bounds.items()}
            return self._sliced(expression("{x}", x=self.name), written)
        rest = {axis: (_written(begin), _written(end)) for axis, (begin, end) in bounds.items() if axis != shared.axis}
        part = shared.of(self.functions, expression("{x}", x=self.name))
        return self._sliced(part, rest) if rest else part

    def _shared(self, bounds: _Bounds) -> SharedPart | None:
        """Return the part that takes shares of its axis, as the sizes of tensors say; None if there is none."""
        for axis, ends in bounds.items():
            begin, end = (None if bound is None else bound.node for bound in ends)
            found = shared_part(self.frame, self.data, axis, begin, end)
            if found is not None:
                return found
        return None

    def _sliced(self, data: cst.BaseExpression, bounds: Mapping[int, tuple[_Written, _Written]]) -> cst.BaseExpression:
        """Return the part of a tensor between bounds as they are written."""
        if len(bounds) == 1:
            ((axis, (begin, end)),) = bounds.items()
            first = 0 if begin is None else begin
            template = "{F}.slice_axis({x}, axis={axis}, begin={begin}, end={end})"
            return expression(template, F=self.functions, x=data, axis=axis, begin=first, end=end)
        rows = [bounds.get(axis, (None, None)) for axis in range(max(bounds) + 1)]
        template = "{F}.slice({x}, begin=({begin},), end=({end},))"
        begins, ends = ([row[at] for row in rows] for at in (0, 1))
        return expression(template, F=self.functions, x=data, begin=begins, end=ends)

    def _value(self, store: ast.Assign, parts: Sequence[_Part]) -> cst.BaseExpression | None:
        """Return the value of a store in the shape of the parts; None if its rank may differ."""
        held = self.frame.seen.value(store.value)
        part = self._cut({each.axis: (each.begin, each.end) for each in parts})
        if isinstance(held, StaticValue):
            return number_like(self.frame, self.functions, part, store.value)
        if not isinstance(held, Tensor):
            return None
        value = self.frame.concrete(store.value)
        if self._fits(store.value, parts):
            return value
        if held.type.rank is None or held.type.rank != self.value.type.rank:
            return None
        template = "{F}.broadcast_add({F}.zeros_like({part}), {value})"
        return expression(template, F=self.functions, part=part, value=value)

    def _fits(self, node: ast.expr, parts: Sequence[_Part]) -> bool:
        """Return whether a value has the shape of the parts: it consists of equal parts of an equal tensor."""
        match node:
            case ast.Subscript(value=ast.Name(id=name)):
                taken = self._parts(node)
                lengths = None if taken is None else [part.length for part in taken]
                return lengths == [part.length for part in parts] and self._has_shape_of(name)
            case ast.BinOp(left=left, right=right):
                sides = [side for side in (left, right) if not isinstance(self.frame.seen.value(side), StaticValue)]
                return bool(sides) and all(self._fits(side, parts) for side in sides)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return self._fits(inner, parts)
        return False

    def _has_shape_of(self, name: str) -> bool:
        """Return whether the tensor was made in the shape of another one, such as by ``F.zeros_like(x)``."""
        bindings = self.frame.flow.rebindings_of(self.name)
        values = [b.value or b.source for b in bindings if b.kind in (BindingKind.ASSIGNMENT, BindingKind.UNPACKING)]
        made = [value for value in values if value is not None and not _stored_into(value, self.name)]
        if len(made) != 1:
            return False
        match made[0]:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=space), attr=function), args=[ast.Name(id=like)]) if (
                space == self.functions
            ):
                operator = lookup.function((), function)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=like), attr="copy"), args=[], keywords=[]):
                return like == name
            case _:
                return False
        return like == name and operator is not None and properties.keeps_shape(operator)


def _stored_into(value: ast.expr, name: str) -> bool:
    """Return whether a value joins the tensor of a name, as written by an earlier fix of a store."""
    return isinstance(value, ast.Call) and name in names_in(value).reads


def _written(bound: _Bound | None) -> _Written:
    return None if bound is None else bound.written


def _is_kept(node: ast.expr) -> bool:
    return all(isinstance(part, _BOUND) for part in walk(node))
