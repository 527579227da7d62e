"""The fixer of helpers without F: F becomes a parameter, and every caller passes its own."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.mxnet.operators.unreached_calls import FUNCTIONS
from hybridlint.fixers.evidence.cross_file_uses import user_elsewhere
from hybridlint.fixers.evidence.helpers import helpers_in, is_private, takes_last
from hybridlint.fixers.toolkit.imports import ndarray_module
from hybridlint.fixers.toolkit.rewriting import concrete_with, rewrite, safe_if
from hybridlint.fixers.toolkit.signature_edits import head_of, rewrite_head, with_parameter
from hybridlint.fixers.toolkit.statements import join_fixes
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import replace
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix, FixKind
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import walk


def functions_passed(frame: CodeContext) -> Fix | None:
    """Add the parameter ``F`` to a helper and pass it in all calls, so that fixes can use F there.

    The helper is a function of the module, or a method that is called only on `self`; methods that override it, or that
    it overrides, get the parameter too. A caller without F gets the parameter as well. None if F has another meaning,
    if a decorator other than ``staticmethod`` is on the helper, or if code other than calls uses its name. A public
    helper takes it last, with the default ``nd``, so that other callers need not pass it; the fix is unsafe if other
    files with hybrid code name the helper, or its class.
    """
    function = frame.function
    if frame.functions is not None or not isinstance(function, ast.FunctionDef) or frame.rewritten:
        return None
    helpers = helpers_in(frame.source)
    reached = helpers.reached(function)
    if reached is None:
        return None
    arrays = ndarray_module(frame)
    if arrays is None:
        return None
    name, imports = arrays
    calls = [call for each in reached.values() for call in each]
    last = [call for one, each in reached.items() if takes_last(one) for call in each]
    heads = [
        _head(frame.source, one, helpers.gets_self(one), expression("{name}", name=name) if takes_last(one) else None)
        for one in reached
    ]
    how = safe_if(all(map(_is_private_or_last, reached)), user_elsewhere(frame.source, helpers.names(reached)) is None)
    written = [rewrite(frame, call, pass_namespace(frame, call, calls, last), how) for call in outermost(calls)]
    fix = join_fixes(f"Pass F to `{function.name}`", [*heads, *written], kind=FixKind.STEP)
    added = imports if last else ()
    return None if fix is None else replace(fix, signature=True, applicability=how, imports=(*fix.imports, *added))


def _is_private_or_last(function: ast.FunctionDef) -> bool:
    return is_private(function) or takes_last(function)


def _head(
    source: SourceFile, function: ast.FunctionDef, gets_self: bool, default: cst.BaseExpression | None
) -> Fix | None:
    new = with_parameter(
        head_of(source, function), FUNCTIONS, at=int(gets_self) if default is None else None, default=default
    )
    return rewrite_head(source, function, new, Applicability.UNSAFE, message="")


def outermost(calls: Sequence[ast.Call]) -> list[ast.Call]:
    """Return the calls that stand in no other of them."""
    return [call for call in calls if not any(call is not other and call in set(walk(other)) for other in calls)]


def pass_namespace(
    frame: CodeContext, call: ast.Call, calls: list[ast.Call], last: list[ast.Call]
) -> cst.BaseExpression:
    """Return a call with F as its first argument, or by name if it is in `last`.

    Calls inside it that are in `calls` get F too.
    """
    inside = [node for node in walk(call) if node is not call and node in calls]
    nearest = [one for one in inside if not any(one is not other and one in set(walk(other)) for other in inside)]
    parts: dict[ast.expr, cst.BaseExpression] = {
        one: pass_namespace(frame, one, calls, last) for one in nearest if isinstance(one, ast.Call)
    }
    whole = concrete_with(frame, call, parts)
    assert isinstance(whole, cst.Call)
    if call not in last:
        return whole.with_changes(args=[cst.Arg(cst.Name(FUNCTIONS)), *whole.args])
    plain = cst.SimpleWhitespace("")
    named = cst.Arg(cst.Name(FUNCTIONS), keyword=cst.Name(FUNCTIONS), equal=cst.AssignEqual(plain, plain))
    return whole.with_changes(args=[*whole.args, named])
