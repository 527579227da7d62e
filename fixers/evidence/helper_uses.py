"""All calls of a helper in its file, with what its parameters get at each."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.mxnet.operators.unreached_calls import FUNCTIONS
from hybridlint.fixers.evidence.helper_calls import entered_by
from hybridlint.fixers.evidence.helpers import helpers_in
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.syntax import walk


@record(frozen=True, slots=True)
class HelperUse:
    """A call of a helper: the frame of the code around it, and the argument of each parameter."""

    call: ast.Call
    frame: CodeContext
    given: Mapping[str, ast.expr]


def uses_of(frame: CodeContext, helper: ast.FunctionDef) -> list[HelperUse]:
    """Return the calls of a helper in the file; none if a call is unknown or nested in another."""
    helpers = helpers_in(frame.source)
    calls = [] if helpers.has_namesakes(helper) else helpers.uses(helper) or []
    found: list[HelperUse] = []
    for call in calls:
        caller = helpers.caller(call)
        if caller is None or any(other is not call and other in calls for other in walk(call)):
            return []
        here = frame if caller is frame.function else replace(frame, function=caller, functions=_functions_of(caller))
        entered = entered_by(here, call)
        if entered is None or entered[0] is not helper:
            return []
        found.append(HelperUse(call, here, entered[1]))
    return found


def _functions_of(function: ast.FunctionDef) -> str | None:
    return FUNCTIONS if any(each.arg == FUNCTIONS for each in function.args.args) else None
