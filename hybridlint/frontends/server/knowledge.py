"""Facts about code for editors: values of names, shapes of tensors, and proofs of blocks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from lsprotocol import types

from hybridlint.core.diagnostic import SourceLocation
from hybridlint.frontends.server.convert import SOURCE, Text
from hybridlint.report.rule_page import page
from hybridlint.rule import find_rule

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.core.hover import AxisSource, HoverInfo
    from hybridlint.core.proof_outcome import ProofOutcome

PROVE = f"{SOURCE}.prove"


def hover(
    found: Diagnostic | None, known: Sequence[HoverInfo], text: Text, position: types.Position
) -> types.Hover | None:
    """Return what a name under the cursor holds, and the page of the rule of a finding there."""
    parts: list[str] = []
    around = [(text.span(each.location, each.end_location), each) for each in known]
    here = [(span, each) for span, each in around if _holds(span, position)]
    if here:
        # The innermost expression, such as the name in a longer chain.
        _, inner = min(here, key=lambda each: len(each[1].text))
        parts.append(_told(inner))
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


def lenses(blocks: Mapping[str, int], text: Text) -> Iterator[types.CodeLens]:
    """Yield the offer to prove each block, above it."""
    for name, row in blocks.items():
        start = SourceLocation(row, 1)
        command = types.Command("prove this block", PROVE, tooltip=None, arguments=[text.uri, name])
        yield types.CodeLens(text.span(start, start), command)


def outcome_message(outcome: ProofOutcome) -> str:
    """Return the outcome of a proof as a message."""
    line = "" if outcome.failed_row is None else f" (line {outcome.failed_row})"
    difference = "" if outcome.difference is None else f" {outcome.difference}"
    more = f" {outcome.add}" if outcome.add else ""
    return f"{outcome.block}: {outcome.status.value}: {outcome.reason}{line}.{difference}{more}"


def _told(known: HoverInfo) -> str:
    """Return what a name holds, and below it where each axis of a tensor comes from."""
    axes = "".join(f"\n- {_axis(axis)}" for axis in known.axes)
    return f"`{known.text}`: {known.told}" + (f"\n{axes}" if axes else "")


def _axis(axis: AxisSource) -> str:
    row = "" if axis.row is None else f", line {axis.row}"
    return f"axis {axis.number}, `{axis.size}`: {axis.origin}{row}"


def _holds(span: types.Range, position: types.Position) -> bool:
    start, end = (span.start.line, span.start.character), (span.end.line, span.end.character)
    return start <= (position.line, position.character) <= end
