"""The findings of the rule unused-suppression: comments, or codes in them, that silence nothing; and their removal."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hybridlint.project.settings.removal import removal, tail_of, without
from hybridlint.project.settings.suppress import NOQA, Mark, Silence, Suppressions, marks_of
from hybridlint.rule import all_rules, matching

if TYPE_CHECKING:
    from hybridlint.rule import Finding, Rule
    from hybridlint.text.edits import Fix
    from hybridlint.text.source import SourceFile

#: A finding's rule, and the rows on which a comment silences it.
Place = tuple["Rule", tuple[int, ...]]

#: What no bare comment silences.
_OF_COMMENTS = ("HYB003", "HYB004")


def unused_comments(
    source: SourceFile, silenced: Suppressions, found: Sequence[Place], rules: Collection[Rule], rule: Rule
) -> Iterator[Finding]:
    """Yield a finding for each comment with selectors that silence none of the findings `found`.

    Selectors of rules that are not all among `rules` are not judged, and neither are those of other tools.
    """
    idle = [each for each in silenced.silences if _is_idle(each, silenced, found, rules, rule)]
    for mark in dict.fromkeys(silence.mark for silence in idle):
        gone = [silence for silence in idle if silence.mark == mark]
        kept = [silence for silence in silenced.silences if silence not in idle]
        yield rule.at(_node(source, mark), _message(gone, silenced), fix=_taken_out(source, gone, kept))


def needless_ends(source: SourceFile, silenced: Suppressions, rule: Rule) -> Iterator[Finding]:
    """Yield a finding for each ``enable`` that ends no range."""
    ending = {silence.closed for silence in silenced.silences}
    for mark in marks_of(source):
        if mark.kind == "enable" and mark.alone and mark not in ending:
            message = "it ends nothing: no `# hybridlint: disable` with these rules stands above it"
            yield rule.at(_node(source, mark), message, fix=removal([without(source, mark, None)], source, [mark]))


def _is_idle(
    silence: Silence, silenced: Suppressions, found: Sequence[Place], rules: Collection[Rule], own: Rule
) -> bool:
    selected = _rules(silence)
    if not selected or own in selected or any(rule not in rules for rule in selected):
        return False
    return not any(
        silence.covers(rule) and silence.reaches(rows) and not silenced.protects(rule) for rule, rows in found
    )


def _rules(silence: Silence) -> list[Rule]:
    """Return the rules that a comment is about, none if it also speaks for other tools or for no rule."""
    if silence.selector is None:
        # A bare noqa is for all tools.
        return [] if silence.mark.kind == NOQA else [r for r in all_rules() if r.default and r.code not in _OF_COMMENTS]
    selector = silence.selector.upper() if silence.selector.upper().startswith("HYB") else silence.selector
    return list(matching(selector))


def _message(gone: Sequence[Silence], silenced: Suppressions) -> str:
    protected = [s for s in gone if s.selector is not None and any(map(silenced.protects, _rules(s)))]
    if protected:
        listed = _listed(str(silence.selector) for silence in protected)
        return f"this project lets no comment silence {listed} (`unsuppressible` in its settings)"
    selectors = [silence.selector for silence in gone]
    if None in selectors:
        return "it silences nothing: nothing is found where it holds"
    return f"{_listed(map(str, selectors))} silences nothing: no such thing is found where it holds"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _taken_out(source: SourceFile, gone: Sequence[Silence], kept: Sequence[Silence]) -> Fix:
    """Return the fix that takes selectors out of a comment, and out of the comments that end their ranges."""
    mark = gone[0].mark
    edits = [without(source, mark, _names(gone))]
    marks = [mark]
    for end in dict.fromkeys(silence.closed for silence in gone if silence.closed is not None):
        ended = [silence for silence in gone if silence.closed == end]
        others = [silence for silence in kept if silence.closed == end]
        if end.selectors is not None or not others:
            needed = {silence.selector for silence in others}
            edits.append(without(source, end, _names(s for s in ended if s.selector not in needed)))
            marks.append(end)
    return removal(edits, source, marks)


def _names(silences: Iterable[Silence]) -> set[str] | None:
    """Return the selectors of silences, None if a silence is for all rules."""
    names = {silence.selector for silence in silences}
    return None if None in names else {str(name) for name in names}


def _node(source: SourceFile, mark: Mark) -> ast.AST:
    """Return a stand-in syntax node with the position of a comment, as comments have no nodes."""
    line = source.line(mark.row)
    end = max(mark.start + 1, len(line[: tail_of(line, mark)].rstrip()))
    start, stop = (len(line[:column].encode()) for column in (mark.start, end))
    return ast.Pass(lineno=mark.row, col_offset=start, end_lineno=mark.row, end_col_offset=stop)
