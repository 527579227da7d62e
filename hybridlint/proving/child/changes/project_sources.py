"""The sources of a project that may change state of a pass: they define the state, or name it."""

from __future__ import annotations

import ast
import functools
import os
import re
import sys
from collections.abc import Collection, Sequence
from types import ModuleType

from hybridlint.proving.child.changes.source_functions import ModuleSource, read_module

#: Most files that are read besides those whose functions and classes a pass uses, and most bytes of one.
_MOST_FILES, _MOST_BYTES = 40, 400_000


#: An import of all that another module has.
_ALL = re.compile(r"^[ \t]*from\b.*\bimport[ \t]*\*", re.MULTILINE)


class ProjectSources:
    """The files of a project around one module, whose text may differ from that on disk."""

    def __init__(self, module: ModuleType, text: str, related: Sequence[tuple[str, str]]) -> None:
        self._text = text
        self._own = module.__name__
        self._paths = {name: path for name, path in related if name != self._own}
        loaded = {name: found for name in self._paths if (found := _loaded(name, self._paths[name])) is not None}
        #: The modules of the project that are imported, the one with the block first.
        self.modules: dict[str, ModuleType] = {module.__name__: module, **loaded}

    def defining(self, names: Collection[str]) -> ModuleSource:
        """Return the source of the module, and of those modules of the project that are named."""
        return self._joined([name for name in self.modules if name in names])

    def naming(self, names: Collection[str], stored: Collection[str], known: Collection[str]) -> ModuleSource | None:
        """Return the source of the `known` modules and of modules that name state of a pass, or store to it.

        None if there are none. Names in `stored` change only by stores.
        """
        sizes = {name: _size(path) for name, path in self._paths.items() if name not in known}
        found = []
        for name in sorted(sizes, key=lambda name: sizes[name]):
            text = _read(self._paths[name]) if sizes[name] <= _MOST_BYTES else ""
            if (names and _names(text, names)) or (stored and _stores(text, stored)):
                found.append(name)
            if len(found) == _MOST_FILES:
                break
        return self._joined([*(name for name in self.modules if name in known), *found]) if found else None

    def _joined(self, names: Sequence[str]) -> ModuleSource:
        whole = ModuleSource([], {}, {})
        for name in [self._own, *(name for name in names if name != self._own)]:
            text = self._text if name == self._own else _read(self._paths[name])
            part = _source(text, name, len(whole.functions), frozenset(whole.bases))
            whole.functions.extend(part.functions)
            whole.bases.update(part.bases)
            whole.attributes.update(part.attributes)
        return whole


def _names(text: str, names: Collection[str]) -> bool:
    """Whether a text may get something by one of some names: not as an attribute of its own objects only."""
    each = "|".join(map(re.escape, sorted(names)))
    imported = rf"^[ \t]*(?:from\b.*|global\b.*)?\b(?:{each})\b"
    pattern = rf"(?<!\bself)\.(?:{each})\b|[\"'](?:{each})[\"']|{imported}"
    if _ALL.search(text):
        pattern = rf"\b(?:{each})\b"
    return re.search(pattern, text, re.MULTILINE) is not None


def _stores(text: str, names: Collection[str]) -> bool:
    """Whether a text may store by a name: into an object other than self, or by the name's text."""
    each = "|".join(map(re.escape, sorted(names)))
    stores = rf"(?<!\bself)\.(?:{each})[ \t]*(?:\[[^]]*\][ \t]*)?(?:[-+*/|&%@]|//|\*\*|<<|>>)?=(?!=)"
    by_text = rf"[\"'](?:{each})[\"']|\bupdate\(.*\b(?:{each})[ \t]*=|^[ \t]*(?:global\b.*\b)?(?:{each})\b[^\n=(]*=[^=]"
    others = rf"\bdel\b.*\.(?:{each})\b|\bfor\b.*\.(?:{each})\b.*\bin\b|\.(?:{each})\b[^=\n]*,[^=\n]*=(?!=)"
    return re.search(f"{stores}|{by_text}|{others}", text, re.MULTILINE) is not None


def _loaded(name: str, path: str) -> ModuleType | None:
    found = sys.modules.get(name)
    file = getattr(found, "__file__", None)
    is_same = isinstance(file, str) and os.path.realpath(file) == os.path.realpath(path)
    return found if is_same and isinstance(found, ModuleType) else None


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0


@functools.lru_cache(maxsize=256)
def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read(_MOST_BYTES)
    except OSError:
        return ""


@functools.lru_cache(maxsize=128)
def _source(text: str, module: str, first: int, taken: frozenset[str]) -> ModuleSource:
    try:
        return read_module(ast.parse(text), module, first, taken)
    except (SyntaxError, ValueError):
        return ModuleSource([], {}, {})
