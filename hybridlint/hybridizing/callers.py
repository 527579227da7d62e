"""Methods that are called on other objects than self: their signatures have to suit those callers too."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

#: A call of a method, with the name or the bracket in front of its dot.
_CALL = re.compile(r"([\w\])]+)\s*\.\s*(\w+)\s*\(")
_SUPER = re.compile(r"super\([^()]*\)\s*\.\s*\w+\s*\(")
#: Most files of a folder that are read.
_MOST = 2_000


def called_elsewhere(texts: Iterable[str]) -> frozenset[str]:
    """Return the names of the methods that texts call on something that is neither ``self`` nor ``super()``."""
    return frozenset(name for text in texts for name in _called(text))


def around(path: Path) -> Iterator[str]:
    """Yield the texts of the Python files of a file's package, or of its folder, the file itself included."""
    folder = path.parent
    inside = (folder / "__init__.py").is_file()
    while (folder.parent / "__init__.py").is_file():
        folder = folder.parent
    found = folder.rglob("*.py") if inside else folder.glob("*.py")
    for other in islice(found, _MOST):
        with suppress(OSError):
            yield other.read_text(encoding="utf-8", errors="replace")


def _called(text: str) -> Iterator[str]:
    for found in _CALL.finditer(_SUPER.sub("", text)):
        if found.group(1) != "self":
            yield found.group(2)
