"""The findings of the rule unknown-directive: hybridlint comments that have no effect."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hybridlint.rule import all_rules, matching
from hybridlint.settings.directives import KINDS, Directive, DirectiveError, directives, no_directive
from hybridlint.text.comments import comments
from hybridlint.text.suggest import did_you_mean

if TYPE_CHECKING:
    from hybridlint.rule import Finding, Rule
    from hybridlint.text.source import SourceFile

_DIRECTIVE = re.compile(r"#\s*hybridlint\s*:\s*(?P<word>[A-Za-z_][\w-]*)\s*(?P<rest>[^#]*)")
_NOQA = re.compile(r"#\s*noqa\s*:(?P<codes>[^#]*)", re.IGNORECASE)
_BRACKETS = re.compile(r"\[(?P<codes>[^\]]*)\]")
_SELECTOR = re.compile(r"[^,\s]+")
_CODE = re.compile(r"\bHYB\d+\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Wrong:
    """A problem in a comment: its row, its columns (from 0) and the message."""

    row: int
    start: int
    end: int
    message: str


def misnamed(source: SourceFile, rule: Rule) -> Iterator[Finding]:
    """Yield a finding for each hybridlint comment that has no effect. Raises SourceError."""
    for wrong in (*_of_comments(source), *_of_directives(source)):
        yield rule.at(_node(source, wrong), wrong.message)


def _node(source: SourceFile, wrong: _Wrong) -> ast.AST:
    """Return a stand-in syntax node with the position of a comment, as comments have no nodes."""
    line = source.line(wrong.row)
    start, end = (len(line[:column].encode()) for column in (wrong.start, wrong.end))
    return ast.Pass(lineno=wrong.row, col_offset=start, end_lineno=wrong.row, end_col_offset=end)


def _of_comments(source: SourceFile) -> Iterator[_Wrong]:
    for row, comment in comments(source.text):
        shift = source.line(row).rfind(comment)
        for start, end, message in (*_unknown_kinds(comment), *_unknown_rules(comment)):
            yield _Wrong(row, shift + start, shift + end, message)


def _unknown_kinds(comment: str) -> Iterator[tuple[int, int, str]]:
    for match in _DIRECTIVE.finditer(comment):
        word, rest = match["word"], match["rest"]
        if word not in KINDS:
            yield *match.span("word"), no_directive(word)
        elif word.startswith("ignore") and rest.startswith(("(", ":", "=")):
            message = f"`{word}` takes rules in square brackets, such as `{word}[tensor-shape]`; here it silences all"
            yield *match.span(), message


def _unknown_rules(comment: str) -> Iterator[tuple[int, int, str]]:
    for match in _DIRECTIVE.finditer(comment):
        listed = _BRACKETS.match(comment, match.start("rest")) if match["word"].startswith("ignore") else None
        if listed is not None:
            yield from _no_rules(_SELECTOR.finditer(comment, *listed.span("codes")))
            if not listed["codes"].strip():
                yield *listed.span(), "no rule is named, so that nothing is silenced: `ignore` alone silences all"
    noqa = _NOQA.search(comment)
    if noqa is not None:
        # Other codes may belong to other tools.
        yield from _no_rules(_CODE.finditer(comment, *noqa.span("codes")))


def _no_rules(selectors: Iterator[re.Match[str]]) -> Iterator[tuple[int, int, str]]:
    for match in selectors:
        selector = match[0].upper() if match[0].upper().startswith("HYB") else match[0]
        if selector == "ALL" or not any(matching(selector)):
            near = did_you_mean(selector, (name for rule in all_rules() for name in (rule.code, rule.name)))
            yield *match.span(), f"there is no rule `{match[0]}`, so that nothing is silenced.{near}"


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
