"""Computations on a tensor that only one run performs, while the other run keeps the tensor unchanged."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, TypeAlias

from hybridlint.analysis import semantics
from hybridlint.analysis.dataflow.scopes import names_in
from hybridlint.analysis.dispatch import evaluate
from hybridlint.analysis.model.values import BlockRef, Function, Namespace, Outputs, StaticValue, Tensor, Value
from hybridlint.runtime.facts import lookup, properties
from hybridlint.runtime.facts.dims import product
from hybridlint.runtime.facts.records import replace
from hybridlint.runtime.facts.types import Shape, TensorType
from hybridlint.text.syntax import own, walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

Side: TypeAlias = "ast.expr | Sequence[ast.stmt] | None"
#: Arithmetic operators that a sum of products is built from.
_ARITHMETIC: dict[str, type[ast.operator]] = {"+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div}
#: The number that an operator combines with anything without changing it.
_NEUTRAL: dict[type[ast.operator], int] = {ast.Add: 0, ast.Sub: 0, ast.Mult: 1, ast.Div: 1, ast.Pow: 1}
#: Sizes of a tensor of unknown shape: primes, as what is cut off or added to fill a multiple is then not nothing.
_SIZES = (100003, 200003, 300007, 400009, 500009)
#: What a side returns has no name.
RETURNED = ""
#: How many functions a computation is followed into.
_DEEPEST = 2


def is_left_out(act: Activation, eager: Side, traced: Side) -> bool:
    """Return whether one run keeps a tensor as it is, where the other computes other values from it."""
    if _writes_into(act, eager, traced):
        return True
    flow = act.flow.copy()
    with act.run.reporting.silently():
        found = any(
            _Comparison(act).differs(one, other)
            for _, *whole in pairs(act, eager, traced)
            for one, other in _taken_apart(*whole)
        )
    act.flow = flow
    return found


def arithmetic(node: ast.AST) -> ast.BinOp | None:
    """Return the expression ``a + b`` for a call such as ``F.broadcast_add(a, b)``; None for any other node."""
    match node:
        case ast.Call(func=ast.Attribute(attr=name), args=[left, right], keywords=[]):
            op = _ARITHMETIC.get(lookup.symbol_of(name) or "")
            return None if op is None else ast.BinOp(left, op(), right)
        case _:
            return None


def pairs(act: Activation, eager: Side, traced: Side) -> Iterator[tuple[str | None, ast.expr, ast.expr]]:
    """Yield pairs of expressions, eager and traced, for each name bound by the branch and for the result.

    The name is empty for a branch that is an expression itself, and None for what both sides return.
    """
    if isinstance(eager, ast.expr) and isinstance(traced, ast.expr):
        yield "", eager, traced
    if isinstance(eager, ast.expr) or isinstance(traced, ast.expr):
        return
    one, other = ends(eager or ()), ends(traced or ())
    if RETURNED in one or RETURNED in other:
        if RETURNED in one and RETURNED in other:
            yield None, one[RETURNED], other[RETURNED]
        return
    for name in {**one, **other}:
        before = act.flow.names.get(name)
        if isinstance(before, Tensor) or (name in one and name in other):
            kept = ast.Name(name, ast.Load())
            yield name, one.get(name, kept), other.get(name, kept)


def _taken_apart(one: ast.expr, other: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield two expressions, or the elements of two displays of equal length."""
    match one, other:
        case (ast.Tuple(elts=left), ast.Tuple(elts=right)) | (ast.List(elts=left), ast.List(elts=right)):
            if len(left) == len(right):
                yield from zip(left, right, strict=True)
        case _:
            yield one, other


def ends(side: Sequence[ast.stmt]) -> Mapping[str, ast.expr]:
    """Return the expressions that a side binds names to, and returns, in terms of the names before it.

    What other statements than assignments bind is left out.
    """
    found: dict[str, ast.expr] = {}
    for part in side:
        match part:
            case ast.Return(value=ast.expr() as value):
                return {RETURNED: _in_terms(value, found)}
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                found[name] = _in_terms(value, found)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                found[name] = _in_terms(ast.BinOp(ast.Name(target.id, ast.Load()), op, value), found)
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if len(names) == len(values):
                bound = [_in_terms(value, found) for value in values]
                found |= {n.id: v for n, v in zip(names, bound, strict=True) if isinstance(n, ast.Name)}
            case ast.Expr() | ast.Pass() | ast.Assert():
                pass
            case _:
                found = {name: value for name, value in found.items() if name not in names_in(part).stores}
    return found


def _in_terms(node: ast.expr, known: Mapping[str, ast.expr]) -> ast.expr:
    """Return an expression with the expressions of known names in their place."""
    used = any(isinstance(part, ast.Name) and part.id in known for part in walk(node))
    return _Replaced(known).visit(deepcopy(node)) if used else node


class _Replaced(ast.NodeTransformer):
    def __init__(self, known: Mapping[str, ast.expr]) -> None:
        self._known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._known.get(node.id, node) if isinstance(node.ctx, ast.Load) else node


def _writes_into(act: Activation, eager: Side, traced: Side) -> bool:
    """Return whether only the eager side assigns to items of an array, which the trace leaves as it is."""
    if eager is None or isinstance(eager, ast.expr) or isinstance(traced, ast.expr):
        return False
    left = {*names_in(*(traced or ())).stores}
    for part in eager:
        match part:
            case (
                ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))])
                | ast.AugAssign(target=ast.Subscript(value=ast.Name(id=name)))
            ) if name not in left and not _ends_in_return(traced):
                held = act.flow.names.get(name)
                if isinstance(held, Tensor) and not held.optional:
                    return True
            case _:
                continue
    return False


def _ends_in_return(side: Side) -> bool:
    return isinstance(side, Sequence) and bool(side) and any(isinstance(part, ast.Return) for part in side)


class _Comparison:
    """Compares two expressions: whether they compute different values, by the functions and layers they call."""

    def __init__(self, act: Activation) -> None:
        self._act = act
        self._texts: dict[int, tuple[ast.expr, str]] = {}

    def differs(self, one: ast.expr, other: ast.expr) -> bool:
        """Return whether two expressions compute different values."""
        one, other = _bare(one), _bare(other)
        if self._text(one) == self._text(other):
            return False
        if self._of_other_weights(one, other) or self._has_other_rows(one, other) or self._of_other_inputs(one, other):
            return True
        return any(
            (self._computes(made, kept, _DEEPEST) and self._is_tensor(kept)) or self._resizes(made, kept)
            for made, kept in ((one, other), (other, one))
        )

    def _resizes(self, node: ast.expr, kept: ast.expr) -> bool:
        """Return whether an expression gives a tensor in a name another number of elements, whatever shape it has."""
        held = self._value(kept) if isinstance(kept, ast.Name) else None
        if not isinstance(kept, ast.Name) or not isinstance(held, Tensor) or held.optional:
            return False
        if not any(self._text(part) == self._text(kept) for part in walk(node) if isinstance(part, ast.Name)):
            return False
        made = [self._made_of(node, kept.id, replace(held, type=TensorType(shape))) for shape in _shapes(held)]
        changed = [differs for differs in made if differs is not None]
        return bool(changed) and all(changed)

    def _made_of(self, node: ast.expr, name: str, given: Tensor) -> bool | None:
        """Return whether an expression has more or fewer elements than a tensor put into a name; None if not known.

        What has as many may be the same in another shape, which what follows may not mind.
        """
        made = self._value_with(node, name, given)
        sizes = made.type.shape if isinstance(made, Tensor) else None
        if sizes is None or given.type.shape is None:
            return None
        return all(isinstance(size, int) for size in sizes) and product(sizes) != product(given.type.shape)

    def _value_with(self, node: ast.expr, name: str, given: Tensor) -> Value:
        """Return the value of an expression for a tensor put into a name."""
        names, before = self._act.flow.names, self._act.flow.names.get(name)
        names[name] = given
        # A copy, as what was seen of the code itself is kept.
        made = self._value(deepcopy(node))
        if before is None:
            del names[name]
        else:
            names[name] = before
        return made

    def _computes(self, node: ast.expr, kept: ast.expr, depth: int) -> bool:
        """Return whether an expression computes new values from an expression that it contains."""
        if not any(self._text(part) == self._text(kept) for part in walk(node) if isinstance(part, ast.expr)):
            return False
        plain = arithmetic(node) or node
        match plain:
            case ast.BinOp(left=left, right=right):
                return _bare(plain) is plain or any(self._computes(side, kept, depth) for side in (left, right))
            case ast.UnaryOp(op=ast.USub()):
                return True
            case ast.Call(func=function, args=args):
                inner = [*args[:1], *([function.value] if isinstance(function, ast.Attribute) else ())]
                changes = self._alters(plain, kept, depth) and self._text(plain) != self._text(kept)
                return changes or any(self._computes(part, kept, depth) for part in inner)
            case _:
                return False

    def _alters(self, node: ast.Call, kept: ast.expr, depth: int) -> bool:
        """Return whether a call computes other values from its input."""
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        operator = lookup.of_tensors(called)
        if operator is not None and (operator.facts.distinct or properties.alters(operator)):
            return True
        callee = self._value(node.func)
        if isinstance(callee, BlockRef):
            return all(semantics.library.alters(self._act.run, one) for one in callee.alternatives or (callee,))
        made = _result(callee, node) if isinstance(callee, Function) and depth else None
        return made is not None and self._computes(made, kept, depth - 1)

    def _of_other_weights(self, one: ast.expr, other: ast.expr) -> bool:
        """Return whether two expressions are calls of two layers, each with weights of its own."""
        match one, other:
            case ast.Call(func=first), ast.Call(func=second) if self._text(first) != self._text(second):
                pass
            case _:
                return False
        blocks = [self._value(function) for function in (first, second)]
        return (
            all(
                isinstance(block, BlockRef)
                and block.creation is not None
                and "params" not in block.arguments
                and semantics.library.has_weights(self._act.run, block)
                for block in blocks
            )
            and len({block.creation for block in blocks if isinstance(block, BlockRef)}) > 1
        )

    def _of_other_inputs(self, one: ast.expr, other: ast.expr) -> bool:
        """Return whether operators compute two expressions from the values of different inputs of the function."""
        first, second = self._inputs(one), self._inputs(other)
        return first is not None and second is not None and first != second

    def _inputs(self, node: ast.expr) -> frozenset[str] | None:
        """Return the inputs from whose values operators compute an expression; None if it is not known.

        What is read for its shape alone, as by ``reshape_like``, does not count.
        """
        plain = arithmetic(node) or node
        match plain:
            case ast.Name():
                held = self._value(plain)
                if not isinstance(held, Tensor):
                    return frozenset() if isinstance(held, StaticValue) else None
                return frozenset({self._text(plain)}) if held.origin == "argument" and not held.optional else None
            case ast.BinOp(op=ast.Mult(), left=left, right=right) if 0 in map(_number, (left, right)):
                return frozenset()
            case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
                parts = [left, right]
            case ast.UnaryOp(operand=inner):
                parts = [inner]
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                pass
            case ast.Call(func=ast.Attribute(value=owner, attr=name), args=args, keywords=keywords):
                if lookup.of_tensors(name) is None:
                    return None
                first = [] if isinstance(self._value(owner), Namespace) else [owner]
                parts = [*first, *args, *(keyword.value for keyword in keywords)]
                if lookup.is_shaped_like(name):
                    # The last array gives the shape.
                    parts = parts[:1] if len(parts) > 1 and isinstance(self._value(parts[1]), Tensor) else []
            case _:
                fixed = isinstance(plain, ast.Constant) or isinstance(self._value(plain), StaticValue)
                return frozenset() if fixed or _is_shape(plain) else None
        found = [self._inputs(part) for part in parts]
        return None if None in found else frozenset().union(*(inner for inner in found if inner is not None))

    def _has_other_rows(self, eager: ast.expr, traced: ast.expr) -> bool:
        """Return whether the trace splits a tensor along another axis than eager runs take rows from."""
        for name in sorted({part.id for part in walk(traced) if isinstance(part, ast.Name)}):
            held = self._act.lookup(name)
            if isinstance(held, Tensor) and not held.optional and self._reads(eager, name):
                agree = [agrees for shape in _shapes(held) for agrees in self._rows_agree(eager, traced, name, shape)]
                return bool(agree) and not any(agree)
        return False

    def _rows_agree(self, eager: ast.expr, traced: ast.expr, name: str, shape: Shape) -> Iterator[bool]:
        """Yield, for each axis along which a tensor may be split, whether there are as many rows as outputs."""
        held = self._act.lookup(name)
        outputs = self._value(traced)
        if not isinstance(held, Tensor) or not isinstance(outputs, Outputs) or outputs.types is None:
            return
        count = len(outputs.types)
        for axis in range(len(shape)):
            sizes = (*shape[:axis], count, *shape[axis + 1 :])
            given = replace(held, type=TensorType(sizes))
            parts, rows = (self._value_with(side, name, given) for side in (traced, eager))
            if not isinstance(parts, Outputs) or not parts.types or not isinstance(rows, Tensor) or not rows.type.shape:
                continue
            part = parts.types[0].shape
            if part is not None and product(part) * count == product(sizes):
                yield rows.type.shape[0] == count

    def _reads(self, node: ast.expr, name: str) -> bool:
        return any(isinstance(part, ast.Name) and part.id == name for part in walk(node))

    def _is_tensor(self, node: ast.expr) -> bool:
        held = self._value(node)
        return isinstance(held, Tensor) and not held.optional

    def _value(self, node: ast.expr) -> Value:
        return evaluate(self._act, node)

    def _text(self, node: ast.expr) -> str:
        """Return an expression as text, with one name for all names of an array, and one form for each operator."""
        known = self._texts.get(id(node))
        if known is None:
            text = self._own_name(node) if isinstance(node, ast.Name) else self._written(node)
            known = self._texts[id(node)] = node, text
        return known[1]

    def _written(self, node: ast.expr) -> str:
        """Return ``F.f(x, y)``, ``mx.nd.f(x, y)`` and ``x.f(y)`` as one text, and also what is computed from these."""
        plain = arithmetic(node) or node
        match plain:
            case ast.BinOp(left=left, op=op, right=right):
                return f"{type(op).__name__}({self._text(left)}, {self._text(right)})"
            case ast.Call(func=ast.Attribute(value=owner, attr=name), args=args, keywords=keywords):
                if lookup.of_tensors(name) is not None:
                    given = [*args, *(keyword.value for keyword in keywords)]
                    first = [] if isinstance(self._value(owner), Namespace) else [owner]
                    return f"{name}({', '.join(self._text(part) for part in (*first, *given))})"
            case _:
                pass
        return ast.dump(node)

    def _own_name(self, node: ast.Name) -> str:
        held = self._act.lookup(node.id)
        if not isinstance(held, Tensor) or held.identity is None:
            return ast.dump(node)
        return f"array {held.identity}"


def _number(node: ast.expr) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _is_shape(node: ast.expr) -> bool:
    """Return whether an expression reads the shape, the type or the device of an array, perhaps one size of it."""
    inner = node.value if isinstance(node, ast.Subscript) else node
    return isinstance(inner, ast.Attribute) and inner.attr in lookup.ATTRIBUTES_WITHOUT_VALUES


def _shapes(tensor: Tensor) -> Sequence[Shape]:
    """Return shapes that a tensor may have: its own, if it is known, or one of each number of dimensions."""
    return [_SIZES[:rank] for rank in range(1, len(_SIZES) + 1)] if tensor.type.shape is None else [tensor.type.shape]


def _bare(node: ast.expr) -> ast.expr:
    """Return an expression without numbers that change nothing: ``x`` of ``x * 1``."""
    match node:
        case ast.BinOp(left=left, op=op, right=ast.Constant(value=value)) if value == _NEUTRAL.get(type(op)):
            return _bare(left)
        case ast.BinOp(left=ast.Constant(value=value), op=ast.Add() | ast.Mult() as op, right=right):
            return _bare(right) if value == _NEUTRAL[type(op)] else node
        case _:
            return node


def _result(function: Function, call: ast.Call) -> ast.expr | None:
    """Return the result of a call of a function with one final ``return``, in the caller's names."""
    node = function.node
    if isinstance(node, ast.Lambda):
        made: ast.expr | None = node.body
    elif sum(isinstance(part, ast.Return) for part in own(node)) != 1:
        return None
    else:
        made = ends(node.body).get(RETURNED)
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)][len(function.bound) :]
    if made is None or len(call.args) > len(names) or call.keywords:
        return None
    return _in_terms(made, dict(zip(names, call.args, strict=False)))
