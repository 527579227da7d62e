"""Whether an expression and a tensor have the same leading dimensions."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.evidence.sizes.shape_guesses import keeps_shape
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.registry import Operator


def leads(frame: CodeContext, node: ast.expr, tensor: str, count: int) -> bool:
    """Whether the first `count` axes of an expression have the sizes of a named tensor.

    Layers are assumed to keep the first axis.
    """
    return _Axes(frame, tensor, count).begin(node)


@record(frozen=True, slots=True)
class _Axes:
    """The first `count` axes of `tensor`; `within` holds the names whose bindings are being examined."""

    frame: CodeContext
    tensor: str
    count: int
    within: frozenset[str] = frozenset()

    def begin(self, node: ast.expr) -> bool:
        """Whether the first axes of an expression have the lengths of the tensor's first axes."""
        match node:
            case ast.Name(id=name):
                return self._name(name, node.lineno)
            case ast.BinOp(left=left, right=right):
                return self._both(left, right)
            case ast.UnaryOp(operand=inner):
                return self.begin(inner)
            case ast.Call(func=ast.Attribute()):
                return self._call(node)
        return False

    def _name(self, name: str, row: int) -> bool:
        if name == self.tensor:
            return not self.frame.flow.rebindings_of(name)
        made = _made(self.frame, name, row)
        inner = _Axes(self.frame, self.tensor, self.count, self.within | {name})
        return name not in self.within and made is not None and inner.begin(made)

    def _both(self, left: ast.expr, right: ast.expr) -> bool:
        """Whether the broadcast of two operands begins with the tensor's axes.

        One operand begins with them; the other does too, is a number, or has size 1 in the first axis.
        """
        begin = [self.begin(part) for part in (left, right)]
        fits = [
            isinstance(part, ast.Constant) or (self.count == 1 and _begins_with_one(part)) for part in (left, right)
        ]
        return any(begin) and all(one or other for one, other in zip(begin, fits, strict=True))

    def _call(self, node: ast.Call) -> bool:
        """Whether the result of a call keeps the first axes of its data."""
        assert isinstance(node.func, ast.Attribute)
        path, name = dotted_parts(node.func) or ("",), node.func.attr
        function = path[0] == self.frame.functions
        if path[0] == "self" and len(path) == 2:
            return self.count == 1 and bool(node.args) and self.begin(node.args[0])
        if name.startswith("broadcast_"):
            return function and len(node.args) == 2 and self._both(*node.args)
        data, rest = (node.args[:1], node.args[1:]) if function else ([node.func.value], node.args)
        operator = lookup.of_tensors(name)
        if operator is None or not data or not self.begin(data[0]):
            return False
        place = literal(_axis(operator, node, rest))
        behind = place is not None and place >= self.count and properties.keeps_axes_before(operator)
        return keeps_shape(name) or behind or (self.count == 1 and properties.keeps_first_axis(operator))


def _axis(operator: Operator, node: ast.Call, rest: list[ast.expr]) -> ast.expr | None:
    """Return the axis argument of a call; `rest` holds the arguments after the tensor."""
    named = next((k.value for k in node.keywords if k.arg == "axis"), None)
    if named is not None or "axis" not in operator.params or operator.variadic:
        return named
    place = len(operator.inputs) - 1 + list(operator.params).index("axis")
    return rest[place] if place < len(rest) else None


def _begins_with_one(node: ast.expr) -> bool:
    """Whether an expression inserts a first axis of size 1."""
    match node:
        case ast.Call(func=ast.Attribute(attr="expand_dims"), args=args, keywords=keywords):
            return literal([*args, *(k.value for k in keywords)][-1]) == 0
    return False


def _made(frame: CodeContext, name: str, row: int) -> ast.expr | None:
    """Return the value last assigned to a name above a row of the file; None if an assignment is conditional."""
    bound = [binding.node for binding in frame.flow.rebindings_of(name)]
    body = getattr(frame.function, "body", [])
    made = [n for n in body if isinstance(n, ast.Assign) and any(target in bound for target in n.targets)]
    if len(made) != len(bound):
        return None
    return next((n.value for n in reversed(made) if n.lineno < row), None)
