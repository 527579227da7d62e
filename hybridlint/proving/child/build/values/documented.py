"""Descriptions of arguments and inputs, and their shapes, read from docstrings in the four common styles."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Collection, Iterable, Iterator
from typing import Any

_UNDERLINED = re.compile(r"^(?P<title>[A-Z][\w ]*)\n(?:-{3,}|={3,})\s*\n", re.MULTILINE)
_TITLED = re.compile(
    r"^(?P<title>Inputs?|Args|Arguments|Parameters|Shape|Outputs?|Returns?|Raises|Examples?):\s*\n", re.M
)
_ARGUMENT_TITLES = {
    "parameters",
    "other parameters",
    "arguments",
    "args",
    "inputs",
    "input",
    "keyword arguments",
    "shape",
}
_STARRED = re.compile(r"^\s*-\s+\**`{0,2}(?P<names>\w+)`{0,2}\**\s*:?\s*(?P<text>.*)$")
#: An entry of a list without a title, whose name is in bold.
_BOLD = re.compile(r"^\s*-\s+\*\*(?P<name>\w+)\*\*\s*:\s*(?P<text>\S.*)$", re.MULTILINE)
_PLAIN = re.compile(r"^(?P<names>\**\w+(?:\s*,\s*\**\w+)*)\s*(?:\((?P<kind>[^)]*)\))?\s*(?::\s*(?P<text>.*))?$")
_FIELD = re.compile(
    r"[:@](?:param|type|arg)\s+(?:[\w.\[\], ]+\s)?(?P<name>\w+)\s*:(?P<text>.*?)(?=\n\s*[:@]\w|\n\s*\n|\Z)", re.S
)

#: A shape in a docstring, such as `(batch_size, 5, units)`: after the word "shape", or alone in brackets.
_SHAPE = re.compile(r"shapes?\b[^()\[\]\n]{0,24}[(\[]([^()\[\]]*)[)\]]", re.IGNORECASE)
_BRACKETS = re.compile(r"[(\[]\s*([\w`*/+\- ]+(?:,\s*[\w`*/+\- ]+)+,?|[\w`]+\s*,)\s*[)\]]")
_LAYOUT = re.compile(r"\b(NCHW|TNCHW|NHWC|NCDHW|NDHWC|NTCHW|NCW|NWC|NCT|NTC|TNC|NCL|NT|TN|NC)\b")
_PRODUCT = re.compile(r"[a-z0-9_]+(?:\s*\*\s*[a-z0-9_]+)+")
_BATCH = re.compile(r"n|b|bs|bsz|batch|batch_?size|num_?batch(es)?|(mini_?)?batch(_?size)?|nbatch")


def texts(doc: str | None) -> dict[str, str]:
    """Return the description of each argument in a docstring, by name: the first line is its type, then the text."""
    doc = inspect.cleandoc(doc or "") + "\n"
    found: dict[str, str] = {}
    for match in _FIELD.finditer(doc):
        found[match["name"]] = f"{found.get(match['name'], '')} {' '.join(match['text'].split())}".strip()
    for section in _sections(doc):
        for names, text in _items(section):
            for name in re.split(r"\s*,\s*", names):
                found.setdefault(name.strip("*"), text)
    for match in _BOLD.finditer(doc) if not _UNDERLINED.search(doc) and not _TITLED.search(doc) else ():
        found.setdefault(match["name"], match["text"])
    return found


def _sections(doc: str) -> Iterator[str]:
    for pattern in (_UNDERLINED, _TITLED):
        heads = list(pattern.finditer(doc))
        for k, head in enumerate(heads):
            if head["title"].lower() in _ARGUMENT_TITLES:
                yield doc[head.end() : heads[k + 1].start() if k + 1 < len(heads) else len(doc)]


def _items(section: str) -> Iterator[tuple[str, str]]:
    """Yield (names, description) for each entry of a section: an unindented line, with the indented lines below it."""
    lines = textwrap.dedent(section).splitlines()
    current: list[str] = []
    names = ""
    for line in lines:
        head = _STARRED.match(line) or (None if line[:1] in ("", " ", "\t") else _PLAIN.match(line))
        if head is None:
            current.append(line.strip())
            continue
        if names:
            yield names, "\n".join(current).rstrip()
        names = head["names"]
        kind = (head["kind"] or "") if "kind" in head.re.groupindex else ""
        current = [", ".join(part for part in (kind, head["text"] or "") if part)]
    if names:
        yield names, "\n".join(current).rstrip()


def shape(text: str, others: Collection[str] = ()) -> tuple[int | str, ...] | None:
    """Return the first shape in a text, None if there is none. Sizes are numbers or names; the batch is "N".

    A product of such is ``N*beams``.
    Names in `others` are not the batch, whatever they are called.
    """
    match = _SHAPE.search(text) or _BRACKETS.search(text)
    if match is not None:
        sizes = tuple(_size(part, others) for part in match[1].split(",") if part.strip())
        if sizes and None not in sizes:
            return tuple(size for size in sizes if size is not None)
    layout = _LAYOUT.search(text)
    return tuple(layout[1]) if layout else None


def besides_batch(texts: Iterable[str]) -> set[str]:
    """Return the size names that usually mean the batch, but follow another batch name in some text.

    In ``(B, N, 4)`` the batch is `B`, so that `N` is another size in all texts.
    """
    found: set[str] = set()
    for text in texts:
        match = _SHAPE.search(text) or _BRACKETS.search(text)
        parts = [] if match is None else [_spelled(part) for part in match[1].split(",")]
        batches = [part for part in parts if _BATCH.fullmatch(part)]
        found.update(part for part in batches if part != batches[0])
    return found


def _spelled(part: str) -> str:
    return part.strip().strip("`").lower()


def _size(part: str, others: Collection[str]) -> int | str | None:
    text = _spelled(part)
    if text.isdigit():
        return int(text)
    if _BATCH.fullmatch(text) and text not in others:
        return "N"
    if _PRODUCT.fullmatch(text):
        factors = [_size(factor, others) for factor in text.split("*")]
        return "*".join(map(str, factors))
    name = re.sub(r"\W+", "_", text).strip("_")
    return name if name and not name[0].isdigit() else None


def of_class(cls: Any, *methods: str) -> dict[str, str]:
    """Return the descriptions of arguments and inputs in the docstrings of a class, by name.

    Docstrings of `methods`, in the class and its bases, take precedence over the docstrings of the classes.
    """
    found: dict[str, str] = {}
    bases = [b for b in getattr(cls, "__mro__", (cls,)) if not b.__module__.startswith(("mxnet.", "builtins"))]
    documents = [vars(base).get(method) for method in methods for base in bases]
    for owner in [*documents, *bases]:
        for name, text in texts(getattr(owner, "__doc__", None)).items():
            found.setdefault(name, text)
    return found
