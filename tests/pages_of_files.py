"""Pages of rules that the checker itself reports, about a file and its comments rather than what code computes."""

from __future__ import annotations

from pathlib import Path

from hybridlint.checking.checker import Job, check
from hybridlint.checking.examples import marks, module_of, section
from hybridlint.project.settings.config import Config
from hybridlint.rule import find_rule


def assert_page_holds(name: str) -> None:
    """The bad example of a rule's page has the findings that its comments mark, and the good one has none."""
    rule = find_rule(name)
    assert rule is not None
    code, expected = marks(section(rule, "Bad"))
    bad, good = module_of(code), module_of(section(rule, "Good"))
    results = [check(Job(Path("net.py"), example.text.encode(), Config(root=Path()))) for example in (bad, good)]
    assert {(d.location.row - bad.rows.start + 1, d.code) for d in results[0].diagnostics} == expected
    assert results[1].diagnostics == ()
