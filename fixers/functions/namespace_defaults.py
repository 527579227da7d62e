"""The fixer of helpers whose parameter F has the default ``nd``, and of calls that leave it to that."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.mxnet.operators.unreached_calls import FUNCTIONS
from hybridlint.fixers.evidence.helpers import helpers_in
from hybridlint.fixers.functions.namespace_arguments import outermost, pass_namespace
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import join_fixes
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.parameters import defaults_of, names_of

#: How the module of functions of NDArrays is named.
_ARRAYS = frozenset({("nd",), ("mx", "nd"), ("mxnet", "nd")})


def functions_given(frame: CodeContext) -> Fix | None:
    """Write ``gelu(x)`` of a helper ``def gelu(x, F=nd)`` as ``gelu(x, F=F)`` in every function that has F."""
    helper = frame.function
    if not isinstance(helper, ast.FunctionDef) or not _has_default(helper) or frame.rewritten:
        return None
    helpers = helpers_in(frame.source)
    calls = [call for call in helpers.uses(helper) or () if _leaves(call, helper, gets_self=helpers.gets_self(helper))]
    calls = [call for call in calls if (caller := helpers.caller(call)) is not None and _has_functions(caller)]
    changed = [
        rewrite(frame, call, pass_namespace(frame, call, calls, calls), Applicability.SAFE) for call in outermost(calls)
    ]
    return join_fixes(f"Pass F to `{helper.name}`", changed) if changed else None


def _leaves(call: ast.Call, helper: ast.FunctionDef, *, gets_self: bool) -> bool:
    """Whether a call leaves the parameter F to its default."""
    names = [each.arg for each in (*helper.args.posonlyargs, *helper.args.args)][int(gets_self) :]
    spread = any(isinstance(node, ast.Starred) for node in call.args)
    named = {keyword.arg for keyword in call.keywords}
    return not spread and not named & {None, FUNCTIONS} and FUNCTIONS not in names[: len(call.args)]


def _has_functions(function: ast.FunctionDef) -> bool:
    return FUNCTIONS in names_of(function.args)


def _has_default(helper: ast.FunctionDef) -> bool:
    defaults = defaults_of(helper.args)
    return FUNCTIONS in defaults and dotted_parts(defaults[FUNCTIONS]) in _ARRAYS
