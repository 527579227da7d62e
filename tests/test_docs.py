"""The pages under docs/: what follows from the code is up to date, and links lead somewhere.

``BLESS=1 pytest tests/test_docs.py`` writes the pages anew.
"""

from __future__ import annotations

import html
import os
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from hybridlint.rule import all_rules

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
_LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")

pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="runs in a checkout only")


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "make.py"))


@pytest.mark.parametrize("name", ["rules.md", "operators.md", "errors.md", "../hybridlint/hybridlint.schema.json"])
def test_pages_are_up_to_date(made: dict[str, Any], name: str) -> None:
    text = made["PAGES"][name]()
    if os.environ.get("BLESS"):
        (DOCS / name).write_text(text, encoding="utf-8")
    up_to_date = (DOCS / name).read_text(encoding="utf-8") == text
    assert up_to_date, f"docs/{name} is old: `python docs/make.py` writes it anew"


def test_the_picture_shows_what_the_command_prints(made: dict[str, Any]) -> None:
    """Its text is compared: how a picture is drawn is the drawing library's own affair."""
    if os.environ.get("BLESS"):
        (DOCS / made["PICTURE"]).write_text(made["check_picture"](), encoding="utf-8")
    picture = (DOCS / made["PICTURE"]).read_text(encoding="utf-8")
    drawn = html.unescape("".join(re.findall(r"<text[^>]*>([^<]*)</text>", picture))).replace("\xa0", " ")
    printed = re.sub(r"\x1b\[[0-9;]*m", "", made["shown"]())
    assert [line for line in printed.split() if line not in drawn] == []


@pytest.mark.parametrize(
    "page", sorted(path.relative_to(ROOT).as_posix() for path in [*DOCS.rglob("*.md"), *ROOT.glob("*.md")])
)
def test_links_lead_somewhere(page: str) -> None:
    path = ROOT / page
    for file, anchor in _LINK.findall(path.read_text(encoding="utf-8")):
        target = path.parent / file if file else path
        assert target.exists(), f"{page} links to {file}"
        assert not anchor or anchor in _anchors(target), f"{page} links to {file}#{anchor}"


def test_the_address_of_a_rule_is_a_heading_of_the_page() -> None:
    anchors = _anchors(DOCS / "rules.md")
    assert [rule.code for rule in all_rules() if rule.url.partition("#")[2] not in anchors] == []


def _anchors(path: Path) -> set[str]:
    """Return what the headings of a page are called in links, as GitHub does it."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
