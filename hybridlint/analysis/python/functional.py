"""Functions as values: `functools.partial`, uncalled methods, and the functions of the module `operator`.

A function of `operator` is evaluated as the equivalent syntax: ``operator.getitem(x, 0)`` is ``x[0]``.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from hybridlint.analysis.dispatch import callee, evaluate, invoke
from hybridlint.analysis.model.events import ArgumentsEvent, MethodCall
from hybridlint.analysis.model.values import (
    BoundMethod,
    ContainerValue,
    LibraryInstance,
    Partial,
    StaticValue,
    Unknown,
    Value,
)
from hybridlint.analysis.syntax.arithmetic import in_place
from hybridlint.analysis.syntax.subscripts import store
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

_Syntax: TypeAlias = Callable[[list[ast.expr]], ast.expr]

_BINARY: dict[str, type[ast.operator]] = {
    "add": ast.Add,
    "concat": ast.Add,
    "sub": ast.Sub,
    "mul": ast.Mult,
    "truediv": ast.Div,
    "floordiv": ast.FloorDiv,
    "mod": ast.Mod,
    "pow": ast.Pow,
    "matmul": ast.MatMult,
    "and": ast.BitAnd,
    "or": ast.BitOr,
    "xor": ast.BitXor,
}
_COMPARISONS: dict[str, type[ast.cmpop]] = {
    "eq": ast.Eq,
    "ne": ast.NotEq,
    "lt": ast.Lt,
    "le": ast.LtE,
    "gt": ast.Gt,
    "ge": ast.GtE,
    "is": ast.Is,
    "is_not": ast.IsNot,
}
_UNARY: dict[str, type[ast.unaryop]] = {"neg": ast.USub, "pos": ast.UAdd, "invert": ast.Invert, "not": ast.Not}
_BUILTINS = {
    **{"truth": "bool", "length_hint": "len", "index": "int"},
    **{
        name: name
        for name in ("abs", "len", "bool", "float", "int", "complex", "iter", "next", "hash", "str", "repr", "round")
    },
}
_GETTERS = frozenset({"itemgetter", "attrgetter", "methodcaller"})


def operator_call(act: Activation, node: ast.Call, function: str, args: ArgumentsEvent) -> Value:
    """Evaluate a call of a function of `operator`, or of a getter made by it (``operator.itemgetter()``)."""
    if function in _GETTERS:
        return Partial(LibraryInstance(f"operator.{function}()", f"operator.{function}"), args.values, args.keywords)
    if function.endswith("()"):
        return _get(act, node, function.removesuffix("()"), args)
    name = function.strip("_")
    if name == "setitem" and len(args.values) == 3:
        return _set_item(act, node, args)
    if name.startswith("i") and name[1:] in _BINARY and len(args.values) == 2:
        return _in_place(act, node, _BINARY[name[1:]](), args)
    build = _syntax(name)
    return Unknown() if build is None else as_syntax(act, node, args.nodes, args.values, build)


def special_method(act: Activation, node: ast.Call, receiver: Value, name: str, args: ArgumentsEvent) -> Value:
    """Evaluate a call of a tensor's special method, ``x.__getitem__(0)``, as the equivalent syntax."""
    assert isinstance(node.func, ast.Attribute)
    nodes, values = (node.func.value, *args.nodes), (receiver, *args.values)
    base = name.strip("_")
    if base.startswith("r") and base[1:] in _BINARY and len(values) == 2:
        base, nodes, values = base[1:], nodes[::-1], values[::-1]
    if not _is_syntax(base):
        act.emit(MethodCall, node, receiver=receiver, name=name, arguments=args, operator=None, result=Unknown())
    return operator_call(act, node, base, ArgumentsEvent(nodes, values, {}, {}))


def _is_syntax(name: str) -> bool:
    return name == "setitem" or (name.startswith("i") and name[1:] in _BINARY) or _syntax(name) is not None


@callee(Partial)
def call_partial(act: Activation, node: ast.Call, partial: Partial, args: ArgumentsEvent) -> Value:
    """Evaluate a call of ``functools.partial(...)``."""
    nodes = (*(node,) * len(partial.values), *args.nodes)
    keyword_nodes = dict.fromkeys(partial.keywords, node) | dict(args.keyword_nodes)
    keywords = dict(partial.keywords) | dict(args.keywords)
    full = ArgumentsEvent(nodes, (*partial.values, *args.values), keyword_nodes, keywords)
    with act.run.reporting.rewriting():
        return invoke(act, node, partial.callee, full)


@callee(BoundMethod)
def call_method(act: Activation, node: ast.Call, method: BoundMethod, args: ArgumentsEvent) -> Value:
    """Evaluate a call of a tensor's method that was looked up earlier."""
    values = (method.receiver, *args.values)
    return as_syntax(act, node, (node.func, *args.nodes), values, _method(node, method.name, args))


def as_syntax(
    act: Activation, node: ast.expr, places: Sequence[ast.expr], values: Sequence[Value], build: _Syntax
) -> Value:
    """Evaluate the expression that `build` makes of `values`, as if it stood at `node`, and emit its events there.

    `places` are the expressions of the values. Findings have no fix, because the syntax is not in the file.
    """
    # Names that a file has not, but may have: what cannot be placed in the file is parsed again from its text.
    names = [f"__stand_in_{act.run.token()}" for _ in values]
    act.flow.names |= dict(zip(names, values, strict=True))
    operands: list[ast.expr] = [
        ast.copy_location(ast.Name(name, ast.Load()), place) for name, place in zip(names, places, strict=True)
    ]
    with act.run.reporting.rewriting():
        result = evaluate(act, _placed(build(operands), node))
    for name in names:
        act.flow.names.pop(name, None)
    return result


def _placed(expression: ast.expr, node: ast.expr) -> ast.expr:
    """Give the nodes of a synthetic expression the position of the call that it replaces."""
    for new in walk(expression):
        if isinstance(new, ast.expr | ast.keyword) and not hasattr(new, "lineno"):
            ast.copy_location(new, node)
    return expression


def _syntax(name: str) -> _Syntax | None:
    if name in _BINARY:
        return lambda parts: ast.BinOp(parts[0], _BINARY[name](), parts[1])
    if name in _COMPARISONS:
        return lambda parts: ast.Compare(parts[0], [_COMPARISONS[name]()], [parts[1]])
    if name in _UNARY:
        return lambda parts: ast.UnaryOp(_UNARY[name](), parts[0])
    if name in _BUILTINS:
        return lambda parts: ast.Call(ast.Name(_BUILTINS[name], ast.Load()), parts[:1], [])
    if name == "contains":
        return lambda parts: ast.Compare(parts[1], [ast.In()], [parts[0]])
    if name == "getitem":
        return lambda parts: ast.Subscript(parts[0], parts[1], ast.Load())
    return None


def _get(act: Activation, node: ast.Call, getter: str, args: ArgumentsEvent) -> Value:
    """Evaluate a call of an itemgetter, attrgetter or methodcaller: its own arguments come first, then the object."""
    *keys, subject = args.values
    if not keys:
        return Unknown()
    if getter == "methodcaller":
        if not isinstance(keys[0], StaticValue):
            return Unknown()
        rest = ArgumentsEvent(args.nodes[1:-1], tuple(keys[1:]), args.keyword_nodes, args.keywords)
        values = (subject, *keys[1:], *args.keywords.values())
        places = (args.nodes[-1], *(node,) * (len(values) - 1))
        return as_syntax(act, node, places, values, _method(node, str(keys[0].value), rest))
    found = [_item(act, node, getter, key, (args.nodes[-1], subject)) for key in keys]
    return found[0] if len(found) == 1 else ContainerValue("tuple", tuple(found))


def _item(act: Activation, node: ast.Call, getter: str, key: Value, subject: tuple[ast.expr, Value]) -> Value:
    place, value = subject
    if getter == "itemgetter":
        return as_syntax(
            act, node, (place, node), (value, key), lambda parts: ast.Subscript(parts[0], parts[1], ast.Load())
        )
    if not isinstance(key, StaticValue):
        return Unknown()
    names = str(key.value).split(".")
    return as_syntax(act, node, (place,), (value,), lambda parts: _attributes(parts[0], names))


def _attributes(base: ast.expr, names: Sequence[str]) -> ast.expr:
    for name in names:
        base = ast.Attribute(base, name, ast.Load())
    return base


def _method(node: ast.Call, name: str, args: ArgumentsEvent) -> _Syntax:
    """Return a builder of ``receiver.name(...)`` from the receiver, positional and keyword arguments."""

    def build(parts: list[ast.expr]) -> ast.expr:
        receiver, *rest = parts
        positional, given = rest[: len(args.values)], rest[len(args.values) :]
        known = given or [args.keyword_nodes[key] for key in args.keywords]
        keywords = [ast.keyword(key, value) for key, value in zip(args.keywords, known, strict=True)]
        return ast.Call(ast.Attribute(receiver, name, ast.Load()), positional, keywords)

    return build


def _in_place(act: Activation, node: ast.Call, op: ast.operator, args: ArgumentsEvent) -> Value:
    target = ast.copy_location(ast.Name("", ast.Store()), args.nodes[0])
    statement = ast.copy_location(ast.AugAssign(target, op, args.nodes[1]), node)
    with act.run.reporting.rewriting():
        return in_place(act, statement, args.values[0], args.values[1])


def _set_item(act: Activation, node: ast.Call, args: ArgumentsEvent) -> Value:
    target = ast.copy_location(ast.Subscript(args.nodes[0], args.nodes[1], ast.Store()), node)
    with act.run.reporting.rewriting():
        store(act, target, args.values[2], act.place.statement or node)
    return StaticValue(None)
