"""Fixers of autograd scopes and name scopes: BlockGrad in the scope, or the body without its `with`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import field

from hybridlint.analysis.dataflow.bindings import Binding
from hybridlint.analysis.model.events import CodeContext, ScopeEvent
from hybridlint.analysis.model.values import BlockRef, DataDependentValue, Function, Namespace, StaticValue, Tensor
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import insert_statements, join_fixes, taken_out
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.runtime.facts import lookup
from hybridlint.runtime.facts.records import record
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk


def block_paused(event: ScopeEvent) -> Fix | None:
    """Write ``z = e`` in ``with autograd.pause()`` as ``z = F.BlockGrad(e)``, likewise what it returns or lists.

    What is unpacked, as in ``a, b = e``, or bound by steps of a loop, is stopped at the end of the body:
    ``a = F.BlockGrad(a)``.
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
    results = _results(node.body)
    if results is None:
        return None
    frame, message, safe = event.frame, "Stop the gradient with BlockGrad", Applicability.SAFE
    read = _read_outside(frame, node)
    bound = [v for name, v in results.bound.items() if name in read and v is not None]
    shown = [v for receiver, v in results.listed if receiver in read]
    values = [
        inner for v in (*bound, *results.returned, *shown) for inner in _items(v) if not _is_stopped(frame, inner)
    ]
    stopped = _Stopped(frame, node).tensors(values)
    unpacked = [name for name, value in results.bound.items() if name in read and value is None]
    if stopped is None or not all(_is_new_tensor(frame, node, read[name]) for name in unpacked):
        return None
    template = "{F}.BlockGrad({value})"
    fixes = [
        rewrite(frame, value, expression(template, F=functions, value=frame.concrete(value)), safe) for value in stopped
    ]
    behind = [s for name in unpacked for s in statements("{name} = {F}.BlockGrad({name})", F=functions, name=name)]
    if behind:
        fixes.append(insert_statements(frame, behind, safe, message=message, after=node.body[-1]))
    return join_fixes(message, fixes)


@record(slots=True)
class _Results:
    """Results of a scope: names with the last value, None for one that is unpacked or bound by steps; other values.

    `listed` has what is appended to lists, with the name of the list.
    """

    bound: dict[str, ast.expr | None] = field(default_factory=dict)
    returned: list[ast.expr] = field(default_factory=list)
    listed: list[tuple[str, ast.expr]] = field(default_factory=list)


def _results(body: Sequence[ast.stmt]) -> _Results | None:
    """Return the results of a scope; None if its body has statements that may let other values out."""
    found = _Results()
    return found if all(_collect(part, found, once=True) for part in body) else None


def _collect(part: ast.stmt, found: _Results, *, once: bool) -> bool:
    """Add the results of a statement, which runs once if `once` is true; return whether they are all."""
    match part:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            found.bound[name] = value if once else None
        case ast.Assign(targets=[ast.Tuple(elts=names) | ast.List(elts=names)]):
            if not all(isinstance(each, ast.Name) for each in names):
                return False
            found.bound |= dict.fromkeys(each.id for each in names if isinstance(each, ast.Name))
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value])):
            found.listed.append((name, value))
        case ast.Return(value=ast.expr() as value) if once:
            found.returned.append(value)
        case ast.For(target=ast.Name(id=name), body=body, orelse=[]):
            found.bound[name] = None
            return all(_collect(inner, found, once=False) for inner in body)
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            pass
        case _:
            return False
    return True


def _items(value: ast.expr) -> list[ast.expr]:
    """Return the items of a display or a comprehension, and any other expression alone."""
    match value:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return [inner for part in parts for inner in _items(part)]
        case ast.ListComp(elt=part):
            return _items(part)
    return [value]


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


def _is_new_tensor(frame: CodeContext, node: ast.With, reads: Sequence[ast.Name]) -> bool:
    """Whether each of some names is a single tensor that the scope has made."""
    held = [frame.seen.value(read) for read in reads]
    arguments = {v.identity for v in map(frame.seen.value, _arguments(frame)) if isinstance(v, Tensor)}
    return all(
        isinstance(v, Tensor) and not v.optional and v.identity is not None and v.identity not in arguments
        for v in held
    ) and all(_Stopped(frame, node).is_bound_inside(read) for read in reads)


def _arguments(frame: CodeContext) -> list[ast.Name]:
    """Return the nodes that read arguments of the function."""
    if frame.function is None:
        return []
    names = {argument.arg for argument in frame.function.args.args}
    return [n for n in walk(frame.function) if isinstance(n, ast.Name) and n.id in names]


@record(frozen=True, slots=True)
class _Stopped:
    """Tells which of the values that leave a scope are tensors that the scope has made."""

    frame: CodeContext
    scope: ast.With

    def tensors(self, values: Sequence[ast.expr]) -> list[ast.expr] | None:
        """Return the values that are new tensors, which are those whose gradient has to be stopped.

        None if a value is not a single new tensor, or may not be: a list, several outputs, or a tensor from before the
        scope.
        """
        found: list[ast.expr] = []
        for node in values:
            held = self.frame.seen.value(node)
            if isinstance(held, StaticValue | DataDependentValue | Function):
                continue
            if not isinstance(held, Tensor) or held.optional or not self._is_new(node):
                return None
            found.append(node)
        return found

    def is_bound_inside(self, read: ast.Name) -> bool:
        """Return whether only the scope binds what a name holds where it is read."""
        reaching = self.frame.flow.reaching(read)
        inside = set(map(id, walk(self.scope)))
        return bool(reaching) and all(id(binding.statement) in inside for binding in reaching)

    def _is_new(self, node: ast.expr) -> bool:
        """Whether an expression is a tensor that did not exist before the scope."""
        if isinstance(node, ast.Name):
            return self.is_bound_inside(node) and all(map(self._binds_new, self.frame.flow.reaching(node)))
        held = self.frame.seen.value(node)
        return isinstance(held, Tensor) and not _may_be_old(self.frame, node, held)

    def _binds_new(self, binding: Binding) -> bool:
        """Whether a binding gives a name a tensor that its own expression makes, or an output of a layer."""
        if binding.assigned is not None:
            return not isinstance(binding.assigned, ast.Name) and self._is_new(binding.assigned)
        made = binding.statement.value if isinstance(binding.statement, ast.Assign) else None
        if not isinstance(made, ast.Call):
            return False
        callee = self.frame.seen.value(made.func)
        return (isinstance(callee, BlockRef) and callee.layer is not None) or _calls_operator(self.frame, made)


def _may_be_old(frame: CodeContext, node: ast.expr, held: Tensor) -> bool:
    """Whether a tensor may have existed before the expression was evaluated, as in ``y = x``."""
    if isinstance(node, ast.BinOp | ast.UnaryOp | ast.Compare):
        return False
    if isinstance(node, ast.Call) and _calls_operator(frame, node):
        return False
    parts = (frame.seen.value(part) for part in walk(node) if part is not node)
    return held.identity is None or any(isinstance(v, Tensor) and v.identity == held.identity for v in parts)


def _calls_operator(frame: CodeContext, call: ast.Call) -> bool:
    """Whether a call calls an operator through its namespace, so that its results are new arrays."""
    match call.func:
        case ast.Attribute(value=owner, attr=name):
            return isinstance(frame.seen.value(owner), Namespace) and lookup.of_tensors(name) is not None
        case _:
            return False


def unwrap(event: ScopeEvent) -> Fix | None:
    """Replace ``with scope: body`` by the body."""
    if (
        not isinstance(event.node, ast.With)
        or len(event.node.items) != 1
        or event.node.items[0].optional_vars is not None
    ):
        return None
    return taken_out(event.frame, event.node, Applicability.SAFE, message="Remove the `with` and keep its body")
