"""Docstrings' descriptions of arguments: shapes as Gluon writes them, and types in the usual formats."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from hybridlint.runtime.facts.dims import Dim, DimLike

_SECTION = re.compile(r"^([ \t]*)Inputs:[ \t]*\n((?:[ \t]*\n|\1[ \t]+.*\n|\1[ \t]*-.*\n)*)", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*-[ \t]+\*\*(\w+)\*\*[ \t]*:", re.MULTILINE)
_SHAPE = re.compile(r"\bshape:?\s+`{0,2}\(([^()]*)\)")
#: Words after which a declaration offers alternatives, or describes something other than a tensor.
_UNSURE = re.compile(r"\b(?:or|if|when|either|list|lists|tuple|arbitrary|each|dict)\b|\.\.\.|\bboth\b", re.IGNORECASE)

#: How entries for arguments begin, the most reliable first: the formats of Sphinx, Google, numpy and Gluon.
_ENTRIES = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^[ \t]*[:@]type[ \t]+(?P<names>\w+)[ \t]*:[ \t]*(?P<entry>.+)",
        r"^[ \t]*[:@]param[ \t]+(?P<entry>\S.*?)[ \t]+(?P<names>\w+)[ \t]*:",
        r"^[ \t]*(?P<names>\w+)[ \t]*\((?P<entry>(?:[^()]|\([^()]*\))+)\)[ \t]*[:-]",
        r"^[ \t]*(?:-[ \t]+)?[`*]*(?P<names>\w+)[`*]*[ \t]*:[ \t]*(?P<entry>.+)",
        r"^[ \t]*[:@]param[ \t]+(?P<names>\w+)[ \t]*:[ \t]*(?P<entry>.+)",
        # Several names that share an entry: ``h, c : NDArray``.
        r"^[ \t]*(?P<names>\w+(?:[ \t]*,[ \t]*\w+)+)[ \t]*:[ \t]*(?P<entry>.+)",
    )
)
_NAME = re.compile(r"\w+")


def documented_arguments(texts: Iterable[str], names: Sequence[str]) -> Mapping[str, str]:
    """Return each argument's entry, its type or its text, from the last docstring that has one."""
    found: dict[str, str] = {}
    for text in texts:
        if ":" in text and any(name in text for name in names):
            found |= {name: entry for name, entry in _entries(text).items() if name in names}
    return found


@cache
def _entries(text: str) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for pattern in _ENTRIES:
        for match in pattern.finditer(text):
            for name in _NAME.findall(match["names"]):
                found.setdefault(name, match["entry"])
    return found


def documented_shapes(text: str | None) -> Mapping[str, tuple[DimLike, ...]]:
    """Return the shapes of inputs, by name, that a docstring declares without contradiction.

    Sizes with one name are equal; a size that is neither a number nor a name is unknown.
    """
    found: dict[str, tuple[DimLike, ...]] = {}
    for section in _SECTION.finditer((text or "") + "\n"):
        for name, entry in _items(section[2]):
            shapes = _SHAPE.findall(entry)
            if len(shapes) == 1 and entry.count("(") == 1 and not _UNSURE.search(entry):
                found[name] = tuple(_size(part.strip()) for part in shapes[0].split(",") if part.strip())
    return found


def _items(section: str) -> Iterator[tuple[str, str]]:
    heads = list(_ITEM.finditer(section))
    ends = [head.start() for head in heads[1:]] + [len(section)]
    for head, end in zip(heads, ends, strict=False):
        yield head[1], " ".join(section[head.end() : end].split())


def _size(text: str) -> DimLike:
    if text.isdigit() and int(text):
        return int(text)
    return Dim.named(text.lower()) if text.isidentifier() else Dim.fresh()
