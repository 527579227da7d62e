"""Bindings of a name in a file's text, found without parsing, as most searched files lack the name."""

from __future__ import annotations

import re

#: The text after a name that is bound: an annotation, if any, and the equals sign.
_BOUND = re.compile(r"\s*(?::[^=\n]+)?=(?!=)")
_GLOBALS = re.compile(r"^[ \t]*global[ \t]+([^\n#;]+)", re.MULTILINE)


def count_bindings(text: str, name: str, *, alone: bool) -> int:
    """Return the number of places that bind an attribute. With `alone`, count also a name at the start of its line."""
    count, at = 0, text.find(name)
    while at >= 0:
        if _BOUND.match(text, at + len(name)):
            count += text[at - 1 : at] == "." or (alone and not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t"))
        at = text.find(name, at + 1)
    return count


def declared_global(text: str, name: str) -> bool:
    """Return whether a function declares a name global."""
    return "global " in text and any(name in names.replace(",", " ").split() for names in _GLOBALS.findall(text))
