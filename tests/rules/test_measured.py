"""What the pages say that blocks give eagerly and hybridized, run on the bundled runtime."""

from __future__ import annotations

import pytest

import hybridlint.runtime as mx
from hybridlint.rule import Rule, all_rules

from .measured import differences, section

MEASURED = [rule for rule in all_rules() if section(rule.page) is not None]

#: MXNet returns memory that nothing has written there, which no runtime can reproduce.
UNDEFINED = {"first-output-unused"}


@pytest.mark.parametrize("rule", [r for r in MEASURED if r.name not in UNDEFINED], ids=lambda rule: rule.name)
def test_the_page_says_what_happens(rule: Rule) -> None:
    assert differences(mx, rule.name, rule.page) == ""


def test_a_wrong_page_is_seen() -> None:
    page = "Measured:\n\n    return x * 2\n\n    >>> eager([1, 2])\n    [1, 2]\n"
    page = page.replace("eager([1, 2])", "x = [1, 2]\n    >>> eager(x)")
    assert "[2, 4]" in differences(mx, "wrong", page)


def test_every_page_about_a_silent_difference_shows_it() -> None:
    silent = {rule.name for rule in all_rules() if "othing is raised" in " ".join(rule.page.split())}
    assert silent <= {rule.name for rule in MEASURED}
