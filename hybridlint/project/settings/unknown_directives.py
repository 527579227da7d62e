"""The findings of the rule unknown-directive: hybridlint comments that have no effect."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.project.settings.directives import KINDS, Directive, DirectiveError, directives, no_directive
from hybridlint.project.settings.removal import removal, without
from hybridlint.project.settings.silenced_rows import of_class
from hybridlint.project.settings.suppress import marks_of
from hybridlint.rule import all_rules, matching
from hybridlint.runtime.facts.records import record
from hybridlint.text.comments import comments
from hybridlint.text.edits import Applicability, Edit, Fix
from hybridlint.text.source import Span
from hybridlint.text.suggest import did_you_mean, nearest

if TYPE_CHECKING:
    from hybridlint.rule import Finding, Rule
    from hybridlint.text.source import SourceFile

_DIRECTIVE = re.compile(r"#\s*hybridlint\s*:\s*(?P<word>[A-Za-z_][\w-]*)\s*(?P<rest>[^#]*)")
_NOQA = re.compile(r"#\s*noqa\s*:(?P<codes>[^#]*)", re.IGNORECASE)
_BRACKETS = re.compile(r"\[(?P<codes>[^\]]*)\]")
_SELECTOR = re.compile(r"[^,\s]+")
_CODE = re.compile(r"\bHYB\d+\b", re.IGNORECASE)


#: Directives that silence, and so take rules in square brackets.
_SILENCING = frozenset(KINDS) - {"verify", "shapes"}


@record(frozen=True, slots=True)
class _Wrong:
    """A problem in a comment: its row, its columns (from 0), the message, and what was probably meant."""

    row: int
    start: int
    end: int
    message: str
    meant: str | None = None
    fix: Fix | None = None


#: A problem in a comment: columns (from 0) in it, the message, and what was probably meant.
_Found = tuple[int, int, str, str | None]


def unknown_directives(source: SourceFile, rule: Rule) -> Iterator[Finding]:
    """Yield a finding for each hybridlint comment that has no effect. Raises SourceError."""
    for wrong in (*_of_comments(source), *_of_directives(source)):
        fix = wrong.fix if wrong.meant is None else _respelt(source, wrong, wrong.meant)
        yield rule.at(_node(source, wrong), wrong.message, fix=fix)


def _node(source: SourceFile, wrong: _Wrong) -> ast.AST:
    """Return a stand-in syntax node with the position of a comment, as comments have no nodes."""
    line = source.line(wrong.row)
    start, end = (len(line[:column].encode()) for column in (wrong.start, wrong.end))
    return ast.Pass(lineno=wrong.row, col_offset=start, end_lineno=wrong.row, end_col_offset=end)


def _of_comments(source: SourceFile) -> Iterator[_Wrong]:
    for row, comment in comments(source.text):
        shift = source.line(row).rfind(comment)
        for start, end, message, meant in _unknown_kinds(comment):
            yield _Wrong(row, shift + start, shift + end, message, meant)
        for start, end, message, meant in _unknown_rules(comment):
            fix = None if meant is not None else _without_rule(source, row, shift + start)
            yield _Wrong(row, shift + start, shift + end, message, meant, fix)
    yield from _misplaced(source)


def _misplaced(source: SourceFile) -> Iterator[_Wrong]:
    """Yield the silencing comments that stand where they mean nothing."""
    for mark in marks_of(source):
        if mark.kind == "ignore-class" and of_class(source, mark.row) is None:
            message = "`ignore-class` stands at no class: put it right above one, or in it"
        elif mark.kind in {"disable", "enable"} and not mark.alone:
            message = f"`{mark.kind}` needs a line of its own; `ignore` silences the line on which it stands"
        else:
            continue
        yield _Wrong(mark.row, mark.start, mark.end, message)


def _respelt(source: SourceFile, wrong: _Wrong, meant: str) -> Fix:
    """Return the fix that writes the name that was probably meant; the comment then works."""
    start = source.line_starts[wrong.row - 1]
    edit = Edit(Span(start + wrong.start, start + wrong.end), meant)
    comment = next(text for row, text in comments(source.text) if row == wrong.row)
    return Fix(f"Write `{meant}`", (edit,), Applicability.UNSAFE, rewrites=(comment,))


def _without_rule(source: SourceFile, row: int, column: int) -> Fix | None:
    """Return the fix that takes a rule that does not exist out of a comment."""
    for mark in marks_of(source):
        named = {name for name, start, _ in mark.selectors or () if start == column}
        if mark.row == row and named:
            return removal([without(source, mark, named)], source, [mark])
    return None


def _unknown_kinds(comment: str) -> Iterator[_Found]:
    for match in _DIRECTIVE.finditer(comment):
        word, rest = match["word"], match["rest"]
        if word not in KINDS:
            yield *match.span("word"), no_directive(word), nearest(word, KINDS)
        elif word in _SILENCING and rest.startswith(("(", ":", "=")):
            message = f"`{word}` takes rules in square brackets, such as `{word}[tensor-shape]`; here it stands for all"
            yield *match.span(), message, None


def _unknown_rules(comment: str) -> Iterator[_Found]:
    for match in _DIRECTIVE.finditer(comment):
        listed = _BRACKETS.match(comment, match.start("rest")) if match["word"] in _SILENCING else None
        if listed is not None:
            yield from _no_rules(_SELECTOR.finditer(comment, *listed.span("codes")))
            if not listed["codes"].strip():
                message = f"no rule is named, so that nothing is silenced: `{match['word']}` alone stands for all"
                yield *listed.span(), message, None
    noqa = _NOQA.search(comment)
    if noqa is not None:
        # Other codes may belong to other tools.
        yield from _no_rules(_CODE.finditer(comment, *noqa.span("codes")))


def _no_rules(selectors: Iterator[re.Match[str]]) -> Iterator[_Found]:
    for match in selectors:
        selector = match[0].upper() if match[0].upper().startswith("HYB") else match[0]
        if selector == "ALL" or any(matching(selector)):
            continue
        names = [name for rule in all_rules() for name in (rule.code, rule.name)]
        message = f"there is no rule `{match[0]}`, so that nothing is silenced.{did_you_mean(selector, names)}"
        # Of a code that is misspelt nobody knows which one was meant.
        yield *match.span(), message, None if _CODE.fullmatch(selector) else nearest(selector, names)


def _of_directives(source: SourceFile) -> Iterator[_Wrong]:
    for directive in directives(source):
        message = _objection(directive)
        if message is not None:
            line = source.line(directive.row)
            yield _Wrong(directive.row, line.find("#"), len(line.rstrip()), message)


def _objection(directive: Directive) -> str | None:
    if directive.kind not in KINDS:
        return None
    try:
        recipe = directive.recipe()
    except DirectiveError as error:
        return error.reason
    if not directive.placed:
        where = "above `hybrid_forward`" if directive.kind == "shapes" else "above a class"
        return f"the directive `{directive.kind}` stands at no block: put it right {where}"
    if directive.takes is None:
        return None
    for name in recipe.named:
        if name not in directive.takes:
            takes = ", ".join(f"`{known}`" for known in directive.takes) or "nothing"
            near = did_you_mean(name, directive.takes)
            return f"`{directive.function}` has no input `{name}`: it takes {takes}.{near}"
    return None
