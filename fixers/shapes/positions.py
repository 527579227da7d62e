"""Fixers of positions along an axis, by its size: ``F.arange(n)`` and ``F.linspace(a, b, n)`` become arange_like."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.arithmetic.broadcasting import with_broadcasting
from hybridlint.fixers.evidence.carried_dtypes import meets_dtype
from hybridlint.fixers.evidence.sizes.tensors_of_shape import tensor_of_shape
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.requested_dtypes import DEFAULT, cast, requested_dtype
from hybridlint.fixers.shapes.sized_call_rules import SizeRead, rewrites
from hybridlint.fixers.shapes.sizes import Size, parse, vector
from hybridlint.fixers.toolkit.arguments import append_argument, by_name
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite
from hybridlint.fixers.toolkit.statements import replace_statements
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts.records import record
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.literals import literal_value
from hybridlint.text.syntax import walk


@record(frozen=True, slots=True)
class PositionRow:
    """Whole numbers as many as the axis of a named tensor is long, upwards from `start`, or down to it."""

    tensor: str
    axis: int
    start: int = 0
    downwards: bool = False


def row_of(arguments: list[ast.expr]) -> PositionRow | None:
    """Return the row that ``arange`` counts for arguments with the size of one axis; None for others."""
    start, step = ast.Constant(0), 1
    match arguments:
        case [stop]:
            first: ast.expr = start
        case [first, stop]:
            pass
        case [first, stop, by] if literal(by) in {1, -1}:
            step = literal(by) or 1
        case _:
            return None
    if step == -1:
        # From n - 1 down to 0, which is n numbers.
        size, begin = _shifted(first), literal(stop)
        found = None if size is None or begin is None or size[1] != begin else (size[0], begin + 1)
    else:
        size, begin = _shifted(stop), literal(first)
        found = None if size is None or begin is None or size[1] != begin else (size[0], begin)
    return None if found is None else PositionRow(*found[0], start=found[1], downwards=step == -1)


def _shifted(node: ast.expr) -> tuple[tuple[str, int], int] | None:
    """Return the axis and the number in ``x.shape[1] + 1``; the number is 0 for the size alone."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right) if literal(right) is not None:
            size, number = parse(left), literal(right) or 0
            number = number if isinstance(node.op, ast.Add) else -number
        case _:
            size, number = parse(node), 0
    return None if size is None or size.plain is None else (size.plain, number)


def counting(
    event: SizeRead, namespace: str, axis: tuple[str, int], dtype: str = DEFAULT, *, made: ast.expr | None = None
) -> cst.Call:
    """Return the positions along an axis of a tensor, in a dtype.

    The operator counts in the dtype of its tensor, which is cast first: half precision counts exactly only to 2048. It
    is not if what is `made` of that dtype meets what has the dtype of the tensor: that is the same then.
    """
    tensor = expression("{x}", x=axis[0])
    if made is None or not meets_dtype(event.frame, made, axis[0]):
        tensor = cast(event, tensor, dtype)
    new = expression("{F}.arange_like({x}, axis={axis})", F=namespace, x=tensor, axis=axis[1])
    assert isinstance(new, cst.Call)
    return new


def numbers_up_to(event: SizeRead, functions: str, size: Size, dtype: str, made: ast.expr) -> cst.Call:
    """Return the whole numbers from 0 on, as many as a size says, in a dtype; see `counting`."""
    if size.plain is not None:
        return counting(event, f"{functions}.contrib", size.plain, dtype, made=made)
    row = vector(functions, size)
    if not all(meets_dtype(event.frame, made, tensor) for tensor, _ in size.axes):
        row = cast(event, row, dtype)
    new = expression("{F}.contrib.arange_like({row}, axis=0)", F=functions, row=row)
    assert isinstance(new, cst.Call)
    return new


def _between(event: SizeRead, functions: str, dtype: str, call: ast.Call) -> cst.BaseExpression | None:
    """Return the numbers from 0 or from a multiple of a size up to another one of it, ``F.arange(n, 2 * n)``."""
    stop = parse(call.args[-1]) if 1 <= len(call.args) <= 2 else None
    if stop is None or not stop.axes or stop.divisor > 1:
        return None
    if len(call.args) == 1 or literal(call.args[0]) == 0:
        return numbers_up_to(event, functions, stop, dtype, call)
    start = parse(call.args[0])
    if start is None or (start.axes, start.divisor) != (stop.axes, 1) or start.number >= stop.number:
        return None
    row = numbers_up_to(event, functions, Size(stop.number - start.number, stop.axes), dtype, call)
    last = numbers_up_to(event, functions, start, dtype, call)
    row = append_argument(row, by_name("start", expression("1")))
    return expression("{F}.broadcast_add({row}, {F}.max({last}))", F=functions, row=row, last=last)


def _counted(event: SizeRead, functions: str, row: PositionRow, dtype: str, made: ast.expr) -> cst.BaseExpression:
    """Return the numbers of a row."""
    new: cst.BaseExpression = counting(event, f"{functions}.contrib", (row.tensor, row.axis), dtype, made=made)
    if row.start:
        assert isinstance(new, cst.Call)
        new = append_argument(new, by_name("start", expression("{start}", start=row.start)))
    return expression("{F}.flip({x}, axis=0)", F=functions, x=new) if row.downwards else new


def _along_another(frame: CodeContext, call: ast.Call) -> PositionRow | None:
    """Return the axis of a tensor at hand that is as long as a product of sizes, ``F.arange(h * w)``."""
    if len(call.args) != 1 or not isinstance(call.args[0], ast.BinOp):
        return None
    alike = tensor_of_shape(frame, call, call.args)
    if alike is None or not alike.sure:
        return None
    return PositionRow(alike.read.id, 0 if alike.places is None else alike.places[0])


@rewrites("arange", methods=False)
def positions(event: SizeRead, call: ast.Call, _: bool) -> Fix | None:
    """Write ``F.arange(x.shape[1])`` as ``F.contrib.arange_like(x, axis=1)``, which has the dtype of `x`."""
    frame, functions = event.frame, event.frame.functions
    given = {k.arg: k.value for k in call.keywords if k.arg != "ctx"}
    dtype = requested_dtype(event, given.pop("dtype", None))
    if given or dtype is None or functions is None:
        return None
    row = row_of(call.args) or _along_another(frame, call)
    new = _between(event, functions, dtype, call) if row is None else _counted(event, functions, row, dtype, call)
    if new is None:
        return None
    open_shape = isinstance(event.value, Tensor) and event.value.type.shape is None
    return (with_broadcasting if open_shape else rewrite)(frame, call, new, Applicability.SAFE)


@rewrites("array", methods=False)
def positions_of_array(event: SizeRead, call: ast.Call, _: bool) -> Fix | None:
    """Write ``nd.array(range(x.shape[1]))`` as ``F.contrib.arange_like(x, axis=1)``."""
    functions = event.frame.functions
    match call:
        case ast.Call(args=[ast.Call(func=function, args=sizes, keywords=[])], keywords=keywords):
            row = row_of(sizes)
        case _:
            return None
    counts = dotted_parts(function) in {("range",), ("np", "arange"), ("numpy", "arange")}
    if not counts or row is None or functions is None or any(k.arg != "ctx" for k in keywords):
        return None
    return rewrite(event.frame, call, _counted(event, functions, row, DEFAULT, call), Applicability.SAFE)


def numpy_positions(event: SizeRead, call: ast.Call) -> Fix | None:
    """Write ``F.np.arange(x.shape[1])`` as ``F.npx.arange_like(x, axis=1)``; ``len(x)`` is the size of axis 0."""
    functions, path = event.frame.functions, dotted_parts(call.func) or ()
    if functions is None or path[:-1] != (functions, "np"):
        return None
    if path[-1] == "linspace":
        return _spaced_out(event, call, f"{functions}.np", f"{functions}.npx")
    size = parse(call.args[0]) if path[-1] == "arange" and len(call.args) == 1 and not call.keywords else None
    if size is None or size.plain is None:
        return None
    return rewrite(event.frame, call, counting(event, f"{functions}.npx", size.plain), Applicability.SAFE)


@rewrites("linspace", methods=False)
def space_positions(event: SizeRead, call: ast.Call, _: bool) -> Fix | None:
    """Write ``F.linspace(-1, 1, x.shape[2])`` as positions divided by the last one, scaled and moved.

    Along an axis of size 1 the last position is 0, and so is the quotient by 1. Unsafe: the numbers may differ in the
    last digits.
    """
    functions = event.frame.functions
    return None if functions is None else _spaced_out(event, call, functions, f"{functions}.contrib")


def _spaced_out(event: SizeRead, call: ast.Call, functions: str, counter: str) -> Fix | None:
    frame = event.frame
    given = {k.arg: k.value for k in call.keywords if k.arg not in {"ctx", "device"}}
    parts = [*call.args, *(given.pop(name) for name in ("start", "stop", "num")[len(call.args) :] if name in given)]
    dtype = requested_dtype(event, given.pop("dtype", None))
    size = parse(parts[2]) if len(parts) == 3 else None
    if size is None or size.plain is None or dtype is None or given:
        return None
    at = counting(event, counter, size.plain, dtype, made=call)
    name = _named_alone(frame, call)
    row = at if name is None else expression("{name}", name=name)
    new = _scaled(frame, _parted(frame, functions, row), parts[0], parts[1])
    if name is None:
        return rewrite(frame, call, new, Applicability.UNSAFE)
    assert isinstance(frame.statement, ast.Assign)
    whole = concrete_with(frame, frame.statement.value, {call: new})
    made = statements("{name} = {at}\n{name} = {whole}", name=name, at=at, whole=whole)
    message = "Divide the positions by the last one"
    return replace_statements(frame, frame.statement, made, Applicability.UNSAFE, message=message)


def _parted(frame: CodeContext, functions: str, row: cst.BaseExpression) -> cst.BaseExpression:
    """Return positions divided by the last one, or by 1 where that is 0."""
    if frame.mode == "np":
        return expression("{row} / {np}.maximum({np}.max({row}), 1)", np=functions, row=row)
    return expression("{F}.broadcast_div({row}, {F}.maximum({F}.max({row}), 1))", F=functions, row=row)


def _scaled(frame: CodeContext, row: cst.BaseExpression, start: ast.expr, stop: ast.expr) -> cst.BaseExpression:
    """Return numbers from 0 to 1 scaled and moved so that they go from `start` to `stop`."""
    first, last = _constant(start), _constant(stop)
    if first is None or last is None:
        return expression(
            "{row} * ({stop} - {start}) + {start}", row=row, start=frame.concrete(start), stop=frame.concrete(stop)
        )
    new = row if last - first == 1 else expression("{row} * {scale}", row=row, scale=_written(last - first))
    if first == 0:
        return new
    return expression("{row} - {by}" if first < 0 else "{row} + {by}", row=new, by=_written(abs(first)))


def _constant(node: ast.expr) -> float | None:
    """Return the value of a literal number."""
    try:
        value = literal_value(node)
    except ValueError:
        return None
    return value if isinstance(value, int | float) else None


def _written(number: float) -> cst.BaseExpression:
    """Return a number of the graph as code, whole ones without a point."""
    return expression(repr(int(number)) if number == int(number) else repr(number))


def _named_alone(frame: CodeContext, call: ast.Call) -> str | None:
    """Return the name that the statement around a call binds, and that nothing in it reads; None for others."""
    match frame.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            parts = [*walk(value)]
            once = not any(isinstance(n, ast.Lambda | ast.ListComp | ast.GeneratorExp | ast.IfExp) for n in parts)
            read = any(isinstance(n, ast.Name) and n.id == name for n in parts)
            return name if once and not read and call in parts else None
    return None
