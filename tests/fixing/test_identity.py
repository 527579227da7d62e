"""The identity of a fix: equal for one place of the original file, whatever else is fixed, and for no other place."""

from __future__ import annotations

import ast
from pathlib import Path

from hybridlint.core.applied_fixes import Applied, FixId
from hybridlint.fixing.loop import FixOutcome, fix_source
from hybridlint.rule import Finding, Rule
from hybridlint.text.edits import Applicability, Edit, Fix
from hybridlint.text.source import SourceFile

RULE = Rule("hybridlint.rules.for_tests", code="HYB999", summary="for tests")
NEW = {"a": "f(b, b)", "b": "c", "d": "long_name"}


def _analyze(source: SourceFile) -> list[Finding]:
    names = [node for node in ast.walk(source.tree) if isinstance(node, ast.Name) and node.id in NEW]
    return [
        RULE.at(node, "the same", fix=Fix("Rename", (Edit(source.span(node), NEW[node.id]),), Applicability.SAFE))
        for node in names
    ]


def _fixed(text: str, refused: tuple[FixId, ...] = ()) -> FixOutcome:
    source = SourceFile(Path("x.py"), text)
    return fix_source(source, _analyze, unsafe=False, refused=dict.fromkeys(refused, "for the test"))


def _rows(applied: tuple[Applied, ...]) -> list[int]:
    return [fix.row for fix in applied]


def test_equal_code_at_two_places_is_two_fixes() -> None:
    outcome = _fixed("d\nd\n")
    first, second = outcome.applied
    assert first.id != second.id
    assert _fixed("d\nd\n", (first.id,)).source.text == "d\nlong_name\n"
    assert _fixed("d\nd\n", (second.id,)).source.text == "long_name\nd\n"


def test_a_fix_of_what_a_fix_wrote_has_its_own_identity() -> None:
    outcome = _fixed("d\na\n")
    assert outcome.source.text == "long_name\nf(c, c)\n"
    assert _rows(outcome.applied) == [1, 2, 2, 2]
    _, outer, left, right = (fix.id for fix in outcome.applied)
    assert len({outer, left, right}) == 3
    assert _fixed("d\na\n", (left,)).source.text == "long_name\nf(b, c)\n"
    assert _fixed("d\na\n", (outer,)).source.text == "long_name\na\n"


def test_it_does_not_change_where_other_fixes_are_left_out() -> None:
    everything = [fix.id for fix in _fixed("d\na\n").applied]
    without_first = [fix.id for fix in _fixed("d\na\n", (everything[0],)).applied]
    assert without_first == everything[1:]


def test_fixing_a_place_twice_is_two_fixes() -> None:
    NEW["e"] = "a1"
    NEW["a1"] = "a2"
    try:
        outcome = _fixed("e\n")
        once, twice = (fix.id for fix in outcome.applied)
        assert (once.start, once.turn, twice.start, twice.turn) == (once.start, 0, once.start, 1)
        assert _fixed("e\n", (twice,)).source.text == "a1\n"
    finally:
        del NEW["e"], NEW["a1"]
