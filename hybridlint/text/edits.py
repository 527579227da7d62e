"""Fixes as text edits: the types that fixers return, and functions that apply edits."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from itertools import accumulate

from hybridlint.runtime.facts.records import record
from hybridlint.text.source import Span

#: How the message of a fix begins that goes on with the new code. Reports that show the code need not repeat it.
REPLACE = "Replace with"


#: How many tokens longer code reads no worse: `x.transpose()` for `x.T`, but not `F.broadcast_add(x, y)` for a sum.
_BESIDE = len("()")

_TOKEN = re.compile(r"\w+|[^\w\s]")


class Applicability(Enum):
    """How safely a fix can be applied without review, named as in Ruff."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


class FixKind(Enum):
    """What a fix does for the block that holds its finding."""

    #: Settles its finding.
    REPAIR = "repair"
    #: Settles its finding by code that makes sense only in a graph; it is undone unless the block compiles.
    PART = "part"
    #: Preserves behaviour and settles nothing by itself; it is undone if no other fix follows.
    STEP = "step"
    #: Moves what raises to where another fix may repair it. Alone it is undone, even if the finding is gone: code that
    #: no trace runs may have it now.
    MOVE = "move"
    #: Compiles one graph for each mode of autograd; it is undone if the finding remains.
    RETRACE = "retrace"
    #: Keeps a class from being compiled. It is no repair: it is applied only where `--keep-eager` asks for it.
    KEEP_EAGER = "keep-eager"

    @property
    def is_tentative(self) -> bool:
        """Whether the fix is undone unless findings are gone after it and the fixes that follow."""
        return self not in {FixKind.REPAIR, FixKind.PART}


@record(frozen=True, slots=True, order=True)
class Edit:
    """Replacement of the characters of `span` by `content`. An empty span inserts."""

    span: Span
    content: str


@record(frozen=True, slots=True, order=True)
class ImportEdit:
    """An import that a file needs: ``import module``, or ``from module import name``."""

    module: str
    name: str = ""


@record(frozen=True, slots=True)
class Fix:
    """Edits that are applied together. `message` describes them, such as "Replace with `F.broadcast_add`"."""

    message: str
    edits: tuple[Edit, ...]
    applicability: Applicability
    kind: FixKind = FixKind.REPAIR
    #: The imports that the new code needs; `hybridlint.text.imports` adds them once a file.
    imports: tuple[ImportEdit, ...] = ()
    #: The fix makes an eager class compile; it is pointless if another fix keeps the class eager.
    compiles: bool = False
    #: The fix adds a parameter to a helper, which callers in other files do not pass.
    signature: bool = False
    #: The fix is right in every round of a loop, whatever values the round has.
    repeats: bool = False
    #: The comments that the fix changes or removes; it may lose no others.
    rewrites: tuple[str, ...] = ()
    #: A safe fix that does the same at greater length, for those who want no unsafe ones.
    safer: Fix | None = None

    @property
    def span(self) -> Span:
        """The range from the start of the first edit to the end of the last."""
        return Span(min(e.span.start for e in self.edits), max(e.span.end for e in self.edits))

    def serves_block(self, text: str) -> bool:
        """Return whether the change of a text is worth it only if the block compiles then, and nothing by itself.

        It is if the fix needs an import, changes what callers pass, or makes the code longer, in lines or in tokens.
        """
        if self.kind is not FixKind.REPAIR or self.signature or self.imports:
            return True
        before = [text[edit.span.start : edit.span.end] for edit in self.edits]
        after = [edit.content for edit in self.edits]
        longer = sum(map(_tokens, after)) - sum(map(_tokens, before))
        return longer > _BESIDE or sum(s.count("\n") for s in after) > sum(s.count("\n") for s in before)


def _tokens(code: str) -> int:
    """Return how many names, numbers and signs a piece of code has."""
    return len(_TOKEN.findall(code))


def level_of(kind: FixKind, applicability: Applicability) -> str:
    """Return the option that applies a fix: "safe", "unsafe" or "keep-eager"; "display" if none does."""
    kept = kind is FixKind.KEEP_EAGER and applicability is not Applicability.DISPLAY
    return kind.value if kept else applicability.value


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Apply edits that do not overlap. Raises ValueError if two do."""
    parts: list[str] = []
    at = 0
    for edit in sorted(set(edits)):
        if edit.span.start < at:
            raise ValueError(f"overlapping edits at offset {edit.span.start}")
        parts += [text[at : edit.span.start], edit.content]
        at = edit.span.end
    return "".join([*parts, text[at:]])


def origin(edits: Iterable[Edit], offset: int) -> tuple[int, int]:
    """Map an offset in the edited text back to the original text; the second number is 0 for unchanged text.

    For text that an edit wrote, the result is the start of what it replaced, and the offset in what it wrote. `edits`
    are in order of position.
    """
    shift = 0
    for edit in edits:
        start = edit.span.start + shift
        if offset < start:
            break
        if offset < start + len(edit.content):
            return edit.span.start, offset - start
        shift += len(edit.content) - (edit.span.end - edit.span.start)
    return offset - shift, 0


def choose_fixes(fixes: Iterable[Fix]) -> list[Fix]:
    """Return the fixes, taken in order of position, that do not overlap and so can be applied in one pass."""
    chosen: list[Fix] = []
    for fix in sorted(fixes, key=lambda f: (f.span.start, f.span.end)):
        if all(not edit.span.overlaps(other.span) for done in chosen for other in done.edits for edit in fix.edits):
            chosen.append(fix)
    return chosen


def line_edits(text: str, span: Span, content: str) -> list[Edit]:
    """Return edits that replace a span of whole lines by `content`, one edit for each run of changed lines.

    A line whose indentation alone changes gets an edit of its indentation only, so that other fixes can still edit the
    rest of it.
    """
    from hybridlint.text.matching import line_changes

    old, new = (part.splitlines(keepends=True) for part in (text[span.start : span.end], content))
    starts = list(accumulate((len(line) for line in old), initial=span.start))
    edits: list[Edit] = []
    for kind, first, last, begin, end in line_changes([line.strip() for line in old], [line.strip() for line in new]):
        if kind == "equal":
            edits += (_indented(starts[first + i], old[first + i], new[begin + i]) for i in range(last - first))
        else:
            edits.append(Edit(Span(starts[first], starts[last]), "".join(new[begin:end])))
    return [edit for edit in edits if text[edit.span.start : edit.span.end] != edit.content]


def _indented(start: int, old: str, new: str) -> Edit:
    """Return the edit of the whitespace around a line, leaving the rest of the line alone."""
    held = old.strip()
    if not held or old[old.index(held) :] != new[new.index(held) :]:
        return Edit(Span(start, start + len(old)), new)
    return Edit(Span(start, start + old.index(held)), new[: new.index(held)])
