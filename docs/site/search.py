"""What the search knows of each page besides its words: its kind, its names, and a sentence about it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from docs.site import operator_pages
from docs.site.plan import COMMANDS, PARTS
from hybridlint.rule import all_rules
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.records import record

_LONGEST = 160
_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n.*?^\1$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_NO_PROSE = ("#", "|", "<", "!", "- ", "* ", "---", "orphan:")


@record(frozen=True, slots=True)
class SearchEntry:
    """A page as the search shows it. A query that is one of `names`, in lower case, asks for this page."""

    kind: str
    title: str
    about: str
    names: tuple[str, ...]


def write_entries(pages: Mapping[str, str], static: Path) -> None:
    """Write the entries of all pages as a script, which a browser loads from a file too."""
    known = {name: [entry.kind, entry.title, entry.about, entry.names] for name, entry in entries(pages).items()}
    text = json.dumps(known, ensure_ascii=False, separators=(",", ":"))
    (static / "search-entries.js").write_text(f"const SEARCH_ENTRIES = {text};\n", encoding="utf-8")


def entries(pages: Mapping[str, str]) -> dict[str, SearchEntry]:
    """Return the entry of each page by its name: rules by code, pages as the navigation has them, operators."""
    return {**dict(_rules()), **dict(_prose(pages)), **dict(_operators(pages["operators"]))}


def _rules() -> Iterator[tuple[str, SearchEntry]]:
    for rule in all_rules():
        about = f"{rule.severity.value}: {_plain(rule.summary)}"
        yield (
            f"rules/{rule.name}",
            SearchEntry("rule", f"{rule.code} {rule.name}", about, (rule.code.lower(), rule.name)),
        )


def _prose(pages: Mapping[str, str]) -> Iterator[tuple[str, SearchEntry]]:
    for name in ("index", *(page for part in PARTS for page in part.pages)):
        commands = [command for command, page in COMMANDS.items() if page == name]
        title = _plain(pages[name].partition("\n")[0].removeprefix("# "))
        names = tuple(dict.fromkeys([title.lower(), name.removesuffix("/index"), *commands]))
        yield name, SearchEntry("page", title, _beginning(pages[name]), names)


def _operators(index: str) -> Iterator[tuple[str, SearchEntry]]:
    for name, file in operator_pages.linked(index).items():
        operator = registry.get(name)
        names = dict.fromkeys([name, operator.name, *operator.aliases, *operator_pages.calls(operator)])
        lowered = tuple(dict.fromkeys(each.lower() for each in names))
        yield f"operators/{file}", SearchEntry("operator", name, _beginning(operator.doc), lowered)


def _beginning(text: str) -> str:
    """Return the first sentences of a page's prose, as many as one line of a result holds."""
    paragraphs = _FENCE.sub("", text).split("\n\n")
    prose = next((part.strip() for part in paragraphs if part.strip() and not part.strip().startswith(_NO_PROSE)), "")
    first, *others = re.split(r"(?<=[.!?])\s", _plain(prose))
    line = first.removesuffix(":") if len(first) <= _LONGEST else f"{first[:_LONGEST].rpartition(' ')[0]} ..."
    for sentence in others:
        if len(line) + 1 + len(sentence) > _LONGEST or sentence.endswith(":"):
            break
        line = f"{line} {sentence}"
    return line


def _plain(text: str) -> str:
    return " ".join(_LINK.sub(r"\1", text).replace("`", "").replace("**", "").split())
