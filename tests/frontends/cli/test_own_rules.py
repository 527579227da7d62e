"""Rules of one's own: found by their names, used like all others, and tried on their pages."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .conftest import CommandLine

NET = "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n"
DROPPED = NET + "        return F.Dropout(x, p=0.5)\n"
PAGE = Path(__file__).parents[3] / "docs" / "configuration.md"
RULE = '''\
"""Dropout is called through F.

Bad:

    return F.Dropout(x, p=0.5)  # ACM101

Good:

    return self.drop(x)
"""

from hybridlint.analysis.model.events import OpCall
from hybridlint.rule import Rule

rule = Rule(__name__, code="ACM101", summary="dropout through F")


@rule.on(OpCall)
def check(event):
    if event.name == "Dropout":
        yield rule.at(event.node, "dropout is called through F")
'''


@pytest.fixture
def acme(cli: CommandLine) -> CommandLine:
    cli.write("acme/__init__.py", "")
    cli.write("acme/no_dropout.py", RULE)
    cli.write("net.py", DROPPED)
    return cli


def _concise(acme: CommandLine, *options: str, env: dict[str, str] | None = None) -> list[str]:
    outcome = acme("check", "-q", "--output-format", "concise", *options, "net.py", env=env)
    assert outcome.status in {0, 1}, outcome.err
    return outcome.out.splitlines()


FOUND = ["net.py:6:16: ACM101 error: dropout is called through F"]


@pytest.mark.parametrize("modules", ["acme", "acme.no_dropout"])
def test_by_a_dotted_path(acme: CommandLine, modules: str) -> None:
    assert _concise(acme) == []
    assert _concise(acme, "--rules", modules) == FOUND
    assert _concise(acme, env={"HYBRIDLINT_RULES": modules}) == FOUND


def test_by_an_entry_point(acme: CommandLine) -> None:
    acme.write("acme_rules-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: acme-rules\nVersion: 1.0\n")
    acme.write("acme_rules-1.0.dist-info/entry_points.txt", "[hybridlint.rules]\nof-acme = acme\n")
    assert _concise(acme, "--rules", "of-acme") == FOUND


def test_they_are_selected_and_silenced_like_all_others(acme: CommandLine) -> None:
    for options in (["--ignore", "ACM1"], ["--ignore", "no-dropout"], ["--select", "HYB"]):
        assert _concise(acme, "--rules", "acme", *options) == []
    assert _concise(acme, "--rules", "acme", "--select", "ACM") == FOUND
    for comment in ("# noqa: ACM101", "# hybridlint: ignore[no-dropout]"):
        acme.write("net.py", DROPPED.replace("p=0.5)", f"p=0.5)  {comment}"))
        assert _concise(acme, "--rules", "acme") == []


def test_what_was_found_is_kept_until_a_rule_changes(acme: CommandLine) -> None:
    assert _concise(acme, "--rules", "acme") == _concise(acme, "--rules", "acme") == FOUND
    acme.write("acme/no_dropout.py", RULE.replace('through F")', 'by name")'))
    assert _concise(acme, "--rules", "acme") == ["net.py:6:16: ACM101 error: dropout is called by name"]
    assert _concise(acme) == []


def test_they_are_tried_on_their_pages(acme: CommandLine) -> None:
    outcome = acme("test-rules", "--rules", "acme")
    assert outcome.status == 0
    assert outcome.out == "ACM101 no-dropout: right\n1 of 1 rules do what their pages say.\n"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (RULE.replace("  # ACM101", ""), "no line of the example `Bad:` is marked with `  # ACM101`"),
        (RULE.replace('"Dropout"', '"Dropouts"'), "line 1 of `Bad:` is marked, and nothing is found there"),
        (
            RULE.replace("    return self.drop(x)", "    return F.Dropout(x)"),
            "line 1 of `Good:` is good, and something",
        ),
        (RULE.replace("Good:", "Better:"), "its page has no section `Good:` with an indented example"),
        (RULE.replace("p=0.5)  # ACM101", "p=0.5  # ACM101"), "'(' was never closed"),
    ],
)
def test_what_differs_from_its_page_is_told(acme: CommandLine, text: str, problem: str) -> None:
    acme.write("acme/no_dropout.py", text)
    outcome = acme("test-rules", "--rules", "acme")
    assert outcome.status == 1
    assert problem in outcome.out
    assert outcome.out.endswith("0 of 1 rules do what their pages say.\n")


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("nowhere", "", "`nowhere` is no module, and no entry point of `hybridlint.rules`"),
        ("acme", "rules = None\n", "acme.no_dropout defines neither a `rule` nor `operators`"),
        ("acme", "rule = None\n", "acme.no_dropout defines no `rule`"),
        ("acme", "operators = {1: 2}\n", "is no dictionary from names to shapes"),
        ("acme", RULE.replace("ACM101", "HYB999"), "the code 'HYB999': three capitals, not HYB, and three digits"),
        ("acme", "import missing_library\n", "No module named 'missing_library'"),
    ],
)
def test_rules_that_cannot_be_used(acme: CommandLine, name: str, text: str, reason: str) -> None:
    acme.write("acme/no_dropout.py", text)
    outcome = acme("check", "--rules", name)
    assert outcome.status == 2
    assert reason in outcome.err


def test_without_rules_there_is_nothing_to_try(cli: CommandLine) -> None:
    outcome = cli("test-rules")
    assert (outcome.status, "no rules are given" in outcome.err) == (2, True)


@pytest.mark.skipif(not PAGE.is_file(), reason="runs in a checkout only")
def test_the_rule_that_the_documentation_shows(acme: CommandLine) -> None:
    _, _, section = PAGE.read_text(encoding="utf-8").partition("## Rules of your own")
    shown = re.search(r"```python\n(.*?)```", section, re.DOTALL)
    assert shown is not None
    acme.write("acme/no_dropout.py", shown[1])
    assert acme("test-rules", "--rules", "acme.no_dropout").status == 0
