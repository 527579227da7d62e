"""The names of modules in a file, and the imports that a fix adds."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from hybridlint.analysis.dataflow.scopes import names_of
from hybridlint.analysis.model.events import CodeContext
from hybridlint.text.edits import ImportEdit
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import walk

_ARRAYS = frozenset({"mxnet.nd", "mxnet.ndarray"})
_AUTOGRAD = frozenset({"mxnet.autograd"})
_SYMBOLS = frozenset({"mxnet.sym", "mxnet.symbol"})


def ndarray_module(frame: CodeContext) -> tuple[str, tuple[ImportEdit, ...]] | None:
    """Return the expression for ``mxnet.nd`` in the file, with the import to add if the file has none.

    None if the name is taken by an argument or a variable of the function, or by another import.
    """
    return _module(frame, _ARRAYS, "nd", _imports(frame))


def symbol_module(frame: CodeContext) -> tuple[str, tuple[ImportEdit, ...]] | None:
    """Return the expression for ``mxnet.sym`` in the file, with the import to add, as `ndarray_module` does."""
    return _module(frame, _SYMBOLS, "sym", _imports(frame))


def autograd_module(frame: CodeContext) -> tuple[str, tuple[ImportEdit, ...]] | None:
    """Return the expression for ``mxnet.autograd`` in the file, with the import to add, as `ndarray_module` does."""
    direct_first = sorted(_imports(frame), key=lambda node: isinstance(node, ast.Import))
    return _module(frame, _AUTOGRAD, "autograd", direct_first)


@lru_cache(maxsize=1)
def imported_names(source: SourceFile) -> frozenset[str]:
    """Return the names that the imports of a file bind; the last file's are kept."""
    aliases = (node for node in walk(source.tree) if isinstance(node, ast.alias))
    return frozenset((alias.asname or alias.name).partition(".")[0] for alias in aliases)


@lru_cache(maxsize=1)
def import_roots(source: SourceFile) -> Mapping[str, str]:
    """Return the package behind each name that a top-level import of a file binds; the last file's are kept."""
    found: dict[str, str] = {}
    for node in source.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            whole = (node.module or "") if isinstance(node, ast.ImportFrom) and not node.level else ""
            for alias in node.names:
                path = whole if isinstance(node, ast.ImportFrom) else alias.name
                found[(alias.asname or alias.name).partition(".")[0]] = path.partition(".")[0]
    return found


def imported_path(frame: CodeContext, path: Sequence[str]) -> str:
    """Return the full name of what a dotted name means by the top-level imports: ``numpy.random.rand``.

    It is empty where the name is no import's, or the function binds it itself.
    """
    for node in _imports(frame) if path and path[0] not in _bound(frame) else ():
        for alias in node.names:
            if (alias.asname or alias.name) != path[0]:
                continue
            if isinstance(node, ast.Import):
                return ".".join((alias.name, *path[1:]))
            return "" if node.level else ".".join((node.module or "", alias.name, *path[1:]))
    return ""


def _module(
    frame: CodeContext, paths: frozenset[str], short: str, imports: Iterable[ast.Import | ast.ImportFrom]
) -> tuple[str, tuple[ImportEdit, ...]] | None:
    """Return the expression for a module of mxnet, which has each of the paths, and the import to add."""
    hidden = _bound(frame)
    for node in imports:
        for alias in node.names:
            name = _name_of(node, alias, paths, short)
            if name is not None and name.partition(".")[0] not in hidden:
                return name, ()
    if short in hidden or any((a.asname or a.name) == short for node in _imports(frame) for a in node.names):
        return None
    return short, (ImportEdit("mxnet", short),)


def _name_of(node: ast.Import | ast.ImportFrom, alias: ast.alias, paths: frozenset[str], short: str) -> str | None:
    """Return the expression by which an import makes a module available, such as ``mx.nd``; None for others."""
    if isinstance(node, ast.ImportFrom):
        whole = f"{node.module}.{alias.name}" if node.module and not node.level else ""
        return alias.asname or alias.name if whole in paths else None
    if alias.name in paths:
        return alias.asname or alias.name
    return f"{alias.asname or alias.name}.{short}" if alias.name == "mxnet" else None


def _imports(frame: CodeContext) -> Iterator[ast.Import | ast.ImportFrom]:
    return (node for node in frame.source.tree.body if isinstance(node, ast.Import | ast.ImportFrom))


def _bound(frame: CodeContext) -> frozenset[str]:
    """Return the names that the function itself binds, which hide modules of the same name."""
    return frozenset() if frame.function is None else names_of(frame.function).bound
