"""The fixer of contexts passed to helpers that no longer need them: it removes the parameter."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.evidence.cross_file_uses import user_elsewhere
from hybridlint.fixers.evidence.helper_calls import entered_by
from hybridlint.fixers.evidence.helper_uses import uses_of
from hybridlint.fixers.evidence.helpers import helpers_in, is_private
from hybridlint.fixers.toolkit.arguments import with_or_without
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.signature_edits import head_of, rewrite_head, without_parameters
from hybridlint.fixers.toolkit.statements import join_fixes
from hybridlint.runtime.facts.records import replace
from hybridlint.text import cst
from hybridlint.text.edits import Fix
from hybridlint.text.syntax import walk


def handed_device(frame: CodeContext, node: ast.expr) -> Fix | None:
    """Remove ``x.context`` from the calls of a helper that does not read it.

    A graph computes on the device of its inputs.

    A helper stops reading it when a fix creates its arrays like a tensor instead of by a shape and a context.
    """
    if not isinstance(frame.function, ast.FunctionDef) or frame.rewritten:
        return None
    for call in (n for n in walk(frame.function) if isinstance(n, ast.Call)):
        entered = entered_by(frame, call)
        name = None if entered is None else next((k for k, given in entered[1].items() if given is node), None)
        if entered is not None and name is not None:
            return None if entered[0] is frame.function else _without(frame, entered[0], name)
    return None


def _without(frame: CodeContext, helper: ast.FunctionDef, name: str) -> Fix | None:
    """Return the fix that removes a parameter of a helper and its arguments; None if the helper reads it."""
    uses = uses_of(frame, helper)
    read = any(isinstance(n, ast.Name) and n.id == name for n in walk(helper))
    if not uses or read or any(isinstance(n, ast.Call) for use in uses for n in walk(use.given.get(name, helper.args))):
        return None
    how = safe_if(is_private(helper), user_elsewhere(frame.source, helpers_in(frame.source).names([helper])) is None)
    head = without_parameters(head_of(frame.source, helper), {name})
    parts = [rewrite_head(frame.source, helper, head, how, message="")]
    for use in (each for each in uses if name in each.given):
        value = use.given[name]
        part = next((one for one in use.call.keywords if one.value is value), value)
        gone: dict[ast.expr | ast.keyword, cst.Arg | None] = {part: None}
        parts.append(rewrite(use.frame, use.call, with_or_without(use.frame, use.call, gone), how))
    fix = join_fixes(f"Remove the context, which `{helper.name}` does not need", parts)
    return None if fix is None else replace(fix, signature=True, applicability=how)
