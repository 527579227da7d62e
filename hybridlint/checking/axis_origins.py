"""Where the axes of a tensor come from: the argument, the parameter or the call in which each size appears first."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from hybridlint.analysis.dataflow.bindings import BindingKind
from hybridlint.analysis.dataflow.function_flow import flow_of
from hybridlint.analysis.model.arrays import Tensor
from hybridlint.analysis.model.values import Namespace, OperatorRef
from hybridlint.core.hover import AxisSource
from hybridlint.runtime.facts.records import record
from hybridlint.text.shortening import shorten_code

if TYPE_CHECKING:
    from hybridlint.analysis.dataflow.bindings import Binding
    from hybridlint.analysis.model.values import Value
    from hybridlint.runtime.facts.types import DimLike, Shape
    from hybridlint.text.source import SourceFile

#: Characters of code in a sentence.
_LONGEST = 60
#: Code that computes values elsewhere or at another time than the expression around it.
_APART = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@record(frozen=True, slots=True)
class _Axis:
    """An axis of the tensor that an expression or a parameter of a function holds."""

    node: ast.AST
    number: int
    size: DimLike


class AxisOrigins:
    """Follows the sizes of tensors in one file back to the expressions in which they appear."""

    def __init__(self, source: SourceFile, values: Mapping[ast.AST, Value]) -> None:
        self._source = source
        self._values = values
        self._functions = dict(_functions(source.tree))
        self._first: dict[_Axis, _Axis] = {}

    def sources(self, node: ast.AST, held: ast.AST) -> tuple[AxisSource, ...]:
        """Return the source of each axis of the tensor that `node` shows and the expression `held` computes.

        There are none for an argument, whose axes come from nowhere else, and for tensors without a known rank.
        """
        shape = self._shape(held)
        if shape is None or isinstance(node, ast.arg):
            return ()
        origins = [self._origin(_Axis(held, number, size)) for number, size in enumerate(shape)]
        if all(self._is_argument(held, origin) or origin.node is node for origin in origins):
            return ()
        return tuple(
            AxisSource(number, str(size), *self._place(origin))
            for number, (size, origin) in enumerate(zip(shape, origins, strict=True))
        )

    def _place(self, origin: _Axis) -> tuple[str, int | None]:
        """Return an origin in words, and its row if it is no argument."""
        node = origin.node
        if isinstance(node, ast.arg):
            value = self._argument_value(node)
            kind = "parameter" if isinstance(value, Tensor) and value.origin == "parameter" else "argument"
            return f"axis {origin.number} of the {kind} `{node.arg}`", None
        if isinstance(node, ast.Name | ast.Attribute):
            return f"axis {origin.number} of `{self._source.code(node)}`", node.lineno
        return f"made by `{shorten_code(self._source.code(node), _LONGEST)}`", getattr(node, "lineno", None)

    def _is_argument(self, held: ast.AST, origin: _Axis) -> bool:
        return isinstance(held, ast.Name) and isinstance(origin.node, ast.arg) and origin.node.arg == held.id

    def _argument_value(self, node: ast.arg) -> Value | None:
        function = self._functions.get(node)
        reads = () if function is None else flow_of(function).reads_of(node.arg)
        return next((self._values[read] for read in reads if read in self._values), None)

    def _origin(self, axis: _Axis) -> _Axis:
        """Return the first axis that has the size of this one, found by following the data flow."""
        passed: list[_Axis] = []
        while axis not in self._first and axis not in passed:
            passed.append(axis)
            before = self._before(axis)
            if before is None:
                break
            axis = before
        origin = self._first.get(axis, axis)
        self._first.update(dict.fromkeys(passed, origin))
        return origin

    def _before(self, axis: _Axis) -> _Axis | None:
        """Return the axis that an axis is taken from; None where its size appears."""
        match axis.node:
            case ast.Name() as name:
                return self._bound(name, axis)
            case ast.NamedExpr(value=value):
                return _Axis(value, axis.number, axis.size)
            case ast.Attribute() | ast.arg():
                return None
        return self._operand(axis)

    def _bound(self, name: ast.Name, axis: _Axis) -> _Axis | None:
        """Return the axis of the value or the parameter that a name is bound to, None if there are several."""
        function = self._functions.get(name)
        binding: Binding | None = None if function is None else flow_of(function).binding(name)
        if binding is None:
            return None
        if binding.kind is BindingKind.PARAMETER:
            return _Axis(binding.node, axis.number, axis.size)
        source = binding.assigned if binding.kind is BindingKind.ASSIGNMENT else None
        if source is not None and self._shape(source) == self._shape(name):
            return _Axis(source, axis.number, axis.size)
        statement = binding.statement
        return _Axis(statement.value, axis.number, axis.size) if isinstance(statement, ast.Assign) else None

    def _operand(self, axis: _Axis) -> _Axis | None:
        """Return the axis of an operand that has the size of an axis of the result."""
        node, size, shape = axis.node, axis.size, self._shape(axis.node)
        operands = [(operand, own) for operand in _inside(node, self) if (own := self._shape(operand)) is not None]
        if not isinstance(size, int):
            # Equal names of sizes are equal sizes.
            return next((_Axis(o, own.index(size), size) for o, own in operands if size in own), None)
        if shape is None:
            return None
        if isinstance(node, ast.BinOp | ast.UnaryOp) and not _multiplies_matrices(node):
            # Operands broadcast: their axes are counted from the end.
            aligned = ((operand, own, axis.number - len(shape) + len(own)) for operand, own in operands)
            return next((_Axis(o, k, size) for o, own, k in aligned if k >= 0 and own[k] == size), None)
        if self._calls_operator(node) and len(operands) == 1 and operands[0][1] == shape and shape.count(size) == 1:
            return _Axis(operands[0][0], axis.number, size)
        return None

    def _calls_operator(self, node: ast.AST) -> bool:
        if not isinstance(node, ast.Call):
            return False
        called = node.func
        owner = self._values.get(called.value) if isinstance(called, ast.Attribute) else None
        return isinstance(owner, Tensor | Namespace) or isinstance(self._values.get(called), OperatorRef)

    def is_tensor(self, node: ast.AST) -> bool:
        """Return whether an expression holds a tensor."""
        return isinstance(self._values.get(node), Tensor)

    def _shape(self, node: ast.AST) -> Shape | None:
        value = self._values.get(node)
        return value.type.shape if isinstance(value, Tensor) else None


def _inside(node: ast.AST, origins: AxisOrigins) -> Iterator[ast.AST]:
    """Yield the outermost expressions inside a node that hold tensors."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _APART):
            continue
        if origins.is_tensor(child):
            yield child
        else:
            yield from _inside(child, origins)


def _multiplies_matrices(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)


def _functions(
    tree: ast.AST, function: ast.FunctionDef | ast.AsyncFunctionDef | None = None
) -> Iterator[tuple[ast.AST, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Yield the nodes in functions, each with the innermost function around it."""
    for child in ast.iter_child_nodes(tree):
        if function is not None:
            yield child, function
        inner = child if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else function
        yield from _functions(child, inner)
