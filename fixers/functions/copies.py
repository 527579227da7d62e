"""Fixers of copies and detached tensors: operators that pass the gradient on, or stop it."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.describe import subject
from hybridlint.analysis.model.events import CodeContext, ForeignCall, MethodCall
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.control.pauses import stopped_in_scope, without_gradient
from hybridlint.fixers.evidence.aliases import may_be_aliased, part_changes
from hybridlint.fixers.evidence.layers_without_gradient import leaves_layer_without_gradient
from hybridlint.fixers.evidence.moving_statistics import may_update_statistics
from hybridlint.fixers.evidence.tensors import proved_value
from hybridlint.fixers.functions.devices import eagerly, with_imports
from hybridlint.fixers.functions.methods import as_none, without_statement
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.nodes import assignment
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix, FixKind
from hybridlint.text.syntax import walk

#: Methods that change a container.
_GROWING = frozenset({"append", "extend", "insert", "pop", "remove", "update", "setdefault", "clear"})
#: Methods that move a tensor to a device.
_MOVES = frozenset({"as_in_context", "as_in_ctx", "copyto"})


def without_copy(event: MethodCall) -> Fix | None:
    """Write ``x.copy()`` as ``F.identity(x)``, and ``x.as_in_context(ctx)`` so that only eager runs move."""
    functions = event.frame.functions
    if functions is None or not isinstance(event.node, ast.Call) or not isinstance(event.receiver, Tensor):
        return None
    assert isinstance(event.node.func, ast.Attribute)
    inner = event.node.func.value
    if event.name in _MOVES:
        return _moved(event, functions, inner)
    if event.name == "copy" and event.receiver.mode == "np":
        template = "{F}.np.copy({x})"
    elif event.name == "as_np_ndarray" and event.receiver.mode == "legacy":
        template = "{F}.identity({x}).as_np_ndarray()"
    elif event.name in {"copy", "as_nd_ndarray"} and event.receiver.mode == "legacy":
        template = "{F}.identity({x})"
    else:
        return None
    sure = event.name != "copy" or proved_value(event.frame, event.receiver, inner)
    if not sure and _grows(event.frame, event.node):
        return None
    new = expression(template, F=functions, x=event.frame.concrete(inner))
    return rewrite(event.frame, event.node, new, safe_if(sure))


def _grows(frame: CodeContext, node: ast.expr) -> bool:
    """Whether the code adds items to the copy or removes some, which only lists and dicts allow."""
    match frame.statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if value is node:
            parts = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Attribute))
            return any(isinstance(n.value, ast.Name) and n.value.id == name and n.attr in _GROWING for n in parts)
    return False


def _moved(event: MethodCall, functions: str, inner: ast.expr) -> Fix | None:
    """Write ``x.as_in_context(ctx)`` so that only eager runs move `x`: a graph runs on the device of its inputs.

    On the device that it is on, `x` is returned as it is, without a copy; ``copyto`` copies always.
    """
    frame, node = event.frame, event.node
    assert isinstance(node, ast.Call)
    legacy = isinstance(event.receiver, Tensor) and event.receiver.mode == "legacy"
    if len(event.arguments.values) != 1 or node.keywords:
        return None
    if event.name == "copyto":
        return _copied_to(event, functions, inner) if legacy else None
    new = frame.concrete(inner)
    choice = eagerly(frame, frame.concrete(node), new) if legacy and isinstance(inner, ast.Name) else None
    if choice is None or event.name == "as_in_ctx":
        return rewrite(frame, node, new, Applicability.UNSAFE)
    return with_imports(choice, rewrite(frame, node, choice.new, Applicability.SAFE))


def _copied_to(event: MethodCall, functions: str, inner: ast.expr) -> Fix | None:
    """Write ``x.copyto(ctx)`` as an identity, in eager runs of a named tensor as it is."""
    frame, node = event.frame, event.node
    assert isinstance(node, ast.Call)
    if isinstance(event.arguments.values[0], Tensor):
        return _copied(event, functions, inner)
    new = _identity(frame, functions, inner)
    choice = eagerly(frame, frame.concrete(node), new) if isinstance(inner, ast.Name) else None
    if choice is None:
        return rewrite(frame, node, new, Applicability.UNSAFE)
    return with_imports(choice, rewrite(frame, node, choice.new, Applicability.SAFE))


def _copied(event: MethodCall, functions: str, inner: ast.expr) -> Fix | None:
    """Write ``return x.copyto(y)`` as an identity: the call returns `y`, which then holds a copy of `x`."""
    node, statement, target = event.node, event.frame.statement, event.arguments.values[0]
    assert isinstance(node, ast.Call)
    returned = isinstance(statement, ast.Return) and not isinstance(parent_of(event.frame, node), ast.Call)
    if not isinstance(target, Tensor) or not returned or target.identity is None:
        return None
    return rewrite(event.frame, node, _identity(event.frame, functions, inner), Applicability.UNSAFE)


def _identity(frame: CodeContext, functions: str, node: ast.expr) -> cst.BaseExpression:
    return expression("{F}.identity({x})", F=functions, x=frame.concrete(node))


def block_copy(event: ForeignCall) -> Fix | None:
    """Write ``copy.deepcopy(x)`` as ``F.BlockGrad(x)``: an eager copy passes no gradient either."""
    if (
        event.frame.functions is None
        or not isinstance(event.node, ast.Call)
        or event.function not in {"copy.copy", "copy.deepcopy"}
    ):
        return None
    nodes = event.arguments.nodes
    if len(nodes) != 1 or not isinstance(event.arguments.values[0], Tensor):
        return None
    return _stopped_at(event.frame, event.node, nodes[0], event.arguments.values[0])


def block_gradient(event: MethodCall) -> Fix | None:
    """Write ``x.detach()``, and ``x.attach_grad()``, which detaches `x` from the graph, as ``F.BlockGrad(x)``."""
    if event.name != "detach":
        return _unwatched(event) if event.name == "attach_grad" else None
    if event.frame.functions is None or not isinstance(event.node, ast.Call) or not isinstance(event.receiver, Tensor):
        return None
    assert isinstance(event.node.func, ast.Attribute)
    if part_changes(event.frame, event.node):
        return None
    fix = _stopped_at(event.frame, event.node, event.node.func.value, event.receiver)
    return fix if fix is None or fix.kind is not FixKind.REPAIR else replace(fix, kind=FixKind.PART)


def _stopped_at(frame: CodeContext, node: ast.expr, inner: ast.expr, value: Tensor) -> Fix | None:
    """Replace a node by the expression `inner` with its gradient stopped, in a scope where MXNet needs one."""
    assert frame.functions is not None
    safety = safe_if(not may_update_statistics(frame))
    if leaves_layer_without_gradient(frame, inner):
        return stopped_in_scope(frame, node, inner, value.mode, safety)
    return rewrite(frame, node, stop_gradient(frame.functions, value, frame, inner), safety)


def stop_gradient(functions: str, value: Tensor, frame: CodeContext, node: ast.expr) -> cst.BaseExpression:
    """Return the expression inside ``F.BlockGrad``. In numpy mode it converts to a legacy array and back."""
    return without_gradient(functions, value.mode, frame.concrete(node))


def _unwatched(event: MethodCall) -> Fix | None:
    """Write ``z.attach_grad()`` as ``z = F.BlockGrad(z)``, which stops the gradient. On an input, remove the call."""
    frame, receiver, unsafe = event.frame, subject(event.node), Applicability.UNSAFE
    if _reads_gradients(frame) or not isinstance(event.receiver, Tensor) or not isinstance(receiver, ast.Name):
        return None
    if event.receiver.origin in {"argument", "parameter"}:
        return without_statement(event, unsafe) or as_none(event, unsafe)
    statement, name = frame.statement, receiver.id
    alone = isinstance(statement, ast.Expr) and statement.value is event.node
    if frame.functions is None or not alone or frame.aliases - {name} or may_be_aliased(frame, name):
        return None
    assert statement is not None
    return rewrite(
        frame, statement, assignment([name], stop_gradient(frame.functions, event.receiver, frame, receiver)), unsafe
    )


def _reads_gradients(frame: CodeContext) -> bool:
    """Whether the file reads gradients, which would be lost without `attach_grad`."""
    nodes = list(walk(frame.source.tree))
    calls = {id(n.func): n for n in nodes if isinstance(n, ast.Call)}
    read = (n for n in nodes if isinstance(n, ast.Attribute) and n.attr == "grad" and isinstance(n.ctx, ast.Load))
    named = any(isinstance(n, ast.Constant) and n.value == "grad" for n in nodes)
    return named or any(id(n) not in calls or len(calls[id(n)].args) > 1 for n in read)
