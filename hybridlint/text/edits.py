"""Fixes as edits of text: what a fixer returns, and how edits are applied together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate

from hybridlint.text.source import Span


class Applicability(Enum):
    """Whether a fix may be applied without a person's look, in Ruff's words."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replace the characters of `span` by `content`; an empty span inserts."""

    span: Span
    content: str


@dataclass(frozen=True, slots=True, order=True)
class Import:
    """An import that a file needs: of a `module`, or of a `name` from it."""

    module: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that belong together; `message` says what they do, such as "Replace with `F.broadcast_add`".

    `imports` are those that what it writes needs: `hybridlint.fixing.tidy` adds them once for all fixes of a file.
    A `tentative` fix keeps what the code does and repairs nothing: it is a step after which other fixes may apply. It
    is taken back where they do not.
    """

    message: str
    edits: tuple[Edit, ...]
    applicability: Applicability
    tentative: bool = False
    imports: tuple[Import, ...] = ()

    @property
    def span(self) -> Span:
        """The range from the first edit to the last."""
        return Span(min(e.span.start for e in self.edits), max(e.span.end for e in self.edits))


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits that do not overlap. Raises ValueError where two do."""
    parts: list[str] = []
    at = 0
    for edit in sorted(set(edits)):
        if edit.span.start < at:
            raise ValueError(f"overlapping edits at offset {edit.span.start}")
        parts += [text[at : edit.span.start], edit.content]
        at = edit.span.end
    return "".join([*parts, text[at:]])


def offset_before(edits: Iterable[Edit], offset: int) -> int:
    """Return where in a text that began which is at an offset of the edited text."""
    shift = 0
    for edit in sorted(set(edits)):
        start = edit.span.start + shift
        if offset < start:
            break
        if offset < start + len(edit.content):
            return edit.span.start
        shift += len(edit.content) - (edit.span.end - edit.span.start)
    return offset - shift


def choose_fixes(fixes: Iterable[Fix]) -> list[Fix]:
    """Choose, in order of position, the fixes that can be applied in one pass without touching each other."""
    chosen: list[Fix] = []
    for fix in sorted(fixes, key=lambda f: (f.span.start, f.span.end)):
        if all(not edit.span.overlaps(other.span) for done in chosen for other in done.edits for edit in fix.edits):
            chosen.append(fix)
    return chosen


def line_edits(text: str, span: Span, content: str) -> list[Edit]:
    """Return edits that give a span of whole lines another content, one for each run of lines that differ.

    Lines that are only indented otherwise are told apart from those that are new, so that other edits of them remain
    possible.
    """
    from difflib import SequenceMatcher

    old, new = (part.splitlines(keepends=True) for part in (text[span.start : span.end], content))
    starts = list(accumulate((len(line) for line in old), initial=span.start))
    matcher = SequenceMatcher(None, [line.strip() for line in old], [line.strip() for line in new], autojunk=False)
    edits: list[Edit] = []
    for kind, first, last, begin, end in matcher.get_opcodes():
        if kind == "equal":
            edits += (_indented(starts[first + i], old[first + i], new[begin + i]) for i in range(last - first))
        else:
            edits.append(Edit(Span(starts[first], starts[last]), "".join(new[begin:end])))
    return [edit for edit in edits if text[edit.span.start : edit.span.end] != edit.content]


def _indented(start: int, old: str, new: str) -> Edit:
    """Return the edit of the blanks around a line; what it holds itself stays."""
    held = old.strip()
    if not held or old[old.index(held) :] != new[new.index(held) :]:
        return Edit(Span(start, start + len(old)), new)
    return Edit(Span(start, start + old.index(held)), new[: new.index(held)])
