"""Code actions: the fix of a finding, its silence, and all safe fixes of a class or document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lsprotocol import types

from hybridlint.core.diagnostic import Diagnostic
from hybridlint.core.result import Result
from hybridlint.frontends.server.convert import SOURCE, Text, diagnostic
from hybridlint.project.adoption.silencing import is_protected, with_comments
from hybridlint.project.documents.places import contents
from hybridlint.text.edits import Applicability
from hybridlint.text.source import SourceFile

QUICK_FIX = types.CodeActionKind.QuickFix
WHY_NO_FIX = f"{SOURCE}.whyNoFix"
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.{SOURCE}"


def is_wanted(kind: str, context: types.CodeActionContext) -> bool:
    """Whether an editor asks for actions of a kind: it names that kind, one above it, or none."""
    asked = [str(getattr(each, "value", each)) for each in context.only or ()]
    return not asked or any(kind == each or kind.startswith(f"{each}.") for each in asked)


def on_finding(
    found: Diagnostic, result: Result, text: Text, protected: Sequence[str] = ()
) -> Iterator[types.CodeAction]:
    """Yield the fix of a finding, if there is one that may be applied, and the comment that silences it.

    No comment silences the rules that `protected` selects.
    """
    if found.fix is not None and found.fixable(unsafe=True, keep_eager=True):
        safe = found.fixable(unsafe=False)
        unsafe = found.fix.applicability is Applicability.UNSAFE
        warning = " (unsafe: it may change what the program does)" if unsafe else ""
        edits = [types.TextEdit(text.span(edit.location, edit.end_location), edit.content) for edit in found.fix.edits]
        yield types.CodeAction(
            title=f"{found.code}: {found.fix.message}{warning}",
            kind=QUICK_FIX,
            diagnostics=[diagnostic(found, text)],
            edit=types.WorkspaceEdit(changes={text.uri: edits}),
            is_preferred=safe,
        )
    if not found.of_whole_file and not is_protected(found, protected):
        silenced = with_comments(SourceFile(result.path, result.text), [found])
        yield types.CodeAction(
            title=f"{found.code}: silence on this line",
            kind=QUICK_FIX,
            diagnostics=[diagnostic(found, text)],
            edit=_replaced(silenced, text),
        )


def no_fix(found: Diagnostic, reason: str, text: Text) -> types.CodeAction:
    """Return the action that tells why a finding has no safe fix."""
    title = f"{found.code}: why is there no safe fix?"
    command = types.Command(title, WHY_NO_FIX, arguments=[f"{found.code} has no safe fix: {reason}"])
    return types.CodeAction(title, kind=QUICK_FIX, diagnostics=[diagnostic(found, text)], command=command)


def fix_class(name: str, fixed: Result, text: Text) -> Iterator[types.CodeAction]:
    """Yield the action that makes the safe fixes of one class, given the result of making them in memory."""
    if fixed.fixed is not None and fixed.fixed.changed:
        title = f"{SOURCE}: apply all safe fixes in {name}"
        yield types.CodeAction(title, kind=QUICK_FIX, edit=_replaced(fixed.fixed.after, text))


def fix_all(fixed: Result, text: Text) -> Iterator[types.CodeAction]:
    """Yield the action that makes all safe fixes, if there are any, given the result of making them in memory."""
    if fixed.fixed is not None and fixed.fixed.changed:
        after = contents(fixed.path, fixed.fixed)[1].decode(fixed.fixed.encoding)
        title = f"{SOURCE}: apply all safe fixes"
        yield types.CodeAction(title, kind=FIX_ALL, edit=_replaced(after, text))


def _replaced(after: str, text: Text) -> types.WorkspaceEdit:
    return types.WorkspaceEdit(changes={text.uri: [types.TextEdit(text.whole, after)]})
