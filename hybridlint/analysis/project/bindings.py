"""Where a file's text binds a name, found without its syntax: most files that are asked do not hold the name."""

from __future__ import annotations

import re

#: What follows a name that is bound: its annotation, and the equals sign.
_BOUND = re.compile(r"\s*(?::[^=\n]+)?=(?!=)")
_GLOBALS = re.compile(r"^[ \t]*global[ \t]+([^\n#;]+)", re.MULTILINE)


def bound(text: str, name: str, *, alone: bool) -> int:
    """Return how many places bind an attribute; names that stand `alone` on their lines count as well."""
    count, at = 0, text.find(name)
    while at >= 0:
        if _BOUND.match(text, at + len(name)):
            count += text[at - 1 : at] == "." or (alone and not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t"))
        at = text.find(name, at + 1)
    return count


def declared_global(text: str, name: str) -> bool:
    """Return whether a function declares that it binds a global name."""
    return "global " in text and any(name in names.replace(",", " ").split() for names in _GLOBALS.findall(text))
