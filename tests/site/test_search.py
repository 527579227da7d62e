"""What the search of the site knows of each page: kinds, names and sentences."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from hybridlint.frontends.cli import cli
from hybridlint.rule import all_rules

if not (Path(__file__).parents[2] / "docs" / "site").is_dir():
    pytest.skip("runs in a checkout only", allow_module_level=True)

from docs.site import assemble, search
from docs.site.plan import COMMANDS, PARTS


@pytest.fixture(scope="module")
def entries() -> dict[str, search.SearchEntry]:
    return search.entries(assemble.pages())


def test_every_page_has_an_entry(entries: dict[str, search.SearchEntry]) -> None:
    assert set(entries) == set(assemble.pages())


def test_rules_come_first_and_operators_last(entries: dict[str, search.SearchEntry]) -> None:
    kinds = [entry.kind for entry in entries.values()]
    assert list(dict.fromkeys(kinds)) == ["rule", "page", "operator"]
    assert kinds.count("rule") == len(all_rules())
    assert kinds.count("page") == 1 + sum(len(part.pages) for part in PARTS)


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("hyb101", "rules/tensor-shape"),
        ("tensor-shape", "rules/tensor-shape"),
        ("verify", "proof"),
        ("hybridize", "hybridize"),
        ("broadcast_add", "operators/broadcast_add"),
        ("broadcast_plus", "operators/broadcast_add"),
        ("contrib.box_nms", "operators/_contrib_box_nms"),
    ],
)
def test_pages_of_a_name(entries: dict[str, search.SearchEntry], name: str, page: str) -> None:
    assert [known for known, entry in entries.items() if name in entry.names] == [page]


def test_each_command_has_a_page() -> None:
    assert set(COMMANDS) == set(cli.list_commands(click.Context(cli)))
    assert set(COMMANDS.values()) <= {page for part in PARTS for page in part.pages}


def test_sentences_are_short_prose(entries: dict[str, search.SearchEntry]) -> None:
    for name, entry in entries.items():
        assert 0 < len(entry.about) <= 165, name
        assert not entry.about.startswith(("# ", "| -", "<", "`", "- ")), name
        assert "](" not in entry.about, name
