"""Arguments that callers do not use after the call, so that a helper's change in place is seen only in its result."""

from __future__ import annotations

import ast
from collections.abc import Callable

from hybridlint.analysis.dataflow.scopes import names_in
from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.mxnet.operators.unreached_calls import FUNCTIONS
from hybridlint.fixers.evidence.helpers import helpers_in
from hybridlint.runtime.facts.fluent import SHARING_MEMORY
from hybridlint.runtime.facts.records import replace

#: Whether others share the array of a name, besides a call that keeps nothing.
_IsShared = Callable[[CodeContext, str, ast.Call], bool]


def is_given_up(frame: CodeContext, name: str, is_shared: _IsShared) -> bool:
    """Whether all calls of the frame's function give an argument that their callers have no further use for.

    That is what they compute in the call itself, and a name that the statement of the call returns or binds anew,
    unless its array `is_shared` by others.
    """
    function = frame.function
    if not isinstance(function, ast.FunctionDef):
        return False
    helpers = helpers_in(frame.source)
    calls = helpers.uses(function)
    names = [argument.arg for argument in function.args.args][int(helpers.gets_self(function)) :]
    if not calls or name not in names or function.args.posonlyargs:
        return False
    for call in calls:
        given = {**dict(zip(names, call.args, strict=False)), **{k.arg: k.value for k in call.keywords if k.arg}}
        caller = helpers.caller(call)
        if caller is None or any(isinstance(argument, ast.Starred) for argument in call.args) or name not in given:
            return False
        if not _is_left(replace(frame, function=caller), call, given[name], is_shared):
            return False
    return True


def _is_left(frame: CodeContext, call: ast.Call, argument: ast.expr, is_shared: _IsShared) -> bool:
    """Whether nothing reads an argument after a call of the frame's function."""
    if _is_computed(argument):
        return True
    if not isinstance(argument, ast.Name):
        return False
    # An operand of the same statement is read before the call, and computed with behind it: ``z + helper(z)``.
    statement = frame.flow.statement_at(call)
    reads = () if statement is None else names_in(statement).reads.get(argument.id, ())
    live = frame.live_after(call, argument.id) or any(read is not argument for read in reads)
    return not live and not is_shared(frame, argument.id, call)


def _is_computed(argument: ast.expr) -> bool:
    """Whether an expression makes an array of its own."""
    match argument:
        case ast.BinOp() | ast.UnaryOp(op=ast.USub()):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Name(id=functions), attr=method)) if functions == FUNCTIONS:
            return method not in SHARING_MEMORY
        case _:
            return False
