"""Sizes that expressions read from tensors or compute from settings."""

from __future__ import annotations

import ast

from hybridlint.analysis.dataflow.attributes import stores_of
from hybridlint.analysis.dataflow.bindings import Binding, BindingKind
from hybridlint.analysis.dataflow.scopes import names_in
from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, axis_of, of_number
from hybridlint.fixers.evidence.sizes.constructor_sizes import kept_size
from hybridlint.fixers.evidence.sizes.shape_parts import axis_bound, axis_by_name
from hybridlint.fixers.evidence.sizes.size_reader import DEEPEST, SizeReader
from hybridlint.fixers.indexing.keys import literal
from hybridlint.text.syntax import walk

#: The longest chain of names that is searched for reads of sizes: each may have several values.
_MOST_NAMES = 3


def size_of(reader: SizeReader, node: ast.expr) -> AxisSize | None:
    """Return the size that an expression reads or computes; None for anything else, such as -1."""
    number = literal(node)
    if number is not None:
        return of_number(number) if number > 0 else None
    match node:
        case ast.Subscript(value=ast.Attribute(value=ast.Name() as tensor, attr="shape"), slice=index):
            found = axis_of(reader.axes(tensor), literal(index))
        case ast.Subscript(value=ast.Name()):
            named = axis_by_name(reader.frame, node)
            found = None if named is None else axis_of(reader.axes(named[0]), named[1])
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name() as tensor]):
            found = axis_of(reader.axes(tensor), 0)
        case ast.Subscript(
            value=ast.Attribute(value=ast.Attribute(value=ast.Name(id="self"), attr=name), attr="shape"),
            slice=index,
        ) if name in _arguments(reader.frame):
            # A parameter is the argument of its name.
            axis = literal(index)
            found = None if axis is None else AxisSize((f"{name}[{axis}]",))
        case ast.BinOp(op=ast.Mult() | ast.FloorDiv()) | ast.Call(func=ast.Name(id="int"), args=[_], keywords=[]):
            found = _product(reader, node)
        case ast.Name():
            found = _named(reader, node)
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            held = isinstance(reader.frame.seen.value(node), Tensor) or _sets(reader.frame, name)
            found = None if held else kept_size(reader.frame, name) or AxisSize((f"self.{name}",))
        case _:
            found = None
    return found


def reads_tensor(reader: SizeReader, node: ast.expr) -> bool:
    """Return whether an expression reads a size of a tensor, by itself or by names that the function binds."""
    for part in walk(node):
        match part:
            case ast.Attribute(attr="shape") | ast.Call(func=ast.Name(id="len")):
                return True
            case ast.Name(id=name) if reader.depth < _MOST_NAMES and any(
                reads_tensor(reader.deeper, value)
                for binding in reader.frame.flow.rebindings_of(name)
                if isinstance(binding.statement, ast.Assign) and (value := binding.value or binding.source) is not None
            ):
                return True
            case _:
                pass
    return False


def _product(reader: SizeReader, node: ast.expr, *, rounded: bool = False) -> AxisSize | None:
    """Return the product or quotient of sizes; within ``int(...)``, where it is `rounded`, also a quotient by ``/``."""
    match node:
        case ast.Call(func=ast.Name(id="int"), args=[inner], keywords=[]) if not rounded:
            return _product(reader, inner, rounded=True)
        case ast.BinOp(op=ast.Mult() | ast.FloorDiv()):
            pass
        case ast.BinOp(op=ast.Div()) if rounded:
            pass
        case _:
            return size_of(reader, node)
    left, right = (_product(reader, side, rounded=rounded) for side in (node.left, node.right))
    if left is None or right is None:
        return None
    return left * right if isinstance(node.op, ast.Mult) else left // right


def _named(reader: SizeReader, node: ast.Name) -> AxisSize | None:
    """Return the size that a name was last bound to, or the name as a factor if nothing binds it."""
    frame = reader.frame
    bindings = frame.flow.rebindings_of(node.id)
    if reader.depth > DEEPEST:
        return None
    if not bindings or all(_counts(reader, binding) for binding in bindings):
        return AxisSize((node.id,))
    binding = frame.binding(node)
    if binding is None or not isinstance(binding.statement, ast.Assign) or len(binding.statement.targets) != 1:
        return None
    size = _assigned(reader.deeper, binding)
    if len(bindings) == 1:
        return size
    # A setting is no size, and one that the statement binds anew could not be read elsewhere.
    anew = frame.statement is not None and node.id in names_in(frame.statement).stores
    return None if size is None or anew or node.id in (*size.factors, *size.divisors) else size


def _counts(reader: SizeReader, binding: Binding) -> bool:
    """Whether a loop over ``range`` of numbers binds a name, with as many rounds for every tensor."""
    match binding.source:
        case ast.Call(func=ast.Name(id="range")) as call if binding.kind is BindingKind.LOOP:
            return not reads_tensor(reader, call)
    return False


def _assigned(reader: SizeReader, binding: Binding) -> AxisSize | None:
    """Return the size that an assignment binds a name to: an expression, or one of several that are unpacked."""
    if binding.value is not None:
        known = size_of(reader, binding.value)
        setting = known is None and binding.is_plain and _computes_setting(reader, binding.value)
        return AxisSize((binding.name,)) if setting else known
    read = axis_bound(binding)
    if read is not None:
        return axis_of(reader.axes(read[0].value), read[1])
    settings = isinstance(binding.source, ast.Attribute) and size_of(reader, binding.source) is not None
    return AxisSize((binding.name,)) if settings and isinstance(binding.item, int) else None


def _computes_setting(reader: SizeReader, value: ast.expr) -> bool:
    """Whether an expression computes a number from settings and numbers alone, such as ``int(math.sqrt(self.n))``."""
    match value:
        case ast.Call(func=ast.Name(id="int" | "max" | "min" | "round"), args=parts, keywords=[]):
            pass
        case ast.Call(func=ast.Attribute(value=ast.Name(id="math")), args=parts, keywords=[]):
            pass
        case ast.BinOp(left=left, right=right):
            parts = [left, right]
        case ast.Subscript(value=ast.Attribute() as setting, slice=ast.Constant()):
            parts = [setting]
        case ast.Constant(value=number):
            return isinstance(number, int | float)
        case ast.Attribute(value=ast.Name(id="self")):
            return size_of(reader, value) is not None
        case _:
            return False
    return all(_computes_setting(reader, part) for part in parts)


def _arguments(frame: CodeContext) -> set[str]:
    return {a.arg for a in frame.function.args.args} if isinstance(frame.function, ast.FunctionDef) else set()


def _sets(frame: CodeContext, attribute: str) -> bool:
    return bool(stores_of(frame.function or ast.Pass(), attribute))
