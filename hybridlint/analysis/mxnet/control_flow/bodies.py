"""Reasons why the Symbol form of a control flow operator rejects its arguments or its functions' results.

In an eager run the functions are simply called: the branch that is taken, or as often as there are steps. At the trace
each becomes a graph of its own, and all its inputs and outputs are Symbols.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from hybridlint.analysis.dataflow.function_flow import flow_of
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    CapturedArray,
    ContainerValue,
    Function,
    NumpyArray,
    Outputs,
    StaticValue,
    Tensor,
    Unknown,
    Value,
)
from hybridlint.analysis.mxnet.describe import kind
from hybridlint.text.syntax import own, walk

#: The reason for a refusal, and whether it only concerns the gradient.
Refusal: TypeAlias = tuple[str, bool]


def cond_refusals(value: Value, what: str) -> Iterator[Refusal]:
    """Yield the reasons why a value cannot be a condition in a graph; `what` names it in messages."""
    python = _python(value)
    if python is not None and not isinstance(value, CapturedArray):
        yield f"its {what} is {python}, and a Symbol is wanted", False
    elif isinstance(value, Tensor) and value.origin == "constant" and what == "result":
        yield f"its {what} depends on no variable of the loop", False


def branch_refusals(function: Value, result: Value, others: Sequence[Value]) -> Iterator[Refusal]:
    """Yield reasons why a branch of `cond` cannot be traced, or why its result does not match the `others`.

    All branches are traced, not only the one that an eager run takes.
    """
    if _raises(function):
        yield "it is traced whether or not it is taken", False
        return
    leaves = _leaves(result)
    if leaves is None:
        return
    python = next(filter(None, map(_python, leaves)), None)
    if python is not None:
        yield f"it gives {python}, and a Symbol is wanted", False
    elif not leaves:
        yield "it gives nothing", False
    elif any(len(other) != len(leaves) for other in map(_leaves, others) if other is not None):
        yield "it gives another number of outputs than the other branch", False
    elif all(isinstance(leaf, Tensor) and leaf.origin == "constant" for leaf in leaves):
        yield "it depends on no input", False
    else:
        yield from gradient_refusals(leaves)


def gradient_refusals(results: Sequence[Value]) -> Iterator[Refusal]:
    """Yield a reason if no gradient passes through a function's results."""
    if any(isinstance(leaf, Tensor) and not leaf.flows and leaf.origin != "constant" for leaf in results):
        yield "no gradient passes through its results", True


def passing_refusals(passed: Iterator[str]) -> Iterator[Refusal]:
    """Yield a reason for each term that a function only adds (see `passing`): its gradient fails."""
    for text in passed:
        yield f"the gradient of `{text}` is handed on as it comes, which fails in backward: use F.broadcast_add", True


def step_refusals(outputs: Value, states: Value) -> Iterator[Refusal]:
    """Yield why the outputs and states of a step of `foreach` cannot form a graph."""
    refusals = list(_state_refusals(states))
    yield from refusals or gradient_refusals([*(_leaves(outputs) or ()), *(_leaves(states) or ())])


def _state_refusals(states: Value) -> Iterator[Refusal]:
    python = next(filter(None, map(_python, _leaves(states) or ())), None)
    if python is not None:
        yield f"it hands on {python}, and a Symbol is wanted", False


def variable_refusals(variables: Value) -> Iterator[Refusal]:
    """Yield why a value cannot be the list of loop variables of `while_loop` in a graph."""
    numbers = (leaf for leaf in _leaves(variables) or () if not isinstance(leaf, CapturedArray))
    python = next(filter(None, map(_python, numbers)), None)
    if python is not None:
        yield f"one of them is {python}, and a Symbol is wanted", False


def count_refusals(steps: Value) -> Iterator[Refusal]:
    """Yield why a value cannot be the maximum number of steps, which the trace must know."""
    if isinstance(steps, Tensor):
        yield "the largest number of steps must be known at the trace", False


def unused_refusals(function: Value, given: Sequence[Value], names: Sequence[str]) -> Iterator[Refusal]:
    """Yield a reason for each parameter that a function does not use: a graph must use all of its inputs."""
    if not isinstance(function, Function) or function.node.args.vararg is not None:
        return
    spec = function.node.args
    parameters = [a.arg for a in (*spec.posonlyargs, *spec.args)][len(function.bound) :]
    for parameter, value, name in zip(parameters, given, names, strict=False):
        parts = value.items if isinstance(value, ContainerValue) else None
        if isinstance(value, Unknown) or (isinstance(value, ContainerValue) and not parts):
            continue
        used = _used(function.node, parameter, 1 if parts is None else len(parts))
        if used is not None and len(used) < (1 if parts is None else len(parts)):
            which = f"`{parameter}`" if parts is None or not used else f"a part of `{parameter}`"
            yield f"{which}, a {name}, is not used: an input of a graph must be", False


def _used(function: ast.FunctionDef | ast.Lambda, name: str, count: int) -> set[int] | None:
    """Return the indexes of a parameter's parts that a function reads; None if it assigns to the parameter."""
    flow = flow_of(function)
    if flow.rebindings_of(name):
        return None
    used: set[int] = set()
    known: set[int] = set()
    for node in walk(function):
        match node:
            case ast.Subscript(value=ast.Name(id=held) as read, slice=ast.Constant(value=int() as at)) if held == name:
                used.add(at % count)
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Name(id=held) as read) if held == name:
                used |= {
                    at for at, part in enumerate(parts) if not isinstance(part, ast.Name) or flow.reads_of(part.id)
                }
            case _:
                continue
        known.add(id(read))
    return used if all(id(node) in known for node in flow.reads_of(name)) else set(range(count))


def depends_on_nothing(value: Value) -> bool:
    """Return whether a value is, or holds, a tensor that depends on no input."""
    return any(isinstance(leaf, Tensor) and leaf.origin == "constant" for leaf in _leaves(value) or ())


def _raises(function: Value) -> bool:
    """Return whether a function always ends by raising."""
    if not isinstance(function, Function) or isinstance(function.node, ast.Lambda):
        return False
    returns = any(isinstance(node, ast.Return) for node in own(function.node))
    return isinstance(function.node.body[-1], ast.Raise) and not returns


def _leaves(value: Value) -> list[Value] | None:
    """Return the flattened elements of nested lists; None if their number is unknown."""
    if not isinstance(value, ContainerValue) or value.kind not in {"list", "tuple"}:
        return None if isinstance(value, Unknown | Outputs) else [value]
    if value.items is None:
        return None
    inner = [_leaves(item) for item in value.items]
    return None if None in inner else [leaf for part in inner for leaf in part or ()]


def _python(value: Value) -> str | None:
    """Describe a value that cannot be in a graph; None for Symbols and unknown values."""
    match value:
        case StaticValue(value=known) if known is not STATIC_UNKNOWN:
            return f"`{known!r}`"
        case ContainerValue(kind="dict" | "set" | "generator" as name):
            return f"a {name}"
        case NumpyArray() | CapturedArray():
            return kind(value)
        case Function():
            return "a function"
        case _:
            return None
