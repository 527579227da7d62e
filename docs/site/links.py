"""Links between pages of the repository, as links between pages of the site."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from docs.site.plan import ROOT
from hybridlint.rule import HOME_URL

_LINK = re.compile(r"\]\((?P<file>[^)#\s]*)(?P<anchor>#[^)\s]+)?\)")
_FENCE = re.compile(r"^\s*(```+|~~~+)")
_RULE = re.compile(r"#(?P<name>[a-z-]+)-hyb\d{3}")


class Links:
    """Rewrites links in a page. What the site does not have is linked to in the repository."""

    def __init__(self, pages: Mapping[str, Path]) -> None:
        self._pages = {path.resolve(): f"{name}.md" for name, path in pages.items()}

    def rewritten(self, text: str, source: Path, page: str) -> str:
        """Return the text of the file `source` with links as they are from the site's page `page`."""
        lines, fence = [], ""
        for line in text.split("\n"):
            mark = _FENCE.match(line)
            if mark and (not fence or mark[1].startswith(fence)):
                fence = "" if fence else mark[1]
            lines.append(line if fence else _LINK.sub(lambda found: self._link(found, source, page), line))
        return "\n".join(lines)

    def _link(self, found: re.Match[str], source: Path, page: str) -> str:
        file, anchor = found["file"], found["anchor"] or ""
        if ":" in file or not file:
            return found[0]
        target = (source.parent / file).resolve()
        if target == ROOT / "docs" / "rules.md":
            rule = _RULE.fullmatch(anchor)
            name = rule["name"] if rule else "index"
            return f"]({_relative(f'rules/{name}.md', page)})"
        if target in self._pages:
            return f"]({_relative(self._pages[target], page)}{anchor})"
        if target.suffix == ".svg":
            return f"]({_relative(target.name, page)})"
        kind = "tree" if target.is_dir() else "blob"
        return f"]({HOME_URL}/{kind}/main/{target.relative_to(ROOT).as_posix()}{anchor})"


def _relative(target: str, page: str) -> str:
    return os.path.relpath(target, Path(page).parent).replace(os.sep, "/")
