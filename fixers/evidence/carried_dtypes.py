"""Dtypes that are carried from one tensor to another: legacy operators take one dtype only, and most keep it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.dtypes import keeps_dtype
from hybridlint.fixers.evidence.list_items import appended_items
from hybridlint.fixers.evidence.tensors import handled_as_tensor, is_given
from hybridlint.fixers.toolkit.names import dotted_parts, required_inputs
from hybridlint.runtime.facts import lookup, properties
from hybridlint.text.syntax import walk

#: Code that does not run whenever the statement around it does.
_CHOSEN = (ast.IfExp, ast.BoolOp, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp, ast.Lambda)

_Anchor = Callable[[ast.expr], bool]


def takes_dtype(frame: CodeContext, node: ast.expr, tensor: str) -> bool:
    """Whether an expression surely has the dtype of a named tensor.

    One operand of arithmetic that has it is enough, or an operand that other code of the function combines with it.
    """
    if _carries(frame, node, _named(frame, {tensor}), frozenset()):
        return True
    return _carries(frame, node, _named(frame, _combined(frame, tensor)), frozenset())


def is_float32(frame: CodeContext, node: ast.expr) -> bool:
    """Whether an expression is surely in single precision, because a part of it that decides is known to be."""
    return _carries(frame, node, lambda part: _is_single(frame, part), frozenset())


def meets_dtype(frame: CodeContext, made: ast.expr, tensor: str) -> bool:
    """Whether code that always runs combines the node `made` with an operand that has a named tensor's dtype.

    Legacy operators raise where the two dtypes differ.
    """
    return any(
        _carries(frame, part, lambda node: node is made, frozenset())
        and any(takes_dtype(frame, other, tensor) for other in operands if other is not part)
        for operands in _operators(frame)
        for part in operands
    )


def _is_single(frame: CodeContext, node: ast.expr) -> bool:
    held = frame.seen.value(node)
    return isinstance(held, Tensor) and held.type.dtype == "float32"


def _named(frame: CodeContext, names: set[str]) -> _Anchor:
    return lambda node: isinstance(node, ast.Name) and node.id in names and not _rebound(frame, node.id)


def _carries(frame: CodeContext, node: ast.expr, anchor: _Anchor, within: frozenset[str]) -> bool:
    """Whether an expression has the dtype of a part that the anchor knows.

    `within` holds the names whose bindings are being examined: a value computed from one of these and numbers keeps its
    dtype.
    """
    if anchor(node) or (isinstance(node, ast.Name) and node.id in within):
        return True
    every: list[ast.expr] = []
    any_: list[ast.expr] = []
    match node:
        case ast.Name(id=name):
            within, every = within | {name}, _values_of(frame, name)
        case ast.Starred(value=ast.Name(id=name)) if name not in within:
            within, every = within | {name}, appended_items(frame, name)
        case ast.BinOp(left=left, right=right):
            any_ = [left, right]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            any_ = [inner]
        case ast.Call():
            any_ = _data(frame, node)
    found = [_carries(frame, part, anchor, within) for part in every or any_]
    return bool(found) and (all(found) if every else any(found))


def _combined(frame: CodeContext, tensor: str) -> set[str]:
    """Return the arguments that code which always runs combines with a tensor, so that they share its dtype."""
    names, before = {tensor}, 0
    others = [name for name in _arguments(frame) if name != tensor and not _rebound(frame, name)]
    while len(names) > before:
        before = len(names)
        for operands in _operators(frame):
            if any(_carries(frame, part, _named(frame, names), frozenset()) for part in operands):
                names |= {
                    name
                    for name in others
                    if any(_carries(frame, part, _named(frame, {name}), frozenset()) for part in operands)
                }
    return names


def _arguments(frame: CodeContext) -> list[str]:
    """Return the arguments of the function that are surely arrays."""
    function = frame.function
    if not isinstance(function, ast.FunctionDef):
        return []
    reads = {n.id: n for n in walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    held = {a.arg: frame.seen.value(reads[a.arg]) for a in function.args.args if a.arg in reads}
    required = required_inputs(frame)
    return [
        name
        for name, value in held.items()
        if isinstance(value, Tensor)
        and not value.optional
        and (name in required or not is_given(value) or handled_as_tensor(frame, name))
    ]


def _operators(frame: CodeContext) -> Iterator[list[ast.expr]]:
    """Yield the operands of each operator that takes one dtype only and runs whenever the frame's statement does."""
    body = frame.function.body if isinstance(frame.function, ast.FunctionDef) else []
    for statement in _run_with(body, frame.statement):
        chosen = {id(part) for n in walk(statement) if isinstance(n, _CHOSEN) for part in walk(n)}
        for node in walk(statement):
            operands = [node.left, node.right] if isinstance(node, ast.BinOp) else []
            if isinstance(node, ast.Call):
                operands = _data(frame, node)
            if len(operands) > 1 and id(node) not in chosen:
                yield operands


def _run_with(body: Sequence[ast.stmt], reached: ast.stmt | None) -> Iterator[ast.stmt]:
    """Yield the statements of a body that surely run if `reached` runs, including its side of a choice.

    Code before `reached` has not returned.
    """
    passed = not any(_holds(statement, reached) for statement in body)
    for statement in body:
        here = _holds(statement, reached)
        passed = passed or here
        match statement:
            case ast.Assign() | ast.AugAssign() | ast.Expr() | ast.Return():
                yield statement
            case ast.If(body=then, orelse=otherwise) if here and reached is not statement:
                branch = then if any(_holds(part, reached) for part in then) else otherwise
                yield from _run_with(branch, reached)
                if _may_end(branch):
                    return
            case _ if passed and _may_end([statement]):
                return


def _holds(statement: ast.stmt, part: ast.stmt | None) -> bool:
    return part is not None and any(node is part for node in walk(statement))


def _may_end(statements: Sequence[ast.stmt]) -> bool:
    """Whether the function may end in one of these statements."""
    return any(isinstance(part, ast.Return | ast.Raise) for statement in statements for part in walk(statement))


def _data(frame: CodeContext, call: ast.Call) -> list[ast.expr]:
    """Return the tensors of a call that share the dtype of its result; empty if that is not clear."""
    match call.func:
        case ast.Attribute(value=receiver, attr=name) as function:
            path = dotted_parts(function) or ("",)
            own = path[0] == frame.functions
        case _:
            return []
    if own and lookup.of_numbers(name) is not None:
        return call.args[:2]
    operator = lookup.of_tensors(name) or lookup.function(path[1:-1], name)
    if operator is None or not keeps_dtype(call, name):
        return []
    if not own:
        return [receiver]
    alike = operator.variadic or properties.broadcasts(operator) or properties.takes_one_dtype(operator)
    return call.args if alike else call.args[:1]


def _rebound(frame: CodeContext, name: str) -> bool:
    return len(frame.flow.bindings_of(name)) > 1


def _values_of(frame: CodeContext, name: str) -> list[ast.expr]:
    """Return the values other than numbers bound to a name; empty if the function also binds it differently."""
    bindings = frame.flow.bindings_of(name)
    made = [b.assigned for b in bindings if b.assigned is not None]
    return [value for value in made if not isinstance(value, ast.Constant)] if len(made) == len(bindings) else []
