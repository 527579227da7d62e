"""Guesses whether two expressions of unknown shape have the same shape."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import StaticValue, Tensor
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.fixers.toolkit.class_hierarchy import methods_of
from hybridlint.fixers.toolkit.names import class_around, dotted_parts, required_inputs
from hybridlint.runtime.facts import lookup, properties
from hybridlint.text.parameters import required_of
from hybridlint.text.syntax import walk

#: The source of tensors of one element, which broadcast with all others as numbers do.
_ONE = "one element"
#: The assignments to a name from which on they are not compared.
_MOST_STORES = 16

_LITERAL = (ast.Constant, ast.Tuple, ast.List, ast.UnaryOp, ast.USub, ast.Load)


def keeps_shape(name: str) -> bool:
    """Whether a function or method of tensors returns the shape of its first tensor."""
    operator = lookup.of_tensors(name)
    return operator is not None and properties.keeps_shape(operator)


def _keeps_one_shape(name: str) -> bool:
    """Whether a function of several tensors of one shape returns that shape."""
    operator = lookup.function((), name)
    return operator is not None and properties.is_elementwise(operator)


def may_have_one_shape(frame: CodeContext, left: ast.expr, right: ast.expr) -> bool:
    """Whether two expressions may have the same shape.

    They may if both are element-wise in inputs, or if both are outputs of children.
    """
    sources = {_source(frame, side, frozenset()) for side in (left, right)}
    return len(sources) == 1 and not sources & {None, "number"}


def are_made_alike(frame: CodeContext, left: ast.expr, right: ast.expr) -> bool:
    """Whether two expressions hold tensors of one shape, known or changed in the same way."""
    one, other = (_tensor(frame, side, (left, right)) for side in (left, right))
    if one is None or other is None:
        return False
    if one.type.shape is not None and other.type.shape is not None:
        return one.type.shape == other.type.shape
    first, second = one.lineage, other.lineage
    if first is None or second is None or not first.related(second):
        return False
    return first.steps == second.steps and first.axis == second.axis


def _tensor(frame: CodeContext, node: ast.expr, among: tuple[ast.expr, ...]) -> Tensor | None:
    """Return the tensor that the analysis inferred for an expression, or for the same name in `among`."""
    places = [node]
    if isinstance(node, ast.Name):
        places += [n for part in among for n in walk(part) if isinstance(n, ast.Name) and n.id == node.id]
    return next((held for held in map(frame.seen.value, places) if isinstance(held, Tensor)), None)


def root_of(node: ast.expr) -> str | None:
    """Return the tensor's name in an expression that is element-wise in that tensor alone; None otherwise.

    The expression then has the tensor's shape.
    """
    match node:
        case ast.Name(id=name):
            return name
        case ast.BinOp(left=left, right=ast.Constant(value=int() | float())):
            return root_of(left)
        case ast.BinOp(left=ast.Constant(value=int() | float()), right=right):
            return root_of(right)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return root_of(operand)
        case ast.Call(func=ast.Attribute(value=receiver, attr=method), args=args) if keeps_shape(method):
            return root_of(receiver) if all(isinstance(a, ast.Constant) for a in args) else None
    return None


def shared_leaf(frame: CodeContext, left: ast.expr, right: ast.expr) -> str | None:
    """Return the name of a tensor whose shape two expressions have in a graph: ``x`` and ``F.relu(x + self.body(x))``.

    Python's operators on Symbols take equal shapes only. None if they share no such tensor.
    """
    return next((leaf.id for leaf in _shared(frame, left, right) if isinstance(leaf, ast.Name)), None)


def share_a_leaf(frame: CodeContext, left: ast.expr, right: ast.expr) -> bool:
    """Return whether two expressions have the shape of one tensor, which has a name or is computed in both alike."""
    return any(True for _ in _shared(frame, left, right))


def _shared(frame: CodeContext, left: ast.expr, right: ast.expr) -> Iterator[ast.expr]:
    others = {ast.unparse(leaf) for leaf in _leaves(frame.functions, right)}
    for leaf in _leaves(frame.functions, left):
        if ast.unparse(leaf) in others and _tensor(frame, leaf, (left, right)) is not None:
            yield leaf


def _leaves(functions: str | None, node: ast.expr) -> Iterator[ast.expr]:
    """Yield the parts whose shape an element-wise expression has, unless they hold numbers."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            yield from _leaves(functions, inner)
        case ast.BinOp(left=left, right=right):
            yield from (*_leaves(functions, left), *_leaves(functions, right))
        case ast.Call(func=ast.Attribute(value=ast.Name(id=owner), attr=name), args=[data, *_]) if (
            owner == functions and _keeps(name)
        ):
            yield from _leaves(functions, data)
        case ast.Call(func=ast.Attribute(value=receiver, attr=name)) if keeps_shape(name) and not (
            isinstance(receiver, ast.Name) and receiver.id == functions
        ):
            yield from _leaves(functions, receiver)
        case ast.Constant():
            return
        case _:
            yield node


def _keeps(name: str) -> bool:
    """Whether a function of F returns the shape of its first tensor."""
    operator = lookup.function((), name)
    return operator is not None and properties.keeps_shape(operator)


def _source(frame: CodeContext, node: ast.expr, within: frozenset[str]) -> str | None:
    """Return where an expression's shape comes from: "input", "child", "number", "one element"; None if unknown.

    What is reduced along some axes names these too.
    """
    parts: list[ast.expr] = []
    match node:
        case ast.Constant(value=int() | float()):
            return "number"
        case ast.Attribute() if isinstance(frame.seen.value(node), StaticValue):
            return "number"
        case ast.Name(id=name):
            return _of_name(frame, name, within)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            parts = [inner]
        case ast.BinOp(left=left, right=right) | ast.Compare(left=left, comparators=[right]):
            parts = [left, right]
        case ast.Call(func=ast.Attribute(value=receiver, attr=name) as function, args=args):
            path = dotted_parts(function) or ("",)
            if path[0] == "self" and len(path) == 2:
                return "input" if _is_element_wise(frame, node) else "child"
            reduced = _reduction(frame, node, name)
            if reduced is not None:
                data, axes = reduced
                whole = _source(frame, data, within) if axes else ""
                return None if whole is None else f"{whole} {axes}" if axes else _ONE
            if path[0] == frame.functions and _keeps_one_shape(name):
                parts = args
            elif path[0] != frame.functions and keeps_shape(name):
                parts = [receiver]
    return _joined({_source(frame, part, within) for part in parts}) if parts else None


def _is_element_wise(frame: CodeContext, call: ast.Call) -> bool:
    """Whether a method of the block gives a tensor that has the shape of an argument."""
    held = frame.seen.value(call)
    owner = class_around(frame)
    methods = frozenset() if owner is None else methods_of(frame.source.tree, owner)
    own = isinstance(call.func, ast.Attribute) and call.func.attr in methods
    return own and isinstance(held, Tensor) and held.lineage is not None and not held.lineage.steps


def _reduction(frame: CodeContext, call: ast.Call, name: str) -> tuple[ast.expr, str] | None:
    """Return the tensor that a call reduces and its axes as text, empty for all axes; None for other calls."""
    function = isinstance(call.func, ast.Attribute) and (dotted_parts(call.func) or ("",))[0] == frame.functions
    operator = lookup.function((), name) if function else lookup.of_tensors(name)
    given = [*call.args]
    if operator is None or not properties.reduces_to_number(operator) or not isinstance(call.func, ast.Attribute):
        return None
    data = given.pop(0) if function and given else call.func.value
    named = {**dict(zip(operator.params, given, strict=False)), **{k.arg or "**": k.value for k in call.keywords}}
    literals = all(isinstance(part, _LITERAL) for value in named.values() for part in walk(value))
    if not literals or not named.keys() <= {"axis", "keepdims", "exclude"}:
        return None
    return data, " ".join(f"{key}={ast.unparse(named[key])}" for key in sorted(named))


def is_one_element(frame: CodeContext, node: ast.expr) -> bool:
    """Whether an expression has one element, as the analysis knows or as its code shows."""
    held = frame.seen.value(node)
    if isinstance(held, Tensor) and held.type.shape is not None:
        return held.type.shape in {(), (1,)}
    return _source(frame, node, frozenset()) == _ONE


def _joined(sources: set[str | None]) -> str | None:
    if _ONE in sources and sources <= {_ONE, "number"}:
        return _ONE
    known = sources - {"number", _ONE}
    if not known:
        return "number"
    return known.pop() if len(known) == 1 else None


def _of_name(frame: CodeContext, name: str, within: frozenset[str]) -> str | None:
    nodes = list(walk(frame.function or ast.Pass()))
    stores = frame.flow.rebindings_of(name) if frame.function is not None else ()
    values = [b.assigned for b in stores if b.assigned is not None]
    given = name in required_inputs(frame) or _is_given(frame, name, nodes)
    if len(values) != len(stores) or len(stores) > _MOST_STORES or (not stores and not given):
        return None
    sources = {_source(frame, value, within | {name}) for value in values} if name not in within else set()
    return _joined({*sources, *(["input"] if given else [])})


def _is_given(frame: CodeContext, name: str, nodes: list[ast.AST]) -> bool:
    """Whether a name is an argument of a helper that every call gives a tensor."""
    function = frame.function
    if not isinstance(function, ast.FunctionDef) or function.name == ENTRY:
        return False
    if name not in required_of(function.args):
        return False
    reads = (n for n in nodes if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load))
    held = [frame.seen.value(read) for read in reads]
    return bool(held) and all(isinstance(value, Tensor) and not value.optional for value in held)
