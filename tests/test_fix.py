"""The fix loop."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from hybridlint.checking.findings import with_line_endings
from hybridlint.fixing.loop import fix_source
from hybridlint.rule import Finding, Rule, Severity
from hybridlint.text.edits import Applicability, Edit, Fix
from hybridlint.text.source import SourceFile, Span

RULE = Rule("hybridlint.rules.for_tests", code="HYB999", summary="for tests")


def _names(replace: dict[str, str], applicability: Applicability) -> Callable[[SourceFile], Sequence[Finding]]:
    """Return an analysis that reports every name in `replace`, with a fix to another name."""

    def analyze(source: SourceFile) -> list[Finding]:
        nodes = [n for n in ast.walk(source.tree) if isinstance(n, ast.Name) and n.id in replace]
        return [
            RULE.at(node, node.id, fix=Fix("Rename", (Edit(source.span(node), replace[node.id]),), applicability))
            for node in nodes
        ]

    return analyze


def _fix(text: str, replace: dict[str, str], *, unsafe: bool = False, kind: Applicability = Applicability.SAFE) -> str:
    return fix_source(SourceFile(Path("x.py"), text), _names(replace, kind), unsafe=unsafe).source.text


def test_fixes_are_applied_to_a_fixed_point() -> None:
    outcome = fix_source(
        SourceFile(Path("x.py"), "a = b + a  # kept\n"), _names({"a": "b", "b": "c"}, Applicability.SAFE), unsafe=False
    )
    assert outcome.source.text == "c = c + c  # kept\n"
    assert outcome.findings == ()
    assert [fix.code for fix in outcome.applied] == ["HYB999"] * 5


@pytest.mark.parametrize(
    ("kind", "unsafe", "expected"),
    [
        (Applicability.SAFE, False, "b\n"),
        (Applicability.UNSAFE, False, "a\n"),
        (Applicability.UNSAFE, True, "b\n"),
        (Applicability.DISPLAY, True, "a\n"),
    ],
)
def test_only_what_is_permitted_is_applied(kind: Applicability, unsafe: bool, expected: str) -> None:
    assert _fix("a\n", {"a": "b"}, unsafe=unsafe, kind=kind) == expected


def test_doubts_are_fixed_where_nothing_else_is_left() -> None:
    text = "class A:\n    a = x\n\n\nclass B:\n    b = x\n\n\nclass C:\n    a = left\n    b = x\n"
    certain = _names({"a": "c", "left": "left"}, Applicability.UNSAFE)
    doubtful = _names({"x": "y"}, Applicability.UNSAFE)

    def doubts(source: SourceFile) -> list[Finding]:
        return [*certain(source), *(replace(f, severity=Severity.POSSIBLE) for f in doubtful(source))]

    outcome = fix_source(SourceFile(Path("x.py"), text), certain, unsafe=True, doubts=doubts)
    assert outcome.source.text == text.replace("a = x", "c = y").replace("a = left", "c = left")


def test_doubts_are_left_without_unsafe_fixes() -> None:
    text = "class A:\n    a = x\n"
    certain = _names({"a": "c"}, Applicability.SAFE)
    outcome = fix_source(
        SourceFile(Path("x.py"), text), certain, unsafe=False, doubts=_names({"x": "y"}, Applicability.SAFE)
    )
    assert outcome.source.text == "class A:\n    c = x\n"


def test_a_fix_that_breaks_the_file_is_left_out_and_reported() -> None:
    outcome = fix_source(
        SourceFile(Path("x.py"), "a\nd\n"), _names({"a": "b c", "d": "e"}, Applicability.SAFE), unsafe=False
    )
    assert outcome.source.text == "a\ne\n"
    assert [(drop.code, drop.row) for drop in outcome.dropped] == [("HYB999", 1)]
    assert [finding.message for finding in outcome.findings] == ["a"]


def test_a_fix_that_the_encoding_cannot_hold_is_left_out() -> None:
    source = SourceFile(Path("x.py"), "a\n", "latin-1")
    outcome = fix_source(source, _names({"a": "\u0394"}, Applicability.SAFE), unsafe=False)
    assert outcome.source.text == "a\n"
    assert len(outcome.dropped) == 1


def test_fixes_that_undo_each_other_end() -> None:
    outcome = fix_source(
        SourceFile(Path("x.py"), "a\n"), _names({"a": "b", "b": "a"}, Applicability.SAFE), unsafe=False
    )
    assert outcome.source.text == "b\n"
    assert [drop.reason for drop in outcome.dropped] == ["fixes undo each other"]


def test_new_lines_end_as_the_file_does() -> None:
    node = ast.parse("a").body[0]
    source = SourceFile(Path("x.py"), "a\r\n")
    finding = RULE.at(node, "m", fix=Fix("Split", (Edit(source.span(node), "b\nc\r\nd"),), Applicability.SAFE))
    fix = with_line_endings(finding, source).fix
    assert fix is not None
    assert fix.edits[0].content == "b\r\nc\r\nd"


def test_fixes_that_cannot_be_applied_together_are_applied_one_after_another() -> None:
    text = "def f(x):\n    print(x)\n    print(x)\n"

    def analyze(source: SourceFile) -> list[Finding]:
        (function,) = source.tree.body
        assert isinstance(function, ast.FunctionDef)
        found = [node for node in function.body if isinstance(node, ast.Expr)]
        rows = [Span(source.line_starts[n.lineno - 1], source.line_starts[n.lineno - 1] + 13) for n in found]
        new = "" if len(function.body) > 1 else "    pass\n"
        edits = [(node, Edit(row, new)) for node, row in zip(found, rows, strict=True)]
        return [RULE.at(node, "m", fix=Fix("Remove", (edit,), Applicability.SAFE)) for node, edit in edits]

    outcome = fix_source(SourceFile(Path("x.py"), text), analyze, unsafe=False)
    assert outcome.source.text == "def f(x):\n    pass\n"
    assert outcome.dropped == ()


def test_a_fix_that_loses_a_comment_is_left_out() -> None:
    def analyze(source: SourceFile) -> list[Finding]:
        calls = [n for n in ast.walk(source.tree) if isinstance(n, ast.Call)]
        return [
            RULE.at(node, "m", fix=Fix("Empty", (Edit(source.span(node), "f"),), Applicability.SAFE)) for node in calls
        ]

    text = "f(  # why\n)\nf(a)  # kept\n"
    outcome = fix_source(SourceFile(Path("x.py"), text), analyze, unsafe=False)
    assert outcome.source.text == "f(  # why\n)\nf  # kept\n"
    assert [(drop.row, drop.reason) for drop in outcome.dropped] == [(1, "the comment `# why` would be lost")]


def test_a_fix_that_never_ends_is_not_begun() -> None:
    def grow(source: SourceFile) -> list[Finding]:
        names = [n for n in ast.walk(source.tree) if isinstance(n, ast.Name) and n.id == "a"]
        return [
            RULE.at(names[0], "a", fix=Fix("Add", (Edit(source.span(names[0]), "a + 0"),), Applicability.SAFE)),
            *_names({"b": "c"}, Applicability.SAFE)(source),
        ]

    outcome = fix_source(SourceFile(Path("x.py"), "a\nb\n"), grow, unsafe=False)
    assert outcome.source.text == "a\nc\n"
    assert [drop.reason for drop in outcome.dropped] == ["it would come back however often it is fixed"]
    assert [finding.message for finding in outcome.repaired] == ["b"]


def test_what_is_reported_as_dropped_has_its_row_in_the_fixed_text() -> None:
    def analyze(source: SourceFile) -> list[Finding]:
        found = _names({"a": "b\nb"}, Applicability.SAFE)(source)
        return [*found, *_names({"d": "e e"}, Applicability.SAFE)(source)]

    outcome = fix_source(SourceFile(Path("x.py"), "a\nd\n"), analyze, unsafe=False)
    assert outcome.source.text == "b\nb\nd\n"
    assert [drop.row for drop in outcome.dropped] == [3]
