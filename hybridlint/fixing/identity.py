"""What names a finding, and its fix, in every run over a file: the class around it, its code, its message."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.text.source import SourceFile, Span
from hybridlint.text.syntax import bodies

if TYPE_CHECKING:
    from hybridlint.rule import Finding

#: What names a fix in every run over a file, however the text around it moves.
FixKey = tuple[str, ...]

#: What findings of one kind share: the class around them, the code, the message.
Kind = tuple[str, str, str]


def key_of(finding: Finding, source: SourceFile) -> FixKey:
    """Return the name of a finding's fix: its class, code and message, what is replaced, and by what."""
    edits = () if finding.fix is None else finding.fix.edits
    replaced = (source.text[edit.span.start : edit.span.end] for edit in edits)
    contents = (edit.content for edit in edits)
    return (block_of(finding, source), finding.rule.code, finding.message, *replaced, *contents)


def kind_of(finding: Finding, source: SourceFile) -> Kind:
    """Return the kind of a finding."""
    return block_of(finding, source), finding.rule.code, finding.message


def row_of(finding: Finding, source: SourceFile) -> int:
    """Return the row (from 1) on which a finding begins."""
    return source.location(source.span(finding.node).start)[0]


def block_of(finding: Finding, source: SourceFile) -> str:
    """Return the qualified name of the innermost class around a finding, an empty one outside of all."""
    place = source.span(finding.node)
    around = [name for name, span in _class_spans(source) if span.contains(place)]
    return around[-1] if around else ""


def _classes(body: Iterable[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.ClassDef]]:
    """Iterate over the classes in statements by their qualified names; expressions hold none."""
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
