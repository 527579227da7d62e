"""The data that a loop over a tensor steps through, and the expressions of one step in F.contrib.foreach."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping, Sequence

from hybridlint.analysis.dataflow.scopes import names_in
from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.arithmetic.python_operators import SYMBOLS, broadcasting_call
from hybridlint.fixers.evidence.settings import is_setting
from hybridlint.fixers.indexing.keys import literal, whole_slice
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import concrete_with
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.syntax import walk

#: Operators of arithmetic in which a counter may stand.
_COUNTING = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)


@record(frozen=True, slots=True)
class RowRead:
    """The name of a row in a step, and the axis of size 1 that the row keeps, or None."""

    name: str
    kept: int | None = None

    def written(self, name: cst.BaseExpression | None = None) -> cst.BaseExpression:
        """Return the row in a step, by another expression for its name if one is given."""
        row = _named(self.name) if name is None else name
        return row if self.kept is None else expression("{row}.expand_dims({axis})", row=row, axis=self.kept)


@record(frozen=True, slots=True)
class LoopSteps:
    """The data of a loop: the tensors `data` for foreach, and the loop's `names` for their rows.

    `counter` is the name of the loop's step number, which is a one-element tensor in foreach. `rows` maps the loop's
    expression for a row, such as ``x[i]``, to the read of the row in a step.
    """

    data: tuple[cst.BaseExpression, ...]
    names: tuple[str, ...]
    counter: str | None = None
    rows: Mapping[str, RowRead] | None = None

    @property
    def given(self) -> cst.BaseExpression:
        """The first argument of foreach."""
        return self.data[0] if len(self.data) == 1 else expression("[{data}]", data=self.data)


def steps_of(
    frame: CodeContext, node: ast.AST, target: ast.expr, source: ast.expr, body: list[ast.AST]
) -> LoopSteps | None:
    """Return the rows of tensors that ``for target in source`` steps through, None if it steps through others.

    `node` is the tensor, as a part of `source`.
    """
    functions = frame.functions
    if functions is None:
        return None
    if isinstance(target, ast.Name) and source is node and _is_of_tensors(frame, source):
        return LoopSteps((frame.concrete(source),), (target.id,))
    match target, source:
        case ast.Tuple(elts=[ast.Name(id=index), ast.Name(id=row)]), ast.Call(
            func=ast.Name(id="enumerate"), args=[ast.Name(id=data)], keywords=[]
        ):
            counted = LoopSteps((_named(data), _positions(functions, data, 0)), (row, index), index)
            return counted if any(_binds(part, index) for part in body) else LoopSteps((_named(data),), (row,))
        case ast.Tuple(elts=[*rows]), ast.Call(func=ast.Name(id="zip"), args=[*parts], keywords=[]):
            names = [r.id for r in rows if isinstance(r, ast.Name)]
            data_names = [p.id for p in parts if isinstance(p, ast.Name)]
            # What an operator returns is an array of its own.
            calls = [p for p in parts if isinstance(p, ast.Call) and _is_of_tensors(frame, p)]
            made = [p for p in calls if isinstance(frame.seen.value(p), Tensor)]
            tensors = len(data_names) + len(made) == len(parts) and _distinct(frame, data_names)
            if len(names) == len(rows) == len(parts) and tensors:
                return LoopSteps(tuple(map(frame.concrete, parts)), tuple(names))
        case ast.Name(id=index), ast.Call():
            numbers = _range(source)
            return None if numbers is None else _counted(frame, functions, index, numbers, body)
    return None


@record(frozen=True, slots=True)
class _Range:
    """The numbers that a loop counts: `start` to `size` less `less`, from their end on if they are `turned`.

    The last of them is not counted.
    """

    size: ast.expr
    start: int = 0
    less: int = 0
    turned: bool = False


def _range(source: ast.Call) -> _Range | None:
    """Return the size and direction of ``range(n)``, ``range(1, n)``, ``range(n - 1)`` and reversed ranges.

    From its end on goes ``reversed(range(n))``, and ``range(n - 1, -1, -1)``.
    """
    match source:
        case ast.Call(func=ast.Name(id="range"), args=[size], keywords=[]):
            return _stopped(size)
        case ast.Call(func=ast.Name(id="range"), args=[first, size], keywords=[]):
            start = literal(first)
            return None if start is None or start < 0 else _stopped(size, start)
        case ast.Call(func=ast.Name(id="reversed"), args=[ast.Call() as inner], keywords=[]):
            found = _range(inner)
            return (
                None if found is None or found.turned or found.start or found.less else _Range(found.size, turned=True)
            )
        case ast.Call(
            func=ast.Name(id="range"), args=[ast.BinOp(left=size, op=ast.Sub(), right=one), stop, step], keywords=[]
        ) if (literal(one), literal(stop), literal(step)) == (1, -1, -1):
            return _Range(size, turned=True)
    return None


def _stopped(stop: ast.expr, start: int = 0) -> _Range:
    """Return the range up to a size, or a size less a number."""
    match stop:
        case ast.BinOp(left=size, op=ast.Sub(), right=ast.Constant(value=int() as less)) if less >= 0:
            return _Range(size, start, less)
    return _Range(stop, start)


def _is_of_tensors(frame: CodeContext, source: ast.expr) -> bool:
    """Whether an expression is no call, or calls a function of F or a method of a tensor. Excludes ``zip``."""
    if not isinstance(source, ast.Call):
        return True
    path = dotted_parts(source.func) or ("",)
    method = isinstance(source.func, ast.Attribute) and isinstance(frame.seen.value(source.func.value), Tensor)
    return method or (len(path) > 1 and path[0] == frame.functions)


def _named(name: str) -> cst.BaseExpression:
    return expression("{name}", name=name)


def _positions(functions: str, data: str, axis: int) -> cst.BaseExpression:
    """Return the positions along an axis, 0 to its size less 1, as a tensor."""
    return expression("{F}.contrib.arange_like({data}, axis={axis})", F=functions, data=data, axis=axis)


def _distinct(frame: CodeContext, names: list[str]) -> bool:
    """Whether names surely belong to different arrays; foreach accepts each array only once in a graph."""
    copies = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Assign))
    aliased = {t.id for n in copies if isinstance(n.value, ast.Name) for t in n.targets if isinstance(t, ast.Name)}
    return len(set(names)) == len(names) and not aliased & set(names)


def _counted(frame: CodeContext, functions: str, index: str, counted: _Range, body: list[ast.AST]) -> LoopSteps | None:
    """Return the steps of ``for i in range(x.shape[1])``: the rows that the body reads, or the positions."""
    match counted.size:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=data)]):
            axis = 0
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=data), attr="shape"), slice=key):
            found = literal(key)
            if found is None or found not in {0, 1}:
                return None
            axis = found
        case _:
            return None
    uses = [n for part in body for n in walk(part) if isinstance(n, ast.Name) and n.id == index]
    reads = _outermost([(n, row) for part in body for n in walk(part) if (row := _row_of(n, index, axis)) is not None])
    inside = {id(n) for read, _ in reads for n in walk(read)}
    if reads and all(id(use) in inside for use in uses):
        return _of_rows(frame, index, axis, reads, body, counted=counted, turned=data if counted.turned else None)
    if reads or not uses or counted.turned or counted.start or counted.less:
        return None
    return LoopSteps((_positions(functions, data, axis),), (index,), index)


@record(frozen=True, slots=True)
class _Row:
    """A loop's read of a tensor: its row at the counter, or `offset` rows after it.

    The row may be `kept` as an axis of size 1.
    """

    tensor: str
    offset: int = 0
    kept: bool = False

    def data(self, frame: CodeContext, axis: int, counted: _Range, turned: str | None) -> cst.BaseExpression:
        """Return the rows of the tensor that the loop reads, along the first axis."""
        data = expression("{data}", data=self.tensor)
        if turned not in {None, self.tensor}:
            cut = "{F}.slice_like({data}, {turned}, axes=({axis},))"
            data = expression(cut, F=frame.functions, data=data, turned=turned, axis=axis)
        begin, end = counted.start + self.offset, self.offset - counted.less
        if begin or end:
            cut = "{F}.slice_axis({data}, axis={axis}, begin={begin}, end={end})"
            data = expression(cut, F=frame.functions, data=data, axis=axis, begin=begin, end=end or None)
        template = "{data}" if axis == 0 else "{F}.swapaxes({data}, 0, 1)"
        template = template if turned is None else f"{{F}}.reverse({template}, axis=0)"
        return expression(template, F=frame.functions, data=data)

    def names(self, index: str) -> tuple[str, ...]:
        """Return names for the row, the best one first."""
        if self.offset:
            place = f"{self.tensor}_{'before' if self.offset < 0 else 'next'}"
            return (place, *(f"{place}_{k}" for k in range(abs(self.offset), 100)))
        return f"{self.tensor}_{index}", f"{self.tensor}_row"


def _of_rows(
    frame: CodeContext,
    index: str,
    axis: int,
    reads: list[tuple[ast.AST, _Row]],
    body: list[ast.AST],
    *,
    counted: _Range,
    turned: str | None,
) -> LoopSteps | None:
    """Return the steps of a loop that uses its counter only to read rows of tensors.

    It begins at the last row of the tensor `turned`; other tensors may have more rows. Rows before or behind that at
    the counter are the same tensor's, cut at another place.
    """
    ordered = sorted(reads, key=lambda read: (getattr(read[0], "lineno", 0), getattr(read[0], "col_offset", 0)))
    found = list(dict.fromkeys(replace(row, kept=False) for _, row in ordered))
    tensors = list(dict.fromkeys(row.tensor for row in found))
    several = len(found) > 1
    stored = names_in(*body).stores
    if not stored.keys().isdisjoint(tensors) or (len(tensors) > 1 and not _distinct(frame, tensors)):
        return None
    if any(not -counted.start <= row.offset <= counted.less for row in found):
        # The row before the first is the last one, and there is none behind the last.
        return None
    names: dict[_Row, str] = {}
    for row in found:
        choice = (n for n in (*(() if several else ("row", "item")), *row.names(index)) if n not in names.values())
        names[row] = next(n for n in choice if not any(_binds(part, n) for part in body))
    rows = {ast.unparse(n): RowRead(names[replace(row, kept=False)], axis if row.kept else None) for n, row in reads}
    data = tuple(row.data(frame, axis, counted, turned) for row in found)
    return LoopSteps(data, tuple(names.values()), rows=rows)


def _row_of(node: ast.AST, index: str, axis: int) -> _Row | None:
    """Return the row that an expression reads at a loop's counter, or near it; None for other expressions."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=key) if axis == 0:
            offset = _offset(key, index)
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Tuple(elts=[whole, key])) if axis == 1:
            offset = _offset(key, index) if whole_slice(whole) else None
        case ast.Call(func=ast.Attribute(attr="squeeze", value=receiver), args=args, keywords=keywords):
            cut, rest = (args[0], args[1:]) if args and isinstance(args[0], ast.Call) else (receiver, args)
            given = [*rest, *(k.value for k in keywords if k.arg == "axis")]
            squeezed = len(given) == 1 and len(keywords) <= 1 and literal(given[0]) == axis
            found = _cut_row(cut, index, axis) if squeezed else None
            return None if found is None else replace(found, kept=False)
        case ast.Call():
            return _cut_row(node, index, axis)
        case _:
            return None
    return None if offset is None else _Row(name, offset)


def _outermost(reads: list[tuple[ast.AST, _Row]]) -> list[tuple[ast.AST, _Row]]:
    """Return the outermost reads of rows. Cutting out a row and squeezing it is one read."""
    inner = {id(n) for read, _ in reads for n in walk(read) if n is not read}
    return [(read, row) for read, row in reads if id(read) not in inner]


def _offset(key: ast.expr, index: str) -> int | None:
    """Return how far a position is behind a loop's counter: 0 for ``i``, -1 for ``i - 1``; None for other positions."""
    match key:
        case ast.Name(id=name) if name == index:
            return 0
        case ast.BinOp(left=ast.Name(id=name), op=ast.Sub(), right=ast.Constant(value=int() as number)) if (
            name == index and number >= 0
        ):
            return -number
        case ast.BinOp(left=ast.Name(id=name), op=ast.Add(), right=ast.Constant(value=int() as number)) if (
            name == index and number >= 0
        ):
            return number
    return None


def _cut_row(node: ast.expr, index: str, axis: int) -> _Row | None:
    """Return the row that ``F.slice_axis(x, axis=1, begin=i, end=i + 1)`` cuts out, or ``F.slice`` with such bounds."""
    match node:
        case ast.Call(func=ast.Attribute(attr="slice_axis" | "slice" as name, value=receiver), args=args):
            values = {k.arg or "": k.value for k in node.keywords}
        case _:
            return None
    names = ("axis", "begin", "end") if name == "slice_axis" else ("begin", "end")
    given = values.get(names[0]) if not args else args[0]
    first_of_all = "data" not in values and (
        literal(given) is not None if name == "slice_axis" else isinstance(given, ast.Tuple | ast.List)
    )
    owned = isinstance(receiver, ast.Name) and first_of_all
    values |= dict(zip(names if owned else ("data", *names), args, strict=False))
    source = receiver if owned else values.get("data") if isinstance(receiver, ast.Name) else None
    bounds = _bounds(values, axis) if name == "slice" else (values.get("begin"), values.get("end"))
    along = name == "slice" or literal(values.get("axis")) == axis
    match source, bounds:
        case ast.Name(id=tensor), (ast.expr() as first, ast.BinOp(left=last, op=ast.Add(), right=one)) if along:
            offset = _offset(first, index)
            one_row = offset == _offset(last, index) and literal(one) == 1
            return _Row(tensor, offset, kept=True) if one_row and offset is not None else None
    return None


def _bounds(values: Mapping[str, ast.expr], axis: int) -> tuple[ast.expr, ast.expr] | None:
    """Return the bounds along an axis in ``begin=(None, i), end=(None, i + 1)``, which take all of every other axis."""
    match values.get("begin"), values.get("end"):
        case ast.Tuple(elts=begins), ast.Tuple(elts=ends) if len(begins) == len(ends) > axis and len(values) <= 3:
            pairs = list(zip(begins, ends, strict=True))
            others = (part for pair in (*pairs[:axis], *pairs[axis + 1 :]) for part in pair)
            return pairs[axis] if all(isinstance(o, ast.Constant) and o.value is None for o in others) else None
    return None


def _binds(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in walk(node))


@record(frozen=True, slots=True)
class StepWriter:
    """Writes expressions of one step, with names for rows and functions that broadcast beside the counter.

    `renamed` maps names of the loop to their expressions in the step.
    """

    frame: CodeContext
    functions: str
    steps: LoopSteps
    renamed: Mapping[str, cst.BaseExpression]

    def write(self, node: ast.expr) -> cst.BaseExpression | None:
        """Return an expression in one step; None if it uses the counter as only a Python number can be used."""
        counter = self.steps.counter
        if counter is not None and self._misuses(node, counter):
            return None
        return self._written(node)

    def parts(self, statements: Sequence[ast.stmt]) -> dict[ast.expr, cst.BaseExpression] | None:
        """Return the expressions of statements that change in a step; None as `write` does."""
        counter = self.steps.counter
        if counter is not None and any(self._misuses(statement, counter) for statement in statements):
            return None
        return {node: new for statement in statements for node, new in self._replaced(statement)}

    def _written(self, node: ast.expr) -> cst.BaseExpression:
        parts = dict(self._replaced(node))
        return concrete_with(self.frame, node, parts) if parts else self.frame.concrete(node)

    def _replaced(self, node: ast.AST) -> Iterator[tuple[ast.expr, cst.BaseExpression]]:
        """Yield the outermost parts of an expression that change in a step, each with its replacement."""
        rows = self.steps.rows or {}
        if isinstance(node, ast.Subscript | ast.Call) and ast.unparse(node) in rows:
            row = rows[ast.unparse(node)]
            yield node, row.written(self.renamed.get(row.name))
        elif isinstance(node, ast.Name) and node.id in self.renamed:
            yield node, self.renamed[node.id]
        elif isinstance(node, ast.BinOp) and self._is_counted(node.left) != self._is_counted(node.right):
            other = node.right if self._is_counted(node.left) else node.left
            call = None if self._is_number(other) else self._broadcasting(node)
            yield from self._inside(node) if call is None else [(node, call)]
        else:
            yield from self._inside(node)

    def _broadcasting(self, node: ast.BinOp) -> cst.BaseExpression | None:
        left, right = self._written(node.left), self._written(node.right)
        return broadcasting_call(self.functions, SYMBOLS.get(type(node.op)), left, right)

    def _inside(self, node: ast.AST) -> Iterator[tuple[ast.expr, cst.BaseExpression]]:
        for child in ast.iter_child_nodes(node):
            yield from self._replaced(child)

    def _is_counted(self, node: ast.AST) -> bool:
        """Whether an expression is arithmetic on the counter and numbers only."""
        match node:
            case ast.Name(id=name):
                return name == self.steps.counter
            case ast.BinOp(left=left, right=right) if isinstance(node.op, _COUNTING):
                parts = [part for part in (left, right) if not self._is_number(part)]
                return bool(parts) and all(self._is_counted(part) for part in parts)
        return False

    def _is_number(self, node: ast.expr) -> bool:
        """Whether an expression is a number, or a setting of the block."""
        return isinstance(node, ast.Constant) or (is_setting(self.frame, node) and not self._is_counted(node))

    def _misuses(self, node: ast.AST, counter: str) -> bool:
        """Whether the counter is used other than as an operand of arithmetic with something else."""
        if self._is_counted(node):
            return True
        if isinstance(node, ast.BinOp) and isinstance(node.op, _COUNTING):
            return any(self._misuses(p, counter) for p in (node.left, node.right) if not self._is_counted(p))
        return any(self._misuses(child, counter) for child in ast.iter_child_nodes(node))


def captured_names(functions: str, body: list[ast.AST], own: set[str]) -> set[str]:
    """Return the names from outside a step for which foreach may compute a wrong gradient, if they hold tensors.

    MXNet sums the gradients of a captured tensor over the steps if it is multiplied, not if it is added.
    """
    fine: set[int] = set()
    for node in (n for part in body for n in walk(part)):
        match node:
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                fine |= {id(left), id(right)}
            case ast.Call(func=func, args=args) if (path := dotted_parts(func)) and path[0] == functions:
                operator = lookup.function(path[1:-1], path[-1])
                fine |= {id(a) for a in args} if operator is not None and operator.facts.sums_products else set()
    free = [n for part in body for n in walk(part) if isinstance(n, ast.Name) and n.id not in {*own, functions, "self"}]
    return {n.id for n in free if id(n) not in fine and not hasattr(builtins, n.id)}
