"""docs/projects.md, which several scripts write: each has a section of its own between two comments."""

from __future__ import annotations

from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "projects.md"


def write(section: str, text: str) -> None:
    """Put Markdown in the place of a section of the page, or at its end where the page has none of that name."""
    page = PAGE.read_text(encoding="utf-8")
    begin, end = f"<!-- {section}: begin -->", f"<!-- {section}: end -->"
    written = f"{begin}\n\n{text.strip()}\n\n{end}\n"
    before, found, after = page.partition(begin)
    if not found:
        PAGE.write_text(f"{page.rstrip()}\n\n{written}", encoding="utf-8")
        return
    PAGE.write_text(f"{before}{written}{after.partition(end + chr(10))[2]}", encoding="utf-8")
