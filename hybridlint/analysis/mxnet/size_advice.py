"""Advice on replacing a size of a tensor, chosen by the code that uses the size. Findings show it as help."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import pairwise

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import AttributeRead, CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.runtime.facts import lookup
from hybridlint.text.syntax import walk

_CODES = "Use reshape codes: 0 keeps a size, -1 is the rest, -3 joins two, -4 splits one; or `F.reshape_like`."
_OTHERWISE = "Use reshape codes (0, -1, -3), or reshape_like, zeros_like, slice_like, which take the tensor."


def size_advice(event: AttributeRead, *, fixed: bool) -> str:
    """Return advice on replacing a size. Unless `fixed`, it names the missing facts for a fix."""
    tensor = snippet(event.frame, event.node.value) if isinstance(event.node, ast.Attribute) else "the tensor"
    advice = _advice(event, tensor)
    unknown = isinstance(event.value, Tensor) and event.value.type.shape is None
    if fixed or not unknown or event.name == "ndim":
        return advice
    block = f"`{event.frame.class_name}`" if event.frame.class_name else "the block"
    return (
        f"{advice} The number of axes of {tensor} is not known: declare it in a `# hybridlint: shapes(...)` comment, "
        f"or call {block} somewhere with a literal shape."
    )


def _advice(event: AttributeRead, tensor: str) -> str:
    if event.name == "ndim":
        return "A graph is made for one number of axes: give it to `__init__`, or use operators that take any."
    if event.name == "size":
        return f"`F.size_array({tensor.strip('`')})` counts the elements in the graph, and `mean` divides by them."
    found = (_by_use(event.frame, use, tensor) for use in _uses(event))
    return next((advice for advice in found if advice is not None), _OTHERWISE)


def _uses(event: AttributeRead) -> Iterator[list[ast.AST]]:
    """Yield the nodes around each read of a size or of its name, the innermost first."""
    if not isinstance(event.node, ast.expr) or event.frame.statement is None:
        return
    yield _around(event.frame.statement, event.node)
    flow = event.frame.flow
    for binding in flow.bindings:
        if binding.statement is event.frame.statement:
            for read in flow.uses(binding):
                statement = flow.statement_at(read)
                if statement is not None:
                    yield _around(statement, read)


def _around(statement: ast.stmt, node: ast.AST) -> list[ast.AST]:
    parents = {child: parent for parent in walk(statement) for child in ast.iter_child_nodes(parent)}
    chain = [node]
    while chain[-1] in parents:
        chain.append(parents[chain[-1]])
    return chain


def _by_use(frame: CodeContext, chain: list[ast.AST], tensor: str) -> str | None:
    """Return the advice for one use; None if nothing particular is known of it."""
    name = tensor.strip("`")
    for inner, outer in pairwise(chain):
        match outer:
            case ast.Subscript(slice=part) if part is inner:
                return f"`F.slice_like` cuts a tensor to the sizes of {tensor}, along the axes that it is told."
            case ast.BinOp(op=ast.Div(), right=part) if part is inner:
                return (
                    "The mean along an axis divides by its size; beside tensors, "
                    f"`F.shape_array({name})` gives the sizes in the graph."
                )
            case ast.keyword(arg="height" | "width"):
                return f'`mode="like"` resizes to the sizes of {tensor}, which is the second argument then.'
            case ast.keyword(arg="kernel" | "stride"):
                return "No window of a graph follows the size of its input: give that size to `__init__`."
            case ast.Compare() | ast.If() | ast.IfExp() | ast.While():
                return "A graph goes one way, whatever the sizes are: decide in `__init__`, or outside of the block."
            case ast.For(iter=part) if part is inner:
                return (
                    f"`F.contrib.foreach` runs once for each row of {tensor}; a fixed number of steps belongs in "
                    "`__init__`."
                )
            case ast.Call(func=function) if function is not inner:
                advice = _by_call(_name_of(function), tensor)
                if advice is not None:
                    return advice
            case _:
                pass
    return None


def _by_call(name: str, tensor: str) -> str | None:
    inside = tensor.strip("`")
    if lookup.takes_stop(name) or lookup.takes_count(name):
        return f"`F.contrib.arange_like({inside}, axis=...)` counts along an axis of {tensor}."
    if lookup.draws(name):
        return f"`F.random.normal_like({inside})` and `F.random.uniform_like` draw in the shape of a tensor."
    if lookup.makes_array(name):
        return f"`F.zeros_like({inside})` and `F.ones_like` take the tensor; `F.broadcast_like` spreads to its sizes."
    if "reshape" in name.lower():
        return _CODES
    return None


def _name_of(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
