"""Facts about code for editors: values of names, shapes of tensors, and pages of rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from hybridlint.frontends.server.convert import Text
from hybridlint.report.rule_page import page
from hybridlint.rule import find_rule

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.core.hover import AxisSource, HoverInfo


def hover(
    found: Diagnostic | None, no_fix: str | None, known: Sequence[HoverInfo], text: Text, position: types.Position
) -> types.Hover | None:
    """Return the value of a name under the cursor, why a finding there has no safe fix, and the page of its rule."""
    parts: list[str] = []
    around = [(text.span(each.location, each.end_location), each) for each in known]
    here = [(span, each) for span, each in around if _holds(span, position)]
    if here:
        # The innermost expression, such as the name in a longer chain.
        _, inner = min(here, key=lambda each: len(each[1].text))
        parts.append(_told(inner))
    if found is not None and no_fix is not None:
        parts.append(f"**{found.code} has no safe fix**: {no_fix}")
    rule = None if found is None else find_rule(found.code)
    if rule is not None:
        parts.append(page(rule))
    if not parts:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(parts)))


def hints(known: Sequence[HoverInfo], text: Text, wanted: types.Range) -> Iterator[types.InlayHint]:
    """Yield the shape behind each name that is assigned a tensor in a range."""
    for each in known:
        if not each.bound or each.shape is None:
            continue
        at = text.span(each.location, each.end_location).end
        if wanted.start.line <= at.line <= wanted.end.line:
            tooltip = types.MarkupContent(types.MarkupKind.Markdown, _told(each))
            yield types.InlayHint(at, f": {each.shape}", types.InlayHintKind.Type, tooltip=tooltip)


def _told(known: HoverInfo) -> str:
    """Return the value of a name in words, with a list of the sources of its axes."""
    axes = "".join(f"\n- {_axis(axis)}" for axis in known.axes)
    return f"`{known.text}`: {known.told}" + (f"\n{axes}" if axes else "")


def _axis(axis: AxisSource) -> str:
    row = "" if axis.row is None else f", line {axis.row}"
    return f"axis {axis.number}, `{axis.size}`: {axis.origin}{row}"


def _holds(span: types.Range, position: types.Position) -> bool:
    start, end = (span.start.line, span.start.character), (span.end.line, span.end.character)
    return start <= (position.line, position.character) <= end
