"""The import name of a file for a proof, and the folders that `sys.path` needs for it."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from hybridlint.analysis.imports.finder import ImportFinder, ImportTarget
from hybridlint.analysis.imports.folder_listings import PACKAGE_FILE
from hybridlint.analysis.imports.text_imports import TextImports
from hybridlint.runtime.facts.records import record

#: Most files that are followed to learn from where a module's imports start.
_MOST_FILES = 300


@record(frozen=True, slots=True)
class ModuleImport:
    """How a file is imported: under a dotted `name`, with `roots` at the beginning of `sys.path`.

    `namespaces` are the folders without ``__init__.py`` that are packages, by dotted name, and `tops` the files and
    folders in the roots that its imports begin with.
    """

    name: str
    roots: tuple[str, ...]
    namespaces: tuple[tuple[str, str], ...]
    tops: tuple[str, ...]

    @property
    def root(self) -> Path:
        """The folder from which the file is imported."""
        return Path(self.roots[0])

    def name_of(self, path: Path) -> str:
        """Return the name by which the module imports another file."""
        for root in self.roots:
            if path.is_relative_to(root):
                return _dotted(path, Path(root))
        return _dotted(path, ImportFinder().roots.first(path.parent))


def module_name(path: Path) -> tuple[str, Path]:
    """Return the dotted module name of a file, and the folder from which it is imported."""
    found = module_import(path)
    return found.name, found.root


def module_import(path: Path) -> ModuleImport:
    """Return how a file is imported, so that its own imports work as they do in the project."""
    written = 0
    with suppress(OSError):
        written = path.stat().st_mtime_ns
    return _module_import(path, written)


@lru_cache(maxsize=256)
def _module_import(path: Path, written: int) -> ModuleImport:
    texts = TextImports()
    path = Path(os.path.realpath(path.parent), path.name)
    reached = list(_reached(path, texts))
    root = _root(path, texts)
    needed = [target for _, target, level in reached if not level]
    name = _dotted(path, root)
    namespaces = {top: folder for target in needed for top, folder in _namespace_of(target)}
    namespaces |= dict(_namespaces(name, root, texts.finder))
    tops = [str(root / name.partition(".")[0] if "." in name else root)]
    tops += [os.path.join(target.root, _first_part(target)) for target in needed]
    roots = [str(root), *(target.root for target in needed)]
    return ModuleImport(name, tuple(dict.fromkeys(roots)), tuple(namespaces.items()), tuple(dict.fromkeys(tops)))


def _reached(own: Path, texts: TextImports) -> Iterator[tuple[Path, ImportTarget, int]]:
    """Yield the project imports of a file and of its imports: importer, target, and number of dots."""
    seen, waiting = {own}, [own]
    while waiting and len(seen) <= _MOST_FILES:
        importer = waiting.pop(0)
        for target, level in texts.imported(importer):
            if target.file is None:
                continue
            yield importer, target, level
            if target.file not in seen:
                seen.add(target.file)
                waiting.append(target.file)


def _root(path: Path, texts: TextImports) -> Path:
    """Return the folder to import a file from, so that the file is in the packages that its imports name."""
    first, imported = texts.finder.roots.first(path.parent), texts.imported(path)
    level = max((level for _, level in imported), default=0) if first == path.parent else 0
    # What imports relatively is in a package, whether that has an `__init__.py` or not.
    nearest = path.parents[level] if level else first
    around = [Path(target.root) for target, level in imported if not level and target.file is not None]
    above = [root for root in around if path.is_relative_to(root) and nearest.is_relative_to(root)]
    if above:
        return nearest if nearest in above else above[0]
    if not level and first == path.parent and _is_taken(path):
        return path.parent.parent
    return nearest


def _is_taken(path: Path) -> bool:
    """Whether a file has the name of a module of Python or a library, and its folder does not."""
    if not path.parent.name.isidentifier() or _is_elsewhere(path.parent.name, path.parent.parent):
        return False
    return _is_elsewhere(path.stem, path.parent)


def _is_elsewhere(name: str, folder: Path) -> bool:
    if name in sys.stdlib_module_names:
        return True
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return False
    return spec is not None and spec.origin is not None and not Path(spec.origin).is_relative_to(folder)


def _dotted(path: Path, root: Path) -> str:
    parts = list(path.parent.relative_to(root).parts if path.is_relative_to(root) else ())
    if path.name != PACKAGE_FILE:
        parts.append(path.stem)
    return ".".join(parts) or path.parent.name


def _namespaces(name: str, root: Path, finder: ImportFinder) -> Iterator[tuple[str, str]]:
    """Yield the packages of a dotted name that are folders without ``__init__.py``."""
    folder, dotted = root, ""
    for part in name.split(".")[:-1]:
        folder, dotted = folder / part, f"{dotted}.{part}".lstrip(".")
        if PACKAGE_FILE not in finder.listing(str(folder)).files:
            yield dotted, str(folder)


def _namespace_of(target: ImportTarget) -> Iterator[tuple[str, str]]:
    if not target.regular:
        top = _first_part(target)
        yield top, os.path.join(target.root, top)


def _first_part(target: ImportTarget) -> str:
    return target.path.relative_to(Path(target.root).resolve()).parts[0]
