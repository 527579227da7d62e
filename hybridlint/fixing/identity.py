"""Keys that identify a finding and its fix across runs: the enclosing class, the code, the message."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.text.source import SourceFile, Span
from hybridlint.text.syntax import bodies

if TYPE_CHECKING:
    from hybridlint.rule import Finding

#: Identifies a fix across runs, however the text around it moves.
FixKey = tuple[str, ...]

#: What findings of one kind have in common: the enclosing class, the code, the message.
Kind = tuple[str, str, str]


def key_of(finding: Finding, source: SourceFile) -> FixKey:
    """Return the key of a finding's fix: class, code, message, replaced text and new text."""
    edits = () if finding.fix is None else finding.fix.edits
    replaced = (source.text[edit.span.start : edit.span.end] for edit in edits)
    contents = (edit.content for edit in edits)
    return (block_of(finding, source), finding.rule.code, finding.message, *replaced, *contents)


def kind_of(finding: Finding, source: SourceFile) -> Kind:
    """Return the kind of a finding: enclosing class, code, message."""
    return block_of(finding, source), finding.rule.code, finding.message


def row_of(finding: Finding, source: SourceFile) -> int:
    """Return the row (from 1) on which a finding begins."""
    return source.location(source.span(finding.node).start)[0]


def block_of(finding: Finding, source: SourceFile) -> str:
    """Return the qualified name of the innermost class around a finding, or "" outside all classes."""
    place = source.span(finding.node)
    around = [name for name, span in _class_spans(source) if span.contains(place)]
    return around[-1] if around else ""


def _classes(body: Iterable[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    """Yield the classes among statements with their qualified names. Expressions are not searched."""
    for statement in body:
        inner = prefix
        if isinstance(statement, ast.ClassDef):
            yield prefix + statement.name, statement
            inner = f"{prefix}{statement.name}."
        elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            inner = f"{prefix}{statement.name}.<locals>."
        for part in bodies(statement):
            yield from _classes(part, inner)


@lru_cache(maxsize=4)
def _class_spans(source: SourceFile) -> tuple[tuple[str, Span], ...]:
    return tuple((name, source.span(node)) for name, node in _classes(source.tree.body))
