"""The kind of a finding, which stays the same in other versions of the text: its class, code and message."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.text.definitions import classes
from hybridlint.text.source import SourceFile, Span

if TYPE_CHECKING:
    from hybridlint.rule import Finding

#: What findings of one kind have in common: the enclosing class, the code, the message.
Kind = tuple[str, str, str]


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


@lru_cache(maxsize=4)
def _class_spans(source: SourceFile) -> tuple[tuple[str, Span], ...]:
    return tuple((name, source.span(node)) for name, node in classes(source.tree.body))
