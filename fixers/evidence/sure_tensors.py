"""Expressions that are surely tensors, and not numbers, judged by their parts."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import BlockRef, Outputs, Tensor, Unknown
from hybridlint.fixers.evidence.helper_calls import entered_by
from hybridlint.fixers.toolkit.names import dotted_parts, required_inputs
from hybridlint.runtime.facts.records import replace
from hybridlint.text.syntax import own, walk

#: What a call does not give.
_NOTHING = ast.Constant(None)


def surely_tensor(frame: CodeContext, node: ast.expr, within: frozenset[str] = frozenset()) -> bool:
    """Whether an expression is surely a tensor by its parts: required inputs, functions of F, methods of tensors.

    A name is a tensor if every value that the function binds to it is one, and so is what a method of the class gives
    if it returns nothing else. `within` holds the names whose bindings are being examined, to end recursion.
    """
    held = frame.seen.value(node)
    if not isinstance(held, Tensor | Outputs | Unknown):
        return False
    match node:
        case ast.Name(id=name):
            return name in within or _bound_to_tensors(frame, name, within | {name})
        case ast.Call(func=ast.Attribute(value=receiver) as function):
            path = dotted_parts(receiver)
            of_block = isinstance(held, Tensor) and isinstance(frame.seen.value(function), BlockRef)
            of_functions = path is not None and path[0] == frame.functions
            sure = of_block or of_functions or surely_tensor(frame, receiver, within)
            return sure or _returns_tensors(frame, node, within)
        case ast.BinOp(left=left, right=right):
            return surely_tensor(frame, left, within) or surely_tensor(frame, right, within)
        case ast.UnaryOp(operand=inner) | ast.Subscript(value=inner, slice=ast.Tuple()):
            return surely_tensor(frame, inner, within)
    return False


def _bound_to_tensors(frame: CodeContext, name: str, within: frozenset[str]) -> bool:
    nodes = list(walk(frame.function or ast.Pass()))
    stores = {id(n) for n in nodes if isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load)}
    given = name in required_inputs(frame)
    values = [n.value for n in nodes if any(id(target) in stores for target in _bound_by(n))]  # type: ignore[attr-defined]
    if len(values) != len(stores) or not (given or values):
        return False
    if any(isinstance(n, ast.AugAssign) and id(n.target) in stores for n in nodes):
        return given and len(values) == 1
    outer = isinstance(frame.function, ast.FunctionDef) and any(a.arg == name for a in frame.function.args.args)
    return (given or not outer) and all(surely_tensor(frame, value, within) for value in values)


def _returns_tensors(frame: CodeContext, call: ast.Call, within: frozenset[str]) -> bool:
    """Whether a method of the class returns only tensors: its own, or tensors that the call passes."""
    entered = entered_by(frame, call)
    if entered is None or entered[0] is frame.function or entered[0].name in within:
        return False
    function, given = entered
    nodes = list(own(function))
    if not isinstance(function.body[-1], ast.Return) or any(isinstance(n, ast.Yield | ast.YieldFrom) for n in nodes):
        return False
    functions = next((name for name, value in given.items() if _is_name(value, frame.functions)), None)
    inside = replace(frame, function=function, functions=functions)
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    handed = {name: value for name, value in given.items() if name not in stored}
    results = [node.value for node in nodes if isinstance(node, ast.Return)]
    return all(
        result is not None
        and (
            surely_tensor(inside, result, within | {function.name})
            or (isinstance(result, ast.Name) and surely_tensor(frame, handed.get(result.id, _NOTHING), within))
        )
        for result in results
    )


def _is_name(node: ast.expr, name: str | None) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _bound_by(node: ast.AST) -> list[ast.expr]:
    """Return the targets of an assignment that receive its whole value, or one output each of its operator."""
    match node:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call(func=ast.Attribute() as function)):
            loops = {"foreach", "while_loop", "cond"} & set(dotted_parts(function) or ())
            return [] if loops else targets
        case ast.Assign(targets=targets):
            return targets
        case ast.AugAssign(target=target):
            return [target]
    return []
