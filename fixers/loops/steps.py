"""The data that a loop over a tensor steps through, and the expressions of one step in F.contrib.foreach."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator, Mapping

from hybridlint.analysis.model.events import Frame
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.arithmetic.python_operators import SYMBOLS, broadcasting_call
from hybridlint.fixers.indexing.keys import literal, whole_slice
from hybridlint.fixers.toolkit.names import dotted
from hybridlint.fixers.toolkit.rewriting import concrete_with
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.syntax import walk


@record(frozen=True, slots=True)
class Steps:
    """What a loop steps through: the tensors `data` for foreach, and the loop's `names` for their rows.

    `counter` is the name of the loop's step number, which is a one-element tensor in foreach. `rows` maps the loop's
    expression for a row, such as ``x[i]``, to the name of the row.
    """

    data: tuple[cst.BaseExpression, ...]
    names: tuple[str, ...]
    counter: str | None = None
    rows: Mapping[str, str] | None = None

    @property
    def given(self) -> cst.BaseExpression:
        """The first argument of foreach."""
        return self.data[0] if len(self.data) == 1 else expression("[{data}]", data=self.data)


def steps_of(frame: Frame, node: ast.AST, target: ast.expr, source: ast.expr, body: list[ast.AST]) -> Steps | None:
    """Return what ``for target in source`` steps through; None unless that is the rows of tensors.

    `node` is the tensor, as a part of `source`.
    """
    functions = frame.functions
    if functions is None:
        return None
    if isinstance(target, ast.Name) and source is node and _is_of_tensors(frame, source):
        return Steps((frame.concrete(source),), (target.id,))
    match target, source:
        case ast.Tuple(elts=[ast.Name(id=index), ast.Name(id=row)]), ast.Call(
            func=ast.Name(id="enumerate"), args=[ast.Name(id=data)], keywords=[]
        ):
            counted = Steps((_named(data), _positions(functions, data, 0)), (row, index), index)
            return counted if any(_binds(part, index) for part in body) else Steps((_named(data),), (row,))
        case ast.Tuple(elts=[*rows]), ast.Call(func=ast.Name(id="zip"), args=[*parts], keywords=[]):
            names = [r.id for r in rows if isinstance(r, ast.Name)]
            data_names = [p.id for p in parts if isinstance(p, ast.Name)]
            if len(names) == len(rows) == len(data_names) == len(parts) and _distinct(frame, data_names):
                return Steps(tuple(_named(name) for name in data_names), tuple(names))
        case ast.Name(id=index), ast.Call():
            count, turned = _range(source)
            return None if count is None else _counted(frame, functions, index, count, body, turned=turned)
    return None


def _range(source: ast.Call) -> tuple[ast.expr | None, bool]:
    """Return the size `n` of ``range(n)``, and whether it is gone through from its end on; (None, False) for others.

    From its end on goes ``reversed(range(n))``, and ``range(n - 1, -1, -1)``.
    """
    match source:
        case ast.Call(func=ast.Name(id="range"), args=[size], keywords=[]):
            return size, False
        case ast.Call(func=ast.Name(id="reversed"), args=[ast.Call() as inner], keywords=[]):
            count, turned = _range(inner)
            return (None if turned else count), True
        case ast.Call(
            func=ast.Name(id="range"), args=[ast.BinOp(left=size, op=ast.Sub(), right=one), stop, step], keywords=[]
        ) if (literal(one), literal(stop), literal(step)) == (1, -1, -1):
            return size, True
    return None, False


def _is_of_tensors(frame: Frame, source: ast.expr) -> bool:
    """Whether an expression is no call, or one of a function of F or of a method of a tensor: no ``zip``."""
    if not isinstance(source, ast.Call):
        return True
    path = dotted(source.func) or ("",)
    method = isinstance(source.func, ast.Attribute) and isinstance(frame.seen.value(source.func.value), Tensor)
    return method or (len(path) > 1 and path[0] == frame.functions)


def _named(name: str) -> cst.BaseExpression:
    return expression("{name}", name=name)


def _positions(functions: str, data: str, axis: int) -> cst.BaseExpression:
    """Return the positions along an axis, 0 to its size less 1, as a tensor."""
    return expression("{F}.contrib.arange_like({data}, axis={axis})", F=functions, data=data, axis=axis)


def _distinct(frame: Frame, names: list[str]) -> bool:
    """Whether names surely belong to different arrays; foreach accepts each array only once in a graph."""
    copies = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Assign))
    aliased = {t.id for n in copies if isinstance(n.value, ast.Name) for t in n.targets if isinstance(t, ast.Name)}
    return len(set(names)) == len(names) and not aliased & set(names)


def _counted(
    frame: Frame, functions: str, index: str, size: ast.expr, body: list[ast.AST], *, turned: bool
) -> Steps | None:
    """Return what ``for i in range(x.shape[1])`` steps through: the rows that the body reads, or the positions.

    They are `turned` where the loop begins at the end.
    """
    match size:
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
    reads = [(n, name) for part in body for n in walk(part) if (name := _row_of(n, index, axis)) is not None]
    inside = {id(n) for read, _ in reads for n in walk(read)}
    if reads and all(id(use) in inside for use in uses):
        return _of_rows(frame, index, axis, reads, body, turned=data if turned else None)
    if reads or not uses or turned:
        return None
    return Steps((_positions(functions, data, axis),), (index,), index)


def _of_rows(
    frame: Frame, index: str, axis: int, reads: list[tuple[ast.AST, str]], body: list[ast.AST], *, turned: str | None
) -> Steps | None:
    """Return what a loop steps through that reads the rows of tensors at its counter, and nothing else by it.

    It begins at the last row of the tensor `turned`; other tensors may have more rows.
    """
    ordered = sorted(reads, key=lambda read: (getattr(read[0], "lineno", 0), getattr(read[0], "col_offset", 0)))
    tensors = list(dict.fromkeys(name for _, name in ordered))
    several = len(tensors) > 1
    stored = {n.id for part in body for n in walk(part) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    if stored & set(tensors) or (several and not _distinct(frame, tensors)):
        return None
    names = {
        tensor: next(
            n
            for n in (*(() if several else ("row", "item")), f"{tensor}_{index}", f"{tensor}_row")
            if not any(_binds(part, n) for part in body)
        )
        for tensor in tensors
    }
    rows = {ast.unparse(n): names[tensor] for n, tensor in reads}
    template = "{data}" if axis == 0 else "{F}.swapaxes({data}, 0, 1)"
    template = template if turned is None else f"{{F}}.reverse({template}, axis=0)"
    cut = "{F}.slice_like({data}, {turned}, axes=({axis},))"
    longer = {tensor for tensor in tensors if turned not in {None, tensor}}
    given = [
        expression(cut if tensor in longer else "{data}", F=frame.functions, data=tensor, turned=turned, axis=axis)
        for tensor in tensors
    ]
    data = tuple(expression(template, F=frame.functions, data=tensor) for tensor in given)
    return Steps(data, tuple(names.values()), rows=rows)


def _row_of(node: ast.AST, index: str, axis: int) -> str | None:
    """Return the name of the tensor whose row at a loop's counter an expression reads; None for other expressions."""
    if not isinstance(node, ast.Subscript | ast.Call):
        return None
    names = (n.id for n in walk(node) if isinstance(n, ast.Name))
    return next((name for name in names if _reads_row(node, name, index, axis)), None)


def _reads_row(node: ast.AST, data: str, index: str, axis: int) -> bool:
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Name(id=key)):
            return name == data and key == index and axis == 0
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Tuple(elts=[whole, ast.Name(id=key)])):
            return name == data and key == index and axis == 1 and whole_slice(whole)
        case ast.Call(func=ast.Attribute(attr="squeeze", value=receiver), args=args, keywords=keywords):
            cut, rest = (args[0], args[1:]) if args and isinstance(args[0], ast.Call) else (receiver, args)
            given = [*rest, *(k.value for k in keywords if k.arg == "axis")]
            squeezed = len(given) == 1 and len(keywords) <= 1 and literal(given[0]) == axis
            return squeezed and _cuts_row(cut, data, index, axis)
    return False


def _cuts_row(node: ast.expr, data: str, index: str, axis: int) -> bool:
    """Whether an expression is ``F.slice_axis(x, axis=1, begin=i, end=i + 1)``."""
    match node:
        case ast.Call(func=ast.Attribute(attr="slice_axis", value=receiver), args=args, keywords=keywords):
            values = {k.arg or "": k.value for k in keywords}
        case _:
            return False
    owned = isinstance(receiver, ast.Name) and receiver.id == data
    names = ("axis", "begin", "end") if owned else ("data", "axis", "begin", "end")
    values |= dict(zip(names, args, strict=False))
    source = receiver if owned else values.get("data") if isinstance(receiver, ast.Name) else None
    match source, values.get("begin"), values.get("end"):
        case ast.Name(id=name), ast.Name(id=first), ast.BinOp(left=ast.Name(id=last), op=ast.Add(), right=one):
            return name == data and first == last == index and literal(one) == 1 and literal(values.get("axis")) == axis
    return False


def _binds(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in walk(node))


@record(frozen=True, slots=True)
class StepWriter:
    """Writes expressions of one step, with names for rows and functions that broadcast beside the counter.

    `renamed` maps names of the loop to their expressions in the step.
    """

    frame: Frame
    functions: str
    steps: Steps
    renamed: Mapping[str, cst.BaseExpression]

    def write(self, node: ast.expr) -> cst.BaseExpression | None:
        """Return an expression in one step; None if it uses the counter as only a Python number can be used."""
        counter = self.steps.counter
        if counter is not None and self._misuses(node, counter):
            return None
        return self._written(node)

    def _written(self, node: ast.expr) -> cst.BaseExpression:
        parts = dict(self._replaced(node))
        return concrete_with(self.frame, node, parts) if parts else self.frame.concrete(node)

    def _replaced(self, node: ast.AST) -> Iterator[tuple[ast.expr, cst.BaseExpression]]:
        """Yield the outermost parts of an expression that change in a step, each with its replacement."""
        rows = self.steps.rows or {}
        if isinstance(node, ast.Subscript | ast.Call) and ast.unparse(node) in rows:
            row = rows[ast.unparse(node)]
            yield node, self.renamed.get(row, _named(row))
        elif isinstance(node, ast.Name) and node.id in self.renamed:
            yield node, self.renamed[node.id]
        elif isinstance(node, ast.BinOp) and self._is_counted(node.left) != self._is_counted(node.right):
            other = node.right if self._is_counted(node.left) else node.left
            call = None if isinstance(other, ast.Constant) else self._broadcasting(node)
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
            case ast.BinOp(left=left, right=right, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()):
                parts = [part for part in (left, right) if not isinstance(part, ast.Constant)]
                return bool(parts) and all(self._is_counted(part) for part in parts)
        return False

    def _misuses(self, node: ast.AST, counter: str) -> bool:
        """Whether the counter is used other than as an operand of arithmetic."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub | ast.Mult | ast.Div):
            return any(self._misuses(p, counter) for p in (node.left, node.right) if not self._is_counted(p))
        if isinstance(node, ast.Name):
            return node.id == counter
        return any(self._misuses(child, counter) for child in ast.iter_child_nodes(node))


def captured(functions: str, body: list[ast.AST], own: set[str]) -> set[str]:
    """Return the names from outside a step for which foreach may compute a wrong gradient, if they hold tensors.

    MXNet sums the gradients of a captured tensor over the steps if it is multiplied, not if it is added.
    """
    fine: set[int] = set()
    for node in (n for part in body for n in walk(part)):
        match node:
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                fine |= {id(left), id(right)}
            case ast.Call(func=func, args=args) if (path := dotted(func)) and path[0] == functions:
                operator = lookup.function(path[1:-1], path[-1])
                fine |= {id(a) for a in args} if operator is not None and operator.facts.sums_products else set()
    free = [n for part in body for n in walk(part) if isinstance(n, ast.Name) and n.id not in {*own, functions, "self"}]
    return {n.id for n in free if id(n) not in fine and not hasattr(builtins, n.id)}
