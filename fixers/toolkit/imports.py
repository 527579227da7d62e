"""The names of modules in a file, and the imports that a fix adds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import Frame
from hybridlint.text.edits import Import
from hybridlint.text.syntax import walk

_ARRAYS = frozenset({"mxnet.nd", "mxnet.ndarray"})


def ndarray_module(frame: Frame) -> tuple[str, tuple[Import, ...]] | None:
    """Return the expression for ``mxnet.nd`` in the file, with the import to add if the file has none.

    None if the name is taken by an argument or a variable of the function, or by another import.
    """
    hidden = _bound(frame)
    for node in _imports(frame):
        for alias in node.names:
            name = _array_name(node, alias)
            if name is not None and name.partition(".")[0] not in hidden:
                return name, ()
    if "nd" in hidden or any((a.asname or a.name) == "nd" for node in _imports(frame) for a in node.names):
        return None
    return "nd", (Import("mxnet", "nd"),)


def _array_name(node: ast.Import | ast.ImportFrom, alias: ast.alias) -> str | None:
    """Return the expression by which an import makes ``mxnet.nd`` available, such as ``mx.nd``; None for others."""
    if isinstance(node, ast.ImportFrom):
        whole = f"{node.module}.{alias.name}" if node.module and not node.level else ""
        return alias.asname or alias.name if whole in _ARRAYS else None
    if alias.name in _ARRAYS:
        return alias.asname or alias.name
    return f"{alias.asname or alias.name}.nd" if alias.name == "mxnet" else None


def _imports(frame: Frame) -> Iterator[ast.Import | ast.ImportFrom]:
    return (node for node in frame.source.tree.body if isinstance(node, ast.Import | ast.ImportFrom))


def _bound(frame: Frame) -> set[str]:
    """Return the names that the function itself binds, which hide modules of the same name."""
    if frame.function is None:
        return set()
    nodes = list(walk(frame.function))
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return stored | {n.arg for n in nodes if isinstance(n, ast.arg)}
