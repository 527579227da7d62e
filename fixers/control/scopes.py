"""Fixers of autograd scopes and name scopes: BlockGrad in the scope, or the body without its `with`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import CodeContext, ScopeEvent
from hybridlint.analysis.model.values import DataDependentValue, Function, StaticValue, Tensor
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import insert_statements, join_fixes, taken_out
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk


def block_paused(event: ScopeEvent) -> Fix | None:
    """Write ``z = e`` in ``with autograd.pause()`` as ``z = F.BlockGrad(e)``, for assignments to names only.

    What is unpacked, as in ``a, b = e``, is stopped at the end of the body: ``a = F.BlockGrad(a)``.
    """
    # The scope stays: measured, MXNet 1.9.1 crashes in the backward pass of an eager run that has recorded BlockGrad
    # of, say, a softmax of a Dense, whose output no other gradient reaches.
    functions, node = event.frame.functions, event.node
    if functions is None or event.name != "pause" or event.frame.mode != "legacy" or not isinstance(node, ast.With):
        return None
    if event.modal:
        # `pause` also sets predict mode, which operators that read the mode would not see.
        return None
    scope = node.items[0].context_expr
    if (
        len(node.items) != 1
        or not isinstance(scope, ast.Call)
        or scope.args
        or any(k.arg is None for k in scope.keywords)
    ):
        return None
    last = _last_assigned(node)
    if last is None:
        return None
    read = _read_outside(event.frame, node)
    values = [v for name, v in last.items() if name in read and v is not None and not _is_stopped(event.frame, v)]
    stopped = _stopped(event.frame, values)
    unpacked = [name for name, value in last.items() if name in read and value is None]
    if stopped is None or not all(_is_new_tensor(event.frame, read[name]) for name in unpacked):
        return None
    frame, message, safe = event.frame, "Stop the gradient with BlockGrad", Applicability.SAFE
    template = "{F}.BlockGrad({value})"
    fixes = [
        rewrite(frame, value, expression(template, F=functions, value=frame.concrete(value)), safe) for value in stopped
    ]
    behind = [s for name in unpacked for s in statements("{name} = {F}.BlockGrad({name})", F=functions, name=name)]
    if behind:
        fixes.append(insert_statements(frame, behind, safe, message=message, after=node.body[-1]))
    return join_fixes(message, fixes)


def _last_assigned(node: ast.With) -> dict[str, ast.expr | None] | None:
    """Return for each name that a `with` assigns the last value, None for one that is unpacked.

    None if its body has other statements than assignments to names.
    """
    last: dict[str, ast.expr | None] = {}
    for inner in node.body:
        match inner:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                last[name] = value
            case ast.Assign(targets=[ast.Tuple(elts=names) | ast.List(elts=names)]):
                if not all(isinstance(each, ast.Name) for each in names):
                    return None
                last |= dict.fromkeys(each.id for each in names if isinstance(each, ast.Name))
            case _:
                return None
    return last


def _read_outside(frame: CodeContext, node: ast.With) -> dict[str, list[ast.Name]]:
    """Return the names that are read outside of a `with`, each with the nodes that read it."""
    inside = {id(n) for n in walk(node)}
    found: dict[str, list[ast.Name]] = {}
    for outer in walk(frame.function) if frame.function is not None else ():
        if isinstance(outer, ast.Name) and isinstance(outer.ctx, ast.Load) and id(outer) not in inside:
            found.setdefault(outer.id, []).append(outer)
    return found


def _is_stopped(frame: CodeContext, value: ast.expr) -> bool:
    names = {(frame.functions, "BlockGrad"), (frame.functions, "stop_gradient")}
    return isinstance(value, ast.Call) and dotted_parts(value.func) in names


def _is_new_tensor(frame: CodeContext, reads: Sequence[ast.Name]) -> bool:
    """Whether each of the nodes reads a single tensor that is no input of the function."""
    held = [frame.seen.value(node) for node in reads]
    arguments = {v.identity for v in map(frame.seen.value, _arguments(frame)) if isinstance(v, Tensor)}
    return all(
        isinstance(v, Tensor) and not v.optional and v.identity is not None and v.identity not in arguments
        for v in held
    )


def _arguments(frame: CodeContext) -> list[ast.Name]:
    """Return the nodes that read arguments of the function."""
    if frame.function is None:
        return []
    names = {argument.arg for argument in frame.function.args.args}
    return [n for n in walk(frame.function) if isinstance(n, ast.Name) and n.id in names]


def _stopped(frame: CodeContext, values: Sequence[ast.expr]) -> list[ast.expr] | None:
    """Return the values that are new tensors, which are those whose gradient has to be stopped.

    None if a value is not a single new tensor, or may not be: a list, several outputs, or a tensor from before the
    scope.
    """
    found: list[ast.expr] = []
    for node in values:
        held = frame.seen.value(node)
        if isinstance(held, StaticValue | DataDependentValue | Function):
            continue
        if not isinstance(held, Tensor) or held.optional or _may_be_old(frame, node, held):
            return None
        found.append(node)
    return found


def _may_be_old(frame: CodeContext, node: ast.expr, held: Tensor) -> bool:
    """Whether a tensor may have existed before the expression was evaluated, as in ``y = x``."""
    if isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare):
        return False
    parts = (frame.seen.value(part) for part in walk(node) if part is not node)
    return held.identity is None or any(isinstance(v, Tensor) and v.identity == held.identity for v in parts)


def unwrap(event: ScopeEvent) -> Fix | None:
    """Replace ``with scope: body`` by the body."""
    if (
        not isinstance(event.node, ast.With)
        or len(event.node.items) != 1
        or event.node.items[0].optional_vars is not None
    ):
        return None
    return taken_out(event.frame, event.node, Applicability.SAFE, message="Remove the `with` and keep its body")
