"""The Markdown of the whole site in one folder, from which Sphinx makes HTML."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from docs.site import operator_pages, rule_pages
from docs.site.links import Links
from docs.site.plan import ROOT, navigation, sources
from hybridlint.rule import all_rules

_NOTE = re.compile(r"\A<!-- Written by .*? -->\n+")
_PICTURE = re.compile(r"^!\[[^\]]*\]\((architecture\.svg)\)$", re.MULTILINE)
#: The README lists pages at its end, which the site's navigation does.
_LIST_OF_PAGES = re.compile(r"^## More\n.*", re.MULTILINE | re.DOTALL)

#: Pages that the index of their kind lists, and no navigation: each page holds the whole navigation.
_ORPHAN = "---\norphan: true\n---\n\n"


def assemble(texts: Mapping[str, str], folder: Path) -> None:
    """Write the Markdown of pages, and the pictures that they show, into an empty folder."""
    for name, text in texts.items():
        file = folder / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_ORPHAN + text if name.startswith("operators/") else text, encoding="utf-8")
    for picture in (ROOT / "docs").glob("*.svg"):
        shutil.copy(picture, folder)


def pages() -> dict[str, str]:
    """Return the Markdown of each page of the site by its name."""
    known = sources()
    links = Links(known)
    found = {name: links.rewritten(_text(name, path), path, f"{name}.md") for name, path in known.items()}
    found["errors"] += f"\n{rule_pages.texts_seen()}"
    found |= operator_pages.pages(found["operators"])
    found["operators"] = operator_pages.index(found["operators"])
    found["rules/index"] = rule_pages.index()
    found |= {f"rules/{rule.name}": rule_pages.page(rule) for rule in all_rules()}
    return found


def _text(name: str, path: Path) -> str:
    text = _NOTE.sub("", path.read_text(encoding="utf-8"))
    if name == "index":
        return _LIST_OF_PAGES.sub(lambda _: navigation(), text)
    return _PICTURE.sub(_drawn, text)


def _drawn(found: re.Match[str]) -> str:
    """Return a drawing as a part of the page, whose colours it then takes, light or dark."""
    drawing = (ROOT / "docs" / found[1]).read_text(encoding="utf-8")
    return f"```{{raw}} html\n{drawing}```"
