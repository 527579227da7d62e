"""Fixers of train and predict mode: operators that read the mode, in place of branches and scopes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from hybridlint.analysis.model.events import CodeContext, ScopeEvent, TraceConstant
from hybridlint.fixers.functions.methods import remove_argument
from hybridlint.fixers.toolkit.arguments import append_argument, by_name
from hybridlint.fixers.toolkit.names import class_around, dotted_parts, parent_of
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite
from hybridlint.fixers.toolkit.statements import taken_out
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk


def knows_mode(event: TraceConstant) -> Fix | None:
    """Write ``F.Dropout(x) if autograd.is_training() else x`` as ``F.Dropout(x)``, which reads the mode itself."""
    frame, node = event.frame, event.node
    parent = parent_of(frame, node)
    match parent:
        case ast.IfExp(test=test, body=body, orelse=other) if test is node:
            if _drops_out(frame, body, other) or _is_rate(frame, parent):
                return rewrite(frame, parent, frame.concrete(body), Applicability.SAFE)
        case ast.If(test=test, body=[ast.Assign(targets=[ast.Name() as target], value=value)], orelse=[]):
            if test is node and _drops_out(frame, value, target):
                message = "Drop out in the mode of each call"
                return taken_out(frame, parent, Applicability.SAFE, message=message)
        case ast.UnaryOp(op=ast.Not()):
            keyword = parent_of(frame, parent)
            call = None if keyword is None else parent_of(frame, keyword)
            if isinstance(keyword, ast.keyword) and keyword.arg == "use_global_stats" and isinstance(call, ast.Call):
                return remove_argument(frame, call, keyword, Applicability.SAFE)
    return None


def without_scope(event: ScopeEvent) -> Fix | None:
    """Write the body of ``predict_mode()`` or ``train_mode()`` with Dropouts that do not read the mode."""
    frame, node, functions = event.frame, event.node, event.frame.functions
    if functions is None or frame.mode != "legacy" or not isinstance(node, ast.With) or len(node.items) != 1:
        return None
    if event.name not in {"predict_mode", "train_mode"} or not all(isinstance(s, ast.Assign) for s in node.body):
        return None
    predict = event.name == "predict_mode"
    for call in _calls(node):
        path = dotted_parts(call.func)
        if _is_dropout(frame, call):
            if not _can_pass_mode(functions, call, predict=predict):
                return None
        elif path is None or path[0] != functions or _asks_mode(path[1:]):
            return None
    explicit = _with_mode_in(frame, functions, node.body, predict=predict)
    message = "Tell the operators their mode"
    return taken_out(frame, node, Applicability.SAFE, message=message, parts=explicit) if explicit else None


def _asks_mode(path: tuple[str, ...]) -> bool:
    """Whether the result of a function of F depends on train or predict mode."""
    operator = lookup.function(path[:-1], path[-1]) if path else None
    return operator is not None and operator.modal


def _can_pass_mode(functions: str, call: ast.Call, *, predict: bool) -> bool:
    """Whether a Dropout can be written without reading the mode: as an identity, or with ``mode="always"``."""
    if predict:
        return len(call.args) > 0
    of_functions = (dotted_parts(call.func) or ("",))[0] == functions
    return of_functions and len(call.args) < 3 and all(k.arg != "mode" for k in call.keywords)


def _with_mode_in(
    frame: CodeContext, functions: str, nodes: Iterable[ast.AST], *, predict: bool
) -> dict[ast.expr, cst.BaseExpression]:
    """Return the replacements of the outermost Dropouts in some nodes, for predict or train mode."""
    explicit: dict[ast.expr, cst.BaseExpression] = {}
    for node in nodes:
        if isinstance(node, ast.Call) and _is_dropout(frame, node):
            explicit[node] = _with_mode(frame, functions, node, predict=predict)
        else:
            explicit |= _with_mode_in(frame, functions, ast.iter_child_nodes(node), predict=predict)
    return explicit


def _with_mode(frame: CodeContext, functions: str, call: ast.Call, *, predict: bool) -> cst.BaseExpression:
    """Return ``F.identity(x)`` for a Dropout in predict mode, ``F.Dropout(x, mode="always")`` in train mode."""
    if predict:
        data = concrete_with(frame, call.args[0], _with_mode_in(frame, functions, call.args[:1], predict=True))
        return expression("{F}.identity({data})", F=functions, data=data)
    whole = concrete_with(frame, call, _with_mode_in(frame, functions, ast.iter_child_nodes(call), predict=False))
    assert isinstance(whole, cst.Call)
    return append_argument(whole, by_name("mode", expression('"always"')))


def _calls(node: ast.With) -> Iterator[ast.Call]:
    return (n for statement in node.body for n in walk(statement) if isinstance(n, ast.Call))


def _drops_out(frame: CodeContext, value: ast.expr, other: ast.expr) -> bool:
    """Whether `value` is a Dropout of the expression `other`."""
    if not isinstance(value, ast.Call) or not value.args or not _is_dropout(frame, value):
        return False
    if any(k.arg == "mode" for k in value.keywords):
        return False
    return ast.unparse(value.args[0]) == ast.unparse(other)


def _is_rate(frame: CodeContext, node: ast.IfExp) -> bool:
    """Whether a conditional expression is the rate of a Dropout in training, and 0 otherwise."""
    keyword = parent_of(frame, node)
    call = keyword if isinstance(keyword, ast.Call) else parent_of(frame, keyword) if keyword is not None else None
    zero = isinstance(node.orelse, ast.Constant) and node.orelse.value == 0
    if not zero or not isinstance(call, ast.Call) or not _is_dropout(frame, call):
        return False
    return isinstance(keyword, ast.Call) or (isinstance(keyword, ast.keyword) and keyword.arg == "p")


def _is_dropout(frame: CodeContext, call: ast.Call) -> bool:
    """Whether a call is ``F.Dropout(...)``, or calls a Dropout layer that is a child of the class."""
    path = dotted_parts(call.func)
    if path == (frame.functions, "Dropout"):
        return True
    owner = class_around(frame)
    if path is None or path[0] != "self" or len(path) != 2 or owner is None:
        return False
    stores = [
        n.value
        for n in walk(owner)
        if isinstance(n, ast.Assign) and any(dotted_parts(target) == path for target in n.targets)
    ]
    return (
        len(stores) == 1
        and isinstance(stores[0], ast.Call)
        and (dotted_parts(stores[0].func) or ("",))[-1] == "Dropout"
    )
