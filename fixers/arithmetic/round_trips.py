"""The fixer of round trips through numpy: a result computed from ``x.asnumpy()`` and passed to ``nd.array``."""

from __future__ import annotations

import ast

from hybridlint.analysis.dataflow.bindings import Binding
from hybridlint.analysis.model.events import CodeContext, MethodCall
from hybridlint.analysis.model.values import StaticValue, Tensor
from hybridlint.fixers.arithmetic.python_operators import SYMBOLS
from hybridlint.fixers.functions.copies import stop_gradient
from hybridlint.fixers.functions.namespace_arguments import functions_passed
from hybridlint.fixers.toolkit.names import dotted_parts, parent_of
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite
from hybridlint.fixers.toolkit.statements import join_fixes
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.properties import is_elementwise
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import each

_MESSAGE = "Compute with operators what goes through numpy: in float32, and with labels below the number of classes"

#: Dtypes whose numbers ``nd.array`` turns into the float32 that the operators give.
_FLOATS = frozenset({"float", "float32", "float64"})
_INTEGERS = frozenset({"int", "int8", "int32", "int64"})


def computed_by_operators(event: MethodCall) -> Fix | None:
    """Write ``n = x.asnumpy().sum(axis=1)`` and ``nd.array(n)`` as ``n = F.BlockGrad(x).sum(axis=1)`` and ``n``.

    None unless every value on the way is computed as operators do it, and all end in ``nd.array``. It is unsafe:
    numpy may compute in float64, and labels are taken to be less than the number of classes.
    """
    frame = event.frame
    if event.name != "asnumpy" or not isinstance(event.receiver, Tensor) or event.receiver.mode != "legacy":
        return None
    trip = _RoundTrip(frame, frame.functions or "F")
    if not isinstance(event.node, ast.Call) or not trip.follow(event.node):
        return None
    if frame.functions is None:
        return functions_passed(frame)
    return join_fixes(_MESSAGE, [rewrite(frame, node, new, Applicability.UNSAFE) for node, new in trip.written])


class _RoundTrip:
    """The way of values through numpy in one function: the bindings that hold them, and what to write."""

    def __init__(self, frame: CodeContext, functions: str) -> None:
        self._frame = frame
        self._functions = functions
        self._followed: set[Binding] = set()
        self.written: list[tuple[ast.expr, cst.BaseExpression]] = []

    def follow(self, node: ast.expr) -> bool:
        """Follow a value to each ``nd.array``; False if anything else becomes of it."""
        statement = self._frame.flow.statement_at(node)
        outer = node
        while True:
            parent = parent_of(self._frame, outer, within=statement)
            match parent:
                case ast.Call(func=function) if _is_array(parent):
                    new = None if function is outer else self._translated(outer)
                    return self._write(parent, new)
                case ast.Assign(targets=[ast.Name()]):
                    return self._write(outer, self._translated(outer)) and self._follow_name(parent)
                case ast.Attribute() | ast.keyword() | ast.slice():
                    outer = parent  # type: ignore[assignment]
                case ast.Call() | ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.Subscript():
                    outer = parent
                case _:
                    return False

    def _write(self, node: ast.expr, new: cst.BaseExpression | None) -> bool:
        if new is not None and all(node is not other for other, _ in self.written):
            self.written.append((node, new))
        return new is not None

    def _follow_name(self, statement: ast.Assign) -> bool:
        binding = next(b for b in self._frame.flow.bindings if b.statement is statement)
        if binding in self._followed:
            return True
        self._followed.add(binding)
        uses = self._frame.uses(binding)
        alone = all(self._frame.binding(use) is binding for use in uses)
        return alone and bool(uses) and all(self.follow(use) for use in uses)

    def _join(self, node: ast.expr) -> bool:
        """Follow another value of numpy that this one meets under a name, if it is one."""
        binding = self._frame.binding(node)
        if binding is None or binding in self._followed or binding.assigned is None:
            return True
        read = next((call for call in each(binding.assigned, ast.Call) if self._is_read(call)), None)
        return read is None or self.follow(read)

    def _is_derived(self, node: ast.AST) -> bool:
        """Return whether an expression computes with a value of numpy that is followed."""
        reads = any(map(self._is_read, each(node, ast.Call)))
        return reads or any(self._binding_of(name) is not None for name in each(node, ast.Name))

    def _is_read(self, node: ast.AST) -> bool:
        match node:
            case ast.Call(func=ast.Attribute(value=tensor, attr="asnumpy"), args=[], keywords=[]):
                return isinstance(self._frame.seen.value(tensor), Tensor)
            case _:
                return False

    def _binding_of(self, node: ast.AST) -> Binding | None:
        binding = self._frame.binding(node) if isinstance(node, ast.Name) else None
        return binding if binding in self._followed else None

    def _is_number(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant(value=int() | float()):
                return True
            case ast.UnaryOp(operand=ast.Constant()):
                return True
            case _:
                return isinstance(self._frame.seen.value(node), StaticValue)

    def _translated(self, node: ast.expr) -> cst.BaseExpression | None:  # noqa: PLR0911 - the table that it reads as
        """Return the operators that compute what numpy does; None if there are none."""
        match node:
            case ast.Call(func=ast.Attribute(value=tensor, attr="asnumpy")) if self._is_read(node):
                return self._stopped(tensor)
            case ast.Name():
                return self._frame.concrete(node) if self._binding_of(node) is not None else None
            case ast.BinOp(left=left, right=right):
                return self._arithmetic(node, left, right)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._with(node, operand)
            case ast.Compare(left=left, comparators=[right]) if self._is_number(right):
                return self._with(node, left)
            case ast.Subscript(value=ast.Call() as made, slice=labels) if self._numpy_name(made) == "eye":
                return self._one_hot(made.args, labels)
            case ast.Call(func=ast.Attribute()):
                return self._call(node)
            case _:
                return None

    def _stopped(self, tensor: ast.expr) -> cst.BaseExpression:
        """Return a tensor without its gradient, which a comparison has none of anyway."""
        value, binding = self._frame.seen.value(tensor), self._frame.binding(tensor)
        assert isinstance(value, Tensor)
        if isinstance(tensor if binding is None else binding.assigned, ast.Compare):
            return self._frame.concrete(tensor)
        return stop_gradient(self._functions, value, self._frame, tensor)

    def _with(self, node: ast.expr, part: ast.expr) -> cst.BaseExpression | None:
        """Return an expression as it is, except the part that numpy computes."""
        new = self._translated(part)
        return None if new is None else concrete_with(self._frame, node, {part: new})

    def _arithmetic(self, node: ast.BinOp, left: ast.expr, right: ast.expr) -> cst.BaseExpression | None:
        if type(node.op) not in SYMBOLS or isinstance(node.op, ast.Mod) or not all(map(self._join, (left, right))):
            return None
        if self._is_derived(left) and self._is_derived(right):
            parts = self._translated(left), self._translated(right)
            name = lookup.broadcasting(SYMBOLS[type(node.op)])
            if name is None or parts[0] is None or parts[1] is None:
                return None
            return expression(f"{{F}}.{name}({{x}}, {{y}})", F=self._functions, x=parts[0], y=parts[1])
        data, other = (left, right) if self._is_derived(left) else (right, left)
        return self._with(node, data) if self._is_number(other) else None

    def _call(self, node: ast.Call) -> cst.BaseExpression | None:
        name = self._numpy_name(node)
        if name is not None:
            return self._function(node, name)
        assert isinstance(node.func, ast.Attribute)
        receiver, method = node.func.value, node.func.attr
        if method == "astype" and len(node.args) == 1 and _dtype_name(node.args[0]) in _FLOATS:
            return self._translated(receiver)
        known = _reduces_along_axis(method) and _gives_axis(node, node.args)
        return self._with(node, receiver) if known or _computes_elements(method) else None

    def _function(self, node: ast.Call, name: str) -> cst.BaseExpression | None:
        if not node.args:
            return None
        data = next((part for part in node.args if self._is_derived(part)), node.args[0])
        if name == "bincount":
            depth = [keyword.value for keyword in node.keywords if keyword.arg == "minlength"]
            hot = self._one_hot(depth, data) if len(node.args) + len(node.keywords) == 2 else None
            return None if hot is None else expression("{x}.sum(axis=0)", x=hot)
        known = _reduces_along_axis(name) and _gives_axis(node, node.args[1:])
        others = [part for part in node.args if part is not data]
        if not (known or _computes_elements(name)) or not all(map(self._is_number, others)):
            return None
        new = self._with(node, data)
        assert new is None or isinstance(new, cst.Call)
        return None if new is None else new.with_changes(func=expression(f"{self._functions}.{name}"))

    def _one_hot(self, depth: list[ast.expr], labels: ast.expr) -> cst.BaseExpression | None:
        match labels:
            case ast.Call(func=ast.Attribute(value=inner, attr="astype"), args=[kind]) if (
                _dtype_name(kind) in _INTEGERS
            ):
                labels = inner
            case _:
                pass
        # No gradient passes through labels.
        match labels:
            case ast.Call(func=ast.Attribute(value=tensor)) if self._is_read(labels):
                new: cst.BaseExpression | None = self._frame.concrete(tensor)
            case _:
                new = self._translated(labels)
        if new is None or len(depth) != 1 or not self._is_number(depth[0]):
            return None
        return expression("{F}.one_hot({x}, {n})", F=self._functions, x=new, n=self._frame.concrete(depth[0]))

    def _numpy_name(self, node: ast.Call) -> str | None:
        """Return the name of the function of numpy that is called."""
        path = dotted_parts(node.func)
        if path is None or len(path) != 2:
            return None
        imports = (n for n in self._frame.source.tree.body if isinstance(n, ast.Import))
        names = {alias.asname or alias.name for n in imports for alias in n.names if alias.name == "numpy"}
        return path[1] if path[0] in names else None


def _computes_elements(name: str) -> bool:
    """Return whether a function of numpy and the operator of its name do the same to every element."""
    operator, twin = lookup.function((), name), lookup.of_numpy(name)
    if twin is None or operator is None:
        return twin is not None and lookup.in_both_modes(name) is not None
    # `around` rounds halves to even numbers, `round` away from zero.
    alike = twin is operator or twin.name.rpartition("_")[2].startswith(operator.name)
    return alike and len(operator.inputs) == 1 and is_elementwise(operator)


def _reduces_along_axis(name: str) -> bool:
    """Return whether a function of numpy and the operator of its name reduce an axis in the same way."""
    operator = lookup.function((), name)
    return operator is not None and lookup.of_numpy(name) is not None and operator.params.keys() >= {"axis", "keepdims"}


def _is_array(node: ast.expr) -> bool:
    """Return whether a call makes an array of float32 of its only argument: ``mx.nd.array(x)``."""
    if not isinstance(node, ast.Call) or (dotted_parts(node.func) or ())[-2:] != ("nd", "array") or len(node.args) != 1:
        return False
    return all(k.arg == "ctx" or (k.arg == "dtype" and _dtype_name(k.value) == "float32") for k in node.keywords)


def _gives_axis(node: ast.Call, places: list[ast.expr]) -> bool:
    """Return whether a reduction gets an axis, and no other argument but ``keepdims``."""
    names = {keyword.arg for keyword in node.keywords}
    return names <= {"axis", "keepdims"} and len(places) + ("axis" in names) == 1


def _dtype_name(node: ast.expr) -> str | None:
    """Return the name of a dtype: ``"float32"``, ``np.float32``, ``float``."""
    match node:
        case ast.Constant(value=str() as name) | ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return None
