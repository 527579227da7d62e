"""What docstrings say of arguments: shapes as Gluon's declare them, and kinds in the formats that people use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from hybridlint.runtime.dims import Dim, DimLike

_SECTION = re.compile(r"^([ \t]*)Inputs:[ \t]*\n((?:[ \t]*\n|\1[ \t]+.*\n|\1[ \t]*-.*\n)*)", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*-[ \t]+\*\*(\w+)\*\*[ \t]*:", re.MULTILINE)
_SHAPE = re.compile(r"\bshape:?\s+`{0,2}\(([^()]*)\)")
#: What makes a declaration one of several, or one of something else than a tensor.
_UNSURE = re.compile(r"\b(?:or|if|when|either|list|lists|tuple|arbitrary|each|dict)\b|\.\.\.|\bboth\b", re.IGNORECASE)

#: How an entry begins, the name aside: of numpy's format (also Google's without a type), Google's, Sphinx's, Gluon's.
_ENTRIES = (
    r"^[ \t]*[:@]type[ \t]+{name}[ \t]*:[ \t]*(.+)",
    r"^[ \t]*[:@]param[ \t]+(\S.*?)[ \t]+{name}[ \t]*:",
    r"^[ \t]*{name}[ \t]*\(((?:[^()]|\([^()]*\))+)\)[ \t]*[:-]",
    r"^[ \t]*(?:-[ \t]+)?[`*]*{name}[`*]*[ \t]*:[ \t]*(.+)",
    r"^[ \t]*[:@]param[ \t]+{name}[ \t]*:[ \t]*(.+)",
)
#: Several names that share an entry: ``h, c : NDArray``.
_SHARED = r"^[ \t]*\w+(?:[ \t]*,[ \t]*\w+)*[ \t]*,[ \t]*{name}(?:[ \t]*,[ \t]*\w+)*[ \t]*:[ \t]*(.+)"
_LEADING = r"^[ \t]*{name}(?:[ \t]*,[ \t]*\w+)+[ \t]*:[ \t]*(.+)"


def documented_arguments(texts: Iterable[str], names: Sequence[str]) -> Mapping[str, str]:
    """Return what the entry of each argument says in the last of some docstrings that has one: its type, or prose."""
    found: dict[str, str] = {}
    for text in texts:
        if ":" in text:
            found |= {name: said for name in names if name in text and (said := _entry(text, name)) is not None}
    return found


def _entry(text: str, name: str) -> str | None:
    matches = (pattern.search(text) for pattern in _patterns(name))
    return next((match[1] for match in matches if match is not None), None)


@cache
def _patterns(name: str) -> tuple[re.Pattern[str], ...]:
    return tuple(
        re.compile(pattern.replace("{name}", re.escape(name)), re.MULTILINE)
        for pattern in (*_ENTRIES, _SHARED, _LEADING)
    )


def documented_shapes(text: str | None) -> Mapping[str, tuple[DimLike, ...]]:
    """Return the shapes of inputs, by name, that a docstring declares in one way only.

    Sizes that are named alike are the same size; what is neither a number nor a name is not known.
    """
    found: dict[str, tuple[DimLike, ...]] = {}
    for section in _SECTION.finditer((text or "") + "\n"):
        for name, said in _items(section[2]):
            shapes = _SHAPE.findall(said)
            if len(shapes) == 1 and said.count("(") == 1 and not _UNSURE.search(said):
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
