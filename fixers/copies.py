"""Copies and detached tensors: as identities that pass the gradient or stop it."""

from __future__ import annotations

import ast

from hybridlint.analysis.events import ForeignCall, Frame, MethodCall
from hybridlint.analysis.values import Tensor
from hybridlint.edits import Applicability, Fix
from hybridlint.fixers.aliases import part_changes
from hybridlint.fixers.calls import as_none, without_statement
from hybridlint.fixers.names import dotted, parent_of
from hybridlint.fixers.proofs import proved_value
from hybridlint.fixers.text import argument, operand, replace, safe_if
from hybridlint.syntax import walk


def without_copy(event: MethodCall) -> Fix | None:
    """Write ``x.copy()`` as an identity, and a move to a device as the tensor itself."""
    functions = event.frame.functions
    if functions is None or not isinstance(event.node, ast.Call) or not isinstance(event.receiver, Tensor):
        return None
    assert isinstance(event.node.func, ast.Attribute)
    inner = event.node.func.value
    if event.name == "copy" and event.receiver.mode == "np":
        content = f"{functions}.np.copy({argument(event.frame, inner)})"
    elif event.name == "as_np_ndarray" and event.receiver.mode == "legacy":
        content = f"{functions}.identity({argument(event.frame, inner)}).as_np_ndarray()"
    elif event.name in {"copy", "as_in_context", "as_nd_ndarray"} and event.receiver.mode == "legacy":
        content = f"{functions}.identity({argument(event.frame, inner)})"
    elif event.name == "copyto" and event.receiver.mode == "legacy":
        return _copied(event, functions, inner)
    else:
        return None
    sure = event.name != "copy" or proved_value(event.frame, event.receiver, inner)
    return replace(event.frame, event.node, content, safe_if(event.name != "as_in_ctx", sure), kept=[inner])


def _copied(event: MethodCall, functions: str, inner: ast.expr) -> Fix | None:
    """Write ``x.copyto(mx.cpu())`` as an identity, and ``return x.copyto(y)`` too: it returns `y` as it is then."""
    node, statement = event.node, event.frame.statement
    assert isinstance(node, ast.Call)
    if len(event.arguments.values) != 1 or node.keywords:
        return None
    content = f"{functions}.identity({argument(event.frame, inner)})"
    target = event.arguments.values[0]
    path = dotted(node.args[0].func) if isinstance(node.args[0], ast.Call) else None
    if path is not None and path[-1] in {"cpu", "gpu", "cpu_pinned", "cpu_shared", "Context"}:
        return replace(event.frame, node, content, Applicability.UNSAFE, kept=[inner])
    returned = isinstance(statement, ast.Return) and not isinstance(parent_of(event.frame, node), ast.Call)
    if isinstance(target, Tensor) and returned and isinstance(node.args[0], ast.Name) and target.identity is not None:
        return replace(event.frame, node, content, Applicability.UNSAFE, kept=[inner])
    return None


def block_copy(event: ForeignCall) -> Fix | None:
    """Write ``copy.deepcopy(x)`` as ``F.BlockGrad(x)``, which is what it does eagerly."""
    functions = event.frame.functions
    if (
        functions is None
        or not isinstance(event.node, ast.Call)
        or event.function not in {"copy.copy", "copy.deepcopy"}
    ):
        return None
    nodes = event.arguments.nodes
    if len(nodes) != 1 or not isinstance(event.arguments.values[0], Tensor):
        return None
    content = stopped(functions, event.arguments.values[0], event.frame, nodes[0])
    return replace(event.frame, event.node, content, safe_if(True), kept=nodes)


def block_gradient(event: MethodCall) -> Fix | None:
    """Write ``x.detach()`` as ``F.BlockGrad(x)``; remove ``x.attach_grad()`` where it stands alone."""
    if event.name != "detach":
        unsafe = Applicability.UNSAFE
        if _reads_gradients(event.frame) or event.name != "attach_grad":
            return None
        return without_statement(event, unsafe) or as_none(event, unsafe)
    functions = event.frame.functions
    if functions is None or not isinstance(event.node, ast.Call) or not isinstance(event.receiver, Tensor):
        return None
    assert isinstance(event.node.func, ast.Attribute)
    if part_changes(event.frame, event.node):
        return None
    inner = event.node.func.value
    content = stopped(functions, event.receiver, event.frame, inner)
    return replace(event.frame, event.node, content, safe_if(True), kept=[inner])


def stopped(functions: str, value: Tensor, frame: Frame, node: ast.expr) -> str:
    """Return the expression without its gradient; numpy mode has the operator for legacy arrays only."""
    if value.mode == "np":
        return f"{functions}.BlockGrad({operand(frame, node)}.as_nd_ndarray()).as_np_ndarray()"
    return f"{functions}.BlockGrad({argument(frame, node)})"


def _reads_gradients(frame: Frame) -> bool:
    """Whether the function uses the gradients that it computes: without them it is another function."""
    nodes = walk(frame.function) if frame.function is not None else ()
    return any(isinstance(n, ast.Attribute) and n.attr == "grad" for n in nodes)
