"""Fixers of autograd scopes and name scopes: BlockGrad, or the body without its `with`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import Frame, Scope
from hybridlint.analysis.model.values import Concrete, Function, Static, Tensor
from hybridlint.fixers.toolkit.names import dotted
from hybridlint.fixers.toolkit.statements import taken_out
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk


def block_paused(event: Scope) -> Fix | None:
    """Write ``with autograd.pause(): z = e`` as ``z = F.BlockGrad(e)``, for assignments to names only."""
    functions, node = event.frame.functions, event.node
    if functions is None or event.name != "pause" or event.frame.mode != "legacy" or not isinstance(node, ast.With):
        return None
    if event.modal:
        # `pause` also sets predict mode, which operators that read the mode would not see.
        return None
    scope = node.items[0].context_expr
    if len(node.items) != 1 or not isinstance(scope, ast.Call) or scope.args or scope.keywords:
        return None
    if not all(
        isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name) for s in node.body
    ):
        return None
    stopped = _stopped(event.frame, _escaping(event.frame, node))
    if stopped is None:
        return None
    template = "{F}.BlockGrad({value})"
    parts = {value: expression(template, F=functions, value=event.frame.concrete(value)) for value in stopped}
    return taken_out(event.frame, node, Applicability.SAFE, message="Stop the gradient with BlockGrad", parts=parts)


def _escaping(frame: Frame, node: ast.With) -> list[ast.expr]:
    """Return the values last assigned in a `with` to names that are read outside of it."""
    inside = {id(n) for n in walk(node)}
    outside = walk(frame.function) if frame.function is not None else ()
    read = {n.id for n in outside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in inside}
    last = {
        s.targets[0].id: s.value for s in node.body if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)
    }
    values = [value for name, value in last.items() if name in read]
    stopped = {(frame.functions, "BlockGrad"), (frame.functions, "stop_gradient")}
    return [v for v in values if not (isinstance(v, ast.Call) and dotted(v.func) in stopped)]


def _stopped(frame: Frame, values: Sequence[ast.expr]) -> list[ast.expr] | None:
    """Return the values that are new tensors, which are those whose gradient has to be stopped.

    None if a value is not a single new tensor, or may not be: a list, several outputs, or a tensor from before the
    scope.
    """
    found: list[ast.expr] = []
    for node in values:
        held = frame.seen.value(node)
        if isinstance(held, Static | Concrete | Function):
            continue
        if not isinstance(held, Tensor) or held.optional or _may_be_old(frame, node, held):
            return None
        found.append(node)
    return found


def _may_be_old(frame: Frame, node: ast.expr, held: Tensor) -> bool:
    """Whether a tensor may have existed before the expression was evaluated, as in ``y = x``."""
    if isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare):
        return False
    parts = (frame.seen.value(part) for part in walk(node) if part is not node)
    return held.identity is None or any(isinstance(v, Tensor) and v.identity == held.identity for v in parts)


def unwrap(event: Scope) -> Fix | None:
    """Replace ``with scope: body`` by the body."""
    if (
        not isinstance(event.node, ast.With)
        or len(event.node.items) != 1
        or event.node.items[0].optional_vars is not None
    ):
        return None
    return taken_out(event.frame, event.node, Applicability.SAFE, message="Remove the `with` and keep its body")
