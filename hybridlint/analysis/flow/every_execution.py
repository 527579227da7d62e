"""Restricts fixes to those that are right for every execution of the code, not only for one event."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import lru_cache

from hybridlint.analysis.model.dialect import Dialect
from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import Function, Unknown
from hybridlint.runtime.facts.records import replace
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import walk


def held_each_time(fix: Fix | None, frame: CodeContext, node: ast.AST, dialect: Dialect) -> Fix | None:
    """Return a fix if it is right for every execution of the code; `node` is what the finding underlines.

    Returns None if an expression inside `node` had values of different kinds in different executions. A safe fix
    becomes unsafe if the analysis has not seen all executions: other callers exist, or the function may run in either
    mode.
    """
    if fix is None or not frame.seen.of_one_kind(walk(node)):
        return None
    unsure = dialect.mode_is_open(frame.source, frame.function) or _has_other_callers(frame, dialect)
    if fix.applicability is Applicability.SAFE and unsure:
        return replace(fix, applicability=Applicability.UNSAFE)
    return fix


def _has_other_callers(frame: CodeContext, dialect: Dialect) -> bool:
    """Return whether the file calls the function somewhere that the analysis did not reach, with unknown arguments."""
    function = frame.function
    if not isinstance(function, ast.FunctionDef) or function.name in dialect.called_by_library:
        return False
    if function in frame.seen.missed:
        return True
    calls = _calls_by_name(frame.source).get(function.name, ())
    return any(call not in frame.seen.calls and _may_mean_a_function(frame, call) for call in calls)


def _may_mean_a_function(frame: CodeContext, call: ast.Call) -> bool:
    """Return whether a call may call a function of the file, because its callee is a function or unknown."""
    return isinstance(frame.seen.value(call.func), Function | Unknown)


@lru_cache(maxsize=4)
def _calls_by_name(source: SourceFile) -> Mapping[str, Sequence[ast.Call]]:
    """Return the calls in a file, by the last part of the callee's name."""
    found: dict[str, list[ast.Call]] = {}
    for node in walk(source.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            found.setdefault(name, []).append(node)
    return found
