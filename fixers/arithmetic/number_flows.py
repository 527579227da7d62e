"""The fixer of Python numbers that are read from tensors and meet each other: one-element tensors all the way."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from enum import Enum

from hybridlint.analysis.dataflow.bindings import Binding
from hybridlint.analysis.model.events import CodeContext, Concretize, MethodCall, TraceConstant
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.arithmetic.broadcasting import COMPARISONS
from hybridlint.fixers.arithmetic.python_draws import PythonDraw, draw_of
from hybridlint.fixers.arithmetic.python_operators import SYMBOLS, broadcasting_call
from hybridlint.fixers.arithmetic.scalars import may_be_python_number, names_dtype
from hybridlint.fixers.evidence.layers_without_gradient import leaves_layer_without_gradient
from hybridlint.fixers.evidence.settings import is_setting
from hybridlint.fixers.evidence.sure_tensors import surely_tensor
from hybridlint.fixers.functions.copies import stop_gradient
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite
from hybridlint.fixers.toolkit.statements import join_fixes
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.lookup import EXTREMES
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text import cst
from hybridlint.text.concrete import code
from hybridlint.text.edits import Applicability, Fix, FixKind
from hybridlint.text.syntax import children, walk

_MESSAGE = "Compute with tensors of one element what is a Python number here"

#: Modules whose functions of numbers have the names of operators.
_OF_NUMBERS = frozenset({"math", "np", "numpy"})


class _Side(Enum):
    """The number on one side of an operator: read from a tensor, or any other one."""

    DERIVED = "derived"
    PLAIN = "plain"


class _UnknownUseError(Exception):
    """A number is used as only Python numbers can be."""


def numbers_as_tensors(event: MethodCall | Concretize | TraceConstant, *, tested: bool = False) -> Fix | None:
    """Write ``n = x.sum().asscalar()`` and ``y / (n + m)`` as ``n = F.BlockGrad(x.sum())`` and a broadcasting division.

    The event reads a number. All numbers that it meets are read from tensors too, or are settings. None unless
    each of them ends beside a tensor, or, if `tested`, in the test of an ``if``. It is unsafe: Python computes with 64
    bits, and operators raise on two dtypes.
    """
    frame, node = event.frame, event.node
    if frame.functions is None or frame.mode != "legacy" or not isinstance(node, ast.expr):
        return None
    flow = _NumberFlow(frame, frame.functions, tested=tested)
    try:
        parts = flow.parts_from(node)
    except _UnknownUseError:
        return None
    # A tensor that an ``if`` tests has no truth value in a graph either, but there the ``if`` can be rewritten.
    kind = FixKind.STEP if tested else FixKind.REPAIR
    return join_fixes(_MESSAGE, [rewrite(frame, old, new, Applicability.UNSAFE) for old, new in parts], kind=kind)


def given_as_tensors(
    frame: CodeContext, given: Mapping[ast.expr, str]
) -> list[tuple[ast.expr, cst.BaseExpression]] | None:
    """Return the code for numbers that become inputs: arrays of shape ``(1,)`` with the names in `given`.

    The result has the outermost expressions that change, each with its replacement. None unless each number ends beside
    a tensor.
    """
    if frame.functions is None:
        return None
    flow = _NumberFlow(frame, frame.functions, tested=False, given=given)
    try:
        parts = [part for node in given for part in flow.parts_from(node)]
    except _UnknownUseError:
        return None
    return list(dict(parts).items())


def of_several(fix: Fix | None, event: MethodCall | Concretize) -> Fix | None:
    """Return a safe fix of one read, else a fix of all numbers that the read meets, else an unsafe fix of the read."""
    return fix if fix is not None and fix.applicability is Applicability.SAFE else numbers_as_tensors(event) or fix


@record(frozen=True, slots=True)
class _Read:
    """A tensor whose only element, or whose reduction to one by a method, is read as a number.

    It may also be a number that is drawn.
    """

    tensor: ast.expr
    method: str | None = None
    truncated: bool = False
    draw: PythonDraw | None = None
    #: The input that has the number, in the place of any tensor.
    given: str | None = None


class _NumberFlow:
    """The numbers of one function that are read from tensors: the names that hold them, and what to write."""

    def __init__(
        self, frame: CodeContext, functions: str, *, tested: bool, given: Mapping[ast.expr, str] | None = None
    ) -> None:
        self._frame = frame
        self._functions = functions
        self._bindings: list[Binding] = []
        #: Whether an ``if`` may compare one of the numbers.
        self._tested = tested
        self._given = given or {}

    def parts_from(self, node: ast.expr) -> list[tuple[ast.expr, cst.BaseExpression]]:
        """Return the tensors to write for all expressions that compute with the number of a read."""
        statements: dict[int, ast.stmt] = {}
        pending = [self._statement_of(node)]
        followed = 0
        while pending or followed < len(self._bindings):
            while pending:
                statement = pending.pop()
                if id(statement) not in statements:
                    statements[id(statement)] = statement
                    # Names that hold numbers are noted on the way.
                    self._written_in(statement)
            for binding in self._bindings[followed:]:
                followed += 1
                assert binding.statement is not None
                pending += [binding.statement, *(self._statement_of(use) for use in self._frame.uses(binding))]
        return [part for statement in statements.values() for part in self._written_in(statement)]

    def _statement_of(self, node: ast.expr) -> ast.stmt:
        statement = self._frame.flow.statement_at(node)
        if not isinstance(statement, ast.Assign | ast.Return | ast.Expr | ast.If):
            raise _UnknownUseError
        return statement

    def _written_in(self, statement: ast.stmt) -> list[tuple[ast.expr, cst.BaseExpression]]:
        """Return the outermost expressions of a statement that change, each with its replacement."""
        match statement:
            case ast.Assign(targets=[ast.Name()], value=value) if self._side(value) is _Side.DERIVED:
                binding = next(b for b in self._frame.flow.bindings if b.statement is statement)
                self._note(binding)
                new = self._number(value)
                same = code(new) == code(self._frame.concrete(value))
                return [] if same else [(value, new)]
            case ast.Assign(value=value) | ast.Return(value=ast.expr() as value) | ast.Expr(value=value):
                return list(self._changed(value))
            case ast.If(test=ast.Compare(left=left, ops=[_], comparators=[right])):
                return self._written_in_test(left, right)
        raise _UnknownUseError

    def _written_in_test(self, left: ast.expr, right: ast.expr) -> list[tuple[ast.expr, cst.BaseExpression]]:
        """Return the new code for a comparison of a number with a setting."""
        if not self._tested or self._side(left) is not _Side.DERIVED or self._side(right) is not _Side.PLAIN:
            raise _UnknownUseError
        new = self._number(left)
        return [] if code(new) == code(self._frame.concrete(left)) else [(left, new)]

    def _note(self, binding: Binding) -> None:
        if binding not in self._bindings:
            alone = len(self._frame.flow.bindings_of(binding.name)) == 1
            if not alone or not binding.is_plain:
                raise _UnknownUseError
            self._bindings.append(binding)

    def _changed(self, node: ast.expr) -> Iterator[tuple[ast.expr, cst.BaseExpression]]:
        """Yield the outermost parts of an expression that are no numbers and compute with one."""
        new = self._beside(node)
        if new is not None:
            yield node, new
            return
        if self._side(node) is _Side.DERIVED:
            raise _UnknownUseError
        for child in _inner(node):
            yield from self._changed(child)

    def _beside(self, node: ast.expr) -> cst.BaseExpression | None:
        """Return an operator between a tensor and a number as a function that broadcasts; None for other nodes."""
        symbol: str | None = None
        match node:
            case ast.BinOp(left=left, right=right):
                symbol = SYMBOLS.get(type(node.op))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                symbol = COMPARISONS.get(type(op))
            case ast.Call(func=function, args=[left, right], keywords=[]):
                return self._by_function(function, left, right)
            case _:
                return None
        numbers = [self._side(part) is _Side.DERIVED for part in (left, right)]
        if numbers[0] == numbers[1]:
            return None
        self._demand_tensor(right if numbers[0] else left)
        if names_dtype(node):
            # A number fits any dtype, a tensor its own alone.
            raise _UnknownUseError
        new = broadcasting_call(self._functions, symbol, self._part(left), self._part(right))
        if new is None:
            raise _UnknownUseError
        return new

    def _by_function(self, function: ast.expr, left: ast.expr, right: ast.expr) -> cst.BaseExpression | None:
        """Return ``F.maximum(x, n)`` as ``F.broadcast_maximum(x, n)``; None for other calls."""
        path = dotted_parts(function) or ()
        name = f"broadcast_{path[-1]}" if len(path) == 2 and path[0] == self._functions else ""
        numbers = [self._side(part) is _Side.DERIVED for part in (left, right)]
        if lookup.function((), name) is None or numbers[0] == numbers[1]:
            return None
        self._demand_tensor(right if numbers[0] else left)
        template = "{F}.{name}({left}, {right})"
        return expression(template, F=self._functions, name=name, left=self._part(left), right=self._part(right))

    def _demand_tensor(self, node: ast.expr) -> None:
        if not surely_tensor(self._frame, node):
            raise _UnknownUseError

    def _part(self, node: ast.expr) -> cst.BaseExpression:
        """Return one side of an operator as it is to be written."""
        if self._side(node) is _Side.DERIVED:
            return self._number(node)
        parts = dict(self._changed(node))
        return concrete_with(self._frame, node, parts) if parts else self._frame.concrete(node)

    def _side(self, node: ast.expr) -> _Side | None:
        """Return whether an expression is a number that is read from a tensor, or another number; None for others."""
        if self._read(node) is not None:
            return _Side.DERIVED
        parts: list[ast.expr] = []
        match node:
            case ast.Constant(value=int() | float()):
                return _Side.PLAIN
            case ast.Name():
                return self._side_of_name(node)
            case ast.BinOp(left=left, right=right):
                parts = [left, right]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                parts = [operand]
            case ast.Call(func=function, args=[_, *_] as args, keywords=[]) if self._computes(function, len(args)):
                parts = args
        sides = [self._side(part) for part in parts]
        if _Side.DERIVED in sides and None not in sides:
            return _Side.DERIVED
        return _Side.PLAIN if _Side.DERIVED not in sides and is_setting(self._frame, node) else None

    def _side_of_name(self, node: ast.Name) -> _Side | None:
        binding = self._frame.binding(node)
        if binding is not None and binding in self._bindings:
            return _Side.DERIVED
        plain = binding is not None and binding.is_plain and binding.value is not None
        if plain and binding is not None and binding.value is not None and self._side(binding.value) is _Side.DERIVED:
            self._note(binding)
            return _Side.DERIVED
        return _Side.PLAIN if is_setting(self._frame, node) else None

    def _computes(self, function: ast.expr, count: int) -> bool:
        """Return whether a function of numbers has an operator of its name, or is one of Python's."""
        path = dotted_parts(function) or ("",)
        if len(path) == 1:
            return path[0] in ({"float", "abs"} if count == 1 else EXTREMES if count == 2 else ())
        if path[0] not in _OF_NUMBERS or len(path) != 2 or count != 1:
            return False
        operator = lookup.function((), path[1])
        known = operator is not None and lookup.of_numpy(path[1]) is not None and len(operator.inputs) == 1
        return known and operator is not None and properties.is_elementwise(operator)

    def _number(self, node: ast.expr) -> cst.BaseExpression:
        """Return the tensor of one element in the place of a number."""
        if self._side(node) is not _Side.DERIVED:
            return self._frame.concrete(node)
        read = self._read(node)
        if read is not None:
            return self._of_read(read)
        match node:
            case ast.BinOp(left=left, right=right) if type(node.op) in SYMBOLS and not isinstance(node.op, ast.Mod):
                return self._arithmetic(node, left, right)
            case ast.UnaryOp(operand=operand):
                return concrete_with(self._frame, node, {operand: self._number(operand)})
            case ast.Call(func=function, args=args):
                return self._called(function, args)
            case ast.Name():
                return self._frame.concrete(node)
        raise _UnknownUseError

    def _called(self, function: ast.expr, args: list[ast.expr]) -> cst.BaseExpression:
        """Return the operator that computes a function of numbers; ``float`` gives the number itself."""
        name = (dotted_parts(function) or ("",))[-1]
        parts = [self._number(part) for part in args]
        if name == "float":
            return parts[0]
        if name in EXTREMES:
            both = all(self._side(part) is _Side.DERIVED for part in args)
            name = f"broadcast_{EXTREMES[name]}" if both else EXTREMES[name]
        return expression("{F}.{name}({parts})", F=self._functions, name=name, parts=parts)

    def _arithmetic(self, node: ast.BinOp, left: ast.expr, right: ast.expr) -> cst.BaseExpression:
        both = self._side(left) is _Side.DERIVED and self._side(right) is _Side.DERIVED
        if both and not (self._has_one_axis(left) and self._has_one_axis(right)):
            symbol = SYMBOLS[type(node.op)]
            new = broadcasting_call(self._functions, symbol, self._number(left), self._number(right))
            if new is None:
                raise _UnknownUseError
            return new
        parts = {part: self._number(part) for part in (left, right) if self._side(part) is _Side.DERIVED}
        return concrete_with(self._frame, node, parts)

    def _has_one_axis(self, node: ast.expr) -> bool:
        """Return whether all tensors that a number is read from have the shape ``(1,)``, as reductions give it."""
        read = self._read(node)
        if read is not None:
            held = self._frame.seen.value(read.tensor)
            drawn = read.draw is not None
            given = read.given is not None
            return given or drawn or read.method is not None or (isinstance(held, Tensor) and held.type.shape == (1,))
        if isinstance(node, ast.Name):
            binding = self._frame.binding(node)
            return binding is None or binding.value is None or self._has_one_axis(binding.value)
        return all(self._has_one_axis(part) for part in _inner(node))

    def _of_read(self, read: _Read) -> cst.BaseExpression:
        if read.given is not None:
            return cst.Name(read.given)
        if read.draw is not None:
            return read.draw.written(self._frame)
        held = self._frame.seen.value(read.tensor)
        if not isinstance(held, Tensor) or leaves_layer_without_gradient(self._frame, read.tensor):
            raise _UnknownUseError
        if read.method is None:
            new = stop_gradient(self._functions, held, self._frame, read.tensor)
        else:
            template = "{F}.BlockGrad({x}.{method}())"
            x = self._frame.concrete(read.tensor)
            new = expression(template, F=self._functions, x=x, method=read.method)
        if (held.type.dtype or "float32") != "float32":
            new = expression('{x}.astype("float32")', x=new)
        return expression("{F}.trunc({x})", F=self._functions, x=new) if read.truncated else new

    def _read(self, node: ast.expr) -> _Read | None:
        """Return the tensor that an expression reads a number from; None for other expressions."""
        found: _Read | None = None
        if node in self._given:
            return _Read(node, given=self._given[node])
        draw = draw_of(self._frame, node) if isinstance(node, ast.Call) else None
        if draw is not None:
            return _Read(node, draw=draw) if draw.shape is None else None
        match node:
            case ast.Call(func=ast.Name(id="float" | "int" as kind), args=[inner], keywords=[]):
                found = self._read(inner) or self._of_array(inner) or self._sure_tensor(inner)
                if found is not None and kind == "int":
                    found = replace(found, truncated=True)
            case ast.Call(func=ast.Attribute(value=inner, attr="asscalar"), args=[], keywords=[]):
                found = self._tensor(inner)
            case ast.Call(func=ast.Attribute(value=inner, attr="item"), args=[], keywords=[]):
                found = self._of_array(inner) or self._sure_tensor(inner)
            case ast.Subscript(value=inner, slice=key) if literal(key) in {0, -1}:
                found = self._of_array(inner)
            case ast.Call(func=ast.Attribute(value=inner, attr=method), args=[], keywords=[]) if _reduces(method):
                found = self._of_array(inner, method=method)
            case ast.Call(func=function, args=[inner], keywords=[]):
                path = dotted_parts(function) or ("",)
                known = len(path) == 2 and path[0] in {"np", "numpy"} and _reduces(path[1])
                found = self._of_array(inner, method=path[1]) if known else None
        return found

    def _of_array(self, node: ast.expr, *, method: str | None = None) -> _Read | None:
        """Return the tensor of ``x.asnumpy()``, which has one element or is reduced to one by a method."""
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr="asnumpy"), args=[], keywords=[]):
                found, held = self._tensor(inner), self._frame.seen.value(inner)
                one = isinstance(held, Tensor) and held.type.shape == (1,)
                return replace(found, method=method) if found is not None and (one or method is not None) else None
        return None

    def _sure_tensor(self, node: ast.expr) -> _Read | None:
        """Return a tensor that can be no number, which Python converts too."""
        held = self._frame.seen.value(node)
        number = not isinstance(held, Tensor) or may_be_python_number(self._frame, node, held)
        return None if number else self._tensor(node)

    def _tensor(self, node: ast.expr) -> _Read | None:
        held = self._frame.seen.value(node)
        return _Read(node) if isinstance(held, Tensor) and held.mode == "legacy" else None


def _reduces(method: str) -> bool:
    """Return whether a method reduces all elements of a tensor to one, for which numpy has the same name."""
    operator = lookup.method(method)
    known = operator is not None and operator.differentiable and lookup.of_numpy(method) is not None
    return known and operator is not None and properties.reduces_to_number(operator)


def _inner(node: ast.expr) -> Iterator[ast.expr]:
    """Yield the expressions in an expression, those of keywords and comprehensions too."""
    for child in children(node):
        if isinstance(child, ast.expr):
            yield child
        else:
            yield from (part for part in walk(child) if isinstance(part, ast.expr) and part is not child)
