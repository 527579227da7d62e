"""Shapes that docstrings declare as Gluon's do: ``- **data**: input tensor with shape (batch_size, in_units)``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hybridlint.runtime.dims import Dim, DimLike

_SECTION = re.compile(r"^([ \t]*)Inputs:[ \t]*\n((?:[ \t]*\n|\1[ \t]+.*\n|\1[ \t]*-.*\n)*)", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*-[ \t]+\*\*(\w+)\*\*[ \t]*:", re.MULTILINE)
_SHAPE = re.compile(r"\bshape:?\s+`{0,2}\(([^()]*)\)")
#: What makes a declaration one of several, or one of something else than a tensor.
_UNSURE = re.compile(r"\b(?:or|if|when|either|list|lists|tuple|arbitrary|each|dict)\b|\.\.\.|\bboth\b", re.IGNORECASE)


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
