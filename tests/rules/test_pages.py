"""Every rule's page: its bad example is found where it is marked, and fixing it gives the good one."""

from __future__ import annotations

import re

import pytest

from hybridlint.checking.examples import marks, module_of, places, section
from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.rule import Family, Rule, all_rules
from hybridlint.text.edits import Applicability


@pytest.mark.parametrize("rule", [r for r in all_rules() if r.family is not Family.FILE], ids=lambda rule: rule.name)
def test_page(rule: Rule) -> None:
    code, expected = marks(section(rule, "Bad"))
    directives = int(code.startswith("# hybridlint: shapes") and "\nclass " not in code)
    expected = {(row - directives, name) for row, name in expected}
    bad, good_code = module_of(code), section(rule, "Good")
    good = module_of(good_code)
    rules = None if rule.default else [rule]
    findings = analyze_file(bad.source, rules)
    assert places(bad, findings) == expected
    assert rule.code in {name for _, name in expected}
    assert analyze_file(good.source, rules) == []
    if not any(f.fix is not None and f.fix.applicability is not Applicability.DISPLAY for f in findings):
        return
    outcome = fix_source(bad.source, analyze_file, unsafe=True, keep_eager=True)
    assert bad.taken_from(outcome.source.text) == good.taken_from(good.text)
    assert not outcome.dropped
    assert fix_source(outcome.source, analyze_file, unsafe=True, keep_eager=True).source.text == outcome.source.text


def test_rules_are_complete() -> None:
    rules = all_rules()
    assert len({rule.name for rule in rules}) == len(rules)
    for rule in rules:
        assert re.fullmatch(r"HYB\d{3}", rule.code), rule.name
        assert rule.summary, rule.name
        assert rule.handlers or rule.family is Family.FILE, rule.name
        assert rule.page.startswith(rule.page.split("\n")[0].strip()), rule.name
