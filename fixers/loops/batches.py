"""Terms of a loop over rows, computed for all rows at once."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import StaticValue
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.arguments import by_name, with_arguments
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import concrete_with
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.registry import Operator
from hybridlint.text import cst
from hybridlint.text.syntax import walk


def for_all_rows(frame: CodeContext, term: ast.expr, row: str, rows: str) -> cst.BaseExpression | None:
    """Return a term of one row for all rows as one tensor: ``F.max(rows, axis=1)`` for ``F.max(row, axis=0)``.

    None if the term is not known to compute for each row of a tensor what it computes for one.
    """
    return _Batch(frame, row, rows).whole(term)


@record(frozen=True, slots=True)
class _Batch:
    """Writes expressions of a row for all rows; the first axis is that of the rows."""

    frame: CodeContext
    row: str
    rows: str

    def whole(self, node: ast.expr) -> cst.BaseExpression | None:
        """Return an expression of a row for all rows."""
        match node:
            case ast.Name(id=name) if name == self.row:
                return expression("{rows}", rows=self.rows)
            case ast.BinOp(left=left, right=right) if self._fits(left, right):
                return self._with(node, [left, right])
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return self._with(node, [inner])
            case ast.Call(func=ast.Attribute()):
                return self._call(node)
        return None

    def _with(self, node: ast.expr, parts: list[ast.expr]) -> cst.BaseExpression | None:
        """Return an expression with those of its parts that depend on the row written for all rows."""
        found = {part: self.whole(part) for part in parts if not self._is_number(part)}
        known = {part: new for part, new in found.items() if new is not None}
        return concrete_with(self.frame, node, known) if len(known) == len(found) else None

    def _fits(self, left: ast.expr, right: ast.expr) -> bool:
        """Whether two operands have one shape for each row: one is a number, or both are element-wise in the row."""
        numbers = [self._is_number(part) for part in (left, right)]
        return any(numbers) or all(self._is_elementwise(part) for part in (left, right))

    def _is_number(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, int | float)
        return isinstance(self.frame.seen.value(node), StaticValue) and not self._reads_row(node)

    def _is_elementwise(self, node: ast.expr) -> bool:
        match node:
            case ast.Name(id=name):
                return name == self.row
            case ast.BinOp(left=left, right=right):
                return all(self._is_number(part) or self._is_elementwise(part) for part in (left, right))
            case ast.UnaryOp(operand=inner):
                return self._is_elementwise(inner)
            case ast.Call(args=[inner], keywords=[], func=ast.Attribute(attr=name)):
                operator = lookup.of_tensors(name)
                return operator is not None and properties.keeps_shape(operator) and self._is_elementwise(inner)
        return False

    def _reads_row(self, node: ast.expr) -> bool:
        return any(isinstance(part, ast.Name) and part.id == self.row for part in walk(node))

    def _call(self, call: ast.Call) -> cst.BaseExpression | None:
        """Return a function of F of one row for all rows."""
        path = dotted_parts(call.func)
        operator = None if path is None or path[:-1] != (self.frame.functions,) else lookup.function((), path[-1])
        if operator is None or len(call.args) != 1 or operator.variadic or len(operator.inputs) != 1:
            return None
        data = self.whole(call.args[0])
        if data is None or any(self._reads_row(keyword.value) for keyword in call.keywords):
            return None
        changed: dict[ast.expr | ast.keyword, cst.Arg] = {call.args[0]: cst.Arg(data)}
        axis = next((keyword for keyword in call.keywords if keyword.arg == "axis"), None)
        if axis is None:
            return _along_rest(operator, with_arguments(self.frame, call, changed))
        number = literal(axis.value)
        if number is None or not properties.keeps_axes_before(operator):
            return None
        changed[axis] = by_name("axis", expression("{axis}", axis=number + 1 if number >= 0 else number))
        return with_arguments(self.frame, call, changed)


def _along_rest(operator: Operator, call: cst.Call) -> cst.Call | None:
    """Return a call that does to each row what the call did to one; None if that is unclear."""
    if "axis" not in operator.params:
        return call if properties.keeps_shape(operator) else None
    if operator.params["axis"].default == -1:
        return call
    reduces = properties.reduces_to_number(operator) and "exclude" in operator.params
    return _with_others(call) if reduces else None


def _with_others(call: cst.Call) -> cst.Call:
    """Return a reduction over all axes but the first."""
    given = [by_name("axis", expression("0")), by_name("exclude", expression("True"))]
    return call.with_changes(args=[*call.args, *given])
