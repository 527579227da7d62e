"""Places as a reader of a document knows them: rows of the document, or of a notebook's cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.core.diagnostic import Diagnostic, Note, SourceLocation, Suggestion
from hybridlint.core.result import Fixed, Result
from hybridlint.project.documents.document import Form, form_of
from hybridlint.project.documents.program import ProgramPart, parts, show_magics
from hybridlint.runtime.facts.records import replace

if TYPE_CHECKING:
    from hybridlint.core.applied_fixes import BlockState, Dropped
    from hybridlint.core.hover import AxisSource, HoverInfo


def place_results(results: Sequence[Result]) -> list[Result]:
    """Return results with the positions of documents. A notebook gets one result per cell with a finding or fix.

    A fix is shown with its edits in the cell of its finding.
    """
    return [each for result in results for each in _placed(result)]


def merge_result(result: Result) -> Result:
    """Return the result of a document's text as one: findings with their places in cells, and the document's texts."""
    form = form_of(result.path)
    if form is None:
        return result
    if not form.HAS_CELLS:
        return _in_document(result, form)
    fixed = result.fixed
    if fixed is not None and fixed.document is not None:
        before, after = (text.decode("utf-8") for text in contents(result.path, fixed))
        fixed = replace(fixed, before=before, after=after)
    found = tuple(found for each in _cells(result) for found in each.diagnostics)
    return replace(result, text="", diagnostics=found, fixed=fixed)


def inferred_in_cells(program: str, known: Sequence[HoverInfo]) -> dict[int, list[HoverInfo]]:
    """Return the inferred values of a notebook's expressions by cell number, with positions in the cell."""
    return {
        part.number: [
            replace(
                each,
                location=_moved(each.location, part),
                end_location=_moved(each.end_location, part),
                axes=tuple(_axis_in(axis, part) for axis in each.axes),
            )
            for each in known
            if _inside(each.location, part)
        ]
        for part in parts(program)
    }


def _axis_in(axis: AxisSource, part: ProgramPart) -> AxisSource:
    """Return the source of an axis with its row in a cell, without a row if another cell has it."""
    place = None if axis.row is None else SourceLocation(axis.row, 1)
    inside = place is not None and _inside(place, part)
    return replace(axis, row=_moved(place, part).row if inside and place is not None else None)


def contents(path: Path, fixed: Fixed) -> tuple[bytes, bytes]:
    """Return the bytes of a file before and after fixing. Raises ValueError if a document cannot be put together."""
    form = form_of(path)
    if form is None or fixed.document is None:
        return fixed.before.encode(fixed.encoding), fixed.after.encode(fixed.encoding)
    return fixed.document, form.whole(fixed.document, fixed.after)


def _placed(result: Result) -> list[Result]:
    form = form_of(result.path)
    if form is None or result.cell is not None or (not result.diagnostics and result.fixed is None):
        return [result]
    return list(_cells(result)) if form.HAS_CELLS else [_in_document(result, form)]


def _in_document(result: Result, form: Form) -> Result:
    """Return the result of prose, whose program has the rows of the document, with the document's text."""
    fixed = result.fixed
    if fixed is None or fixed.document is None:
        return result
    before, after = (text.decode("utf-8") for text in contents(result.path, fixed))
    text = form.whole(fixed.document, result.text).decode("utf-8") if result.text else ""
    return replace(result, text=text, fixed=replace(fixed, before=before, after=after))


def _cells(result: Result) -> Iterator[Result]:
    fixed = result.fixed
    before = _parts(fixed.before if fixed is not None else result.text)
    after = _parts(fixed.after if fixed is not None else result.text)
    # Findings are those of the file after fixing, or before it if only a diff is shown.
    shown_parts = _parts(result.text) if result.text else after
    inside = {found for part in shown_parts.values() for found in _found_in(part, result)}
    told = False
    outside = tuple(found for found in result.diagnostics if found not in inside)
    if outside:
        # What is wrong with the notebook as a whole.
        yield replace(result, diagnostics=outside, fixed=None)
    for number, part in shown_parts.items():
        found = tuple(_in_cell(each, part, shown_parts, result.path) for each in _found_in(part, result))
        one = None if fixed is None else _fixed_cell(fixed, before[number], after[number], whole=not told)
        if found or (one is not None and (one.changed or one.dropped)):
            told = True
            yield replace(result, text="\n".join(show_magics(part.lines)), diagnostics=found, fixed=one, cell=number)
    if not told and not outside:
        yield result


def _parts(program: str) -> dict[int, ProgramPart]:
    return {part.number: part for part in parts(program)}


def _found_in(part: ProgramPart, result: Result) -> Iterator[Diagnostic]:
    return (found for found in result.diagnostics if _inside(found.location, part))


def _fixed_cell(fixed: Fixed, before: ProgramPart, after: ProgramPart, *, whole: bool) -> Fixed:
    """Return the changes of one cell. The counts go to the first cell, which `whole` marks."""
    return replace(
        fixed,
        before=_text(before),
        after=_text(after),
        repaired=fixed.repaired if whole else (),
        along=fixed.along if whole else 0,
        new=fixed.new if whole else 0,
        applied=fixed.applied if whole else (),
        dropped=tuple(_dropped(fixed.dropped, before, after)),
        blocks=tuple(_block_states(fixed.blocks, after, whole=whole)),
        document=None,
    )


def _text(part: ProgramPart) -> str:
    return "".join(f"{line}\n" for line in show_magics(part.lines))


def _dropped(dropped: Sequence[Dropped], before: ProgramPart, after: ProgramPart) -> Iterator[Dropped]:
    for drop in dropped:
        if 0 <= drop.row - after.row < len(after.lines):
            yield replace(drop, row=drop.row - after.row + 1, row_before=drop.row_before - before.row + 1)


def _block_states(blocks: Sequence[BlockState], after: ProgramPart, *, whole: bool) -> Iterator[BlockState]:
    """Yield the blocks with something left in one cell, and with the first cell those that compile."""
    for block in blocks:
        if block.row is None and whole:
            yield block
        elif block.row is not None and 0 <= block.row - after.row < len(after.lines):
            yield replace(block, row=block.row - after.row + 1)


def _in_cell(found: Diagnostic, part: ProgramPart, all_parts: Mapping[int, ProgramPart], path: Path) -> Diagnostic:
    return replace(
        found,
        location=_moved(found.location, part),
        end_location=_moved(found.end_location, part),
        noqa_row=found.noqa_row - part.row + 1,
        fix=None if found.fix is None else _edits_in_cell(found.fix, part),
        notes=tuple(_note(note, part, all_parts, path) for note in found.notes),
        cell=part.number,
    )


def _edits_in_cell(fix: Suggestion, part: ProgramPart) -> Suggestion:
    inside = (edit for edit in fix.edits if _inside(edit.location, part) and _inside(edit.end_location, part))
    moved = (
        replace(edit, location=_moved(edit.location, part), end_location=_moved(edit.end_location, part))
        for edit in inside
    )
    return replace(fix, edits=tuple(moved))


def _note(note: Note, part: ProgramPart, all_parts: Mapping[int, ProgramPart], path: Path) -> Note:
    if note.filename is not None:
        return note
    place = next((each for each in all_parts.values() if _inside(note.location, each)), part)
    moved = replace(note, location=_moved(note.location, place), end_location=_moved(note.end_location, place))
    return (
        moved
        if place is part
        else replace(moved, message=f"{note.message}, in cell {place.number}", filename=str(path))
    )


def _inside(place: SourceLocation, part: ProgramPart) -> bool:
    return 0 <= place.row - part.row < len(part.lines)


def _moved(place: SourceLocation, part: ProgramPart) -> SourceLocation:
    return SourceLocation(place.row - part.row + 1, place.column)
