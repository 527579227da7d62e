"""The classes of a file that a change of its text can affect."""

from __future__ import annotations

import ast

from hybridlint.text.source import SourceFile


def affected_classes(before: SourceFile, after: SourceFile) -> set[str] | None:
    """Return the top-level classes that changed, and the classes that refer to them, directly or indirectly.

    None means all classes: something outside of classes changed. Raises SourceError where a text does not parse.
    """
    old, new = _Parts(before.tree), _Parts(after.tree)
    if old.rest != new.rest or list(old.classes) != list(new.classes):
        return None
    found = {name for name, text in new.classes.items() if old.classes[name] != text}
    while more := {name for name, names in new.names.items() if names & found} - found:
        found |= more
    return found


class _Parts:
    """The classes of a module and its other top-level statements, without positions and without imports."""

    def __init__(self, tree: ast.Module) -> None:
        classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
        self.classes = {node.name: ast.dump(node) for node in classes}
        self.names = {node.name: {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} for node in classes}
        self.rest = [
            ast.dump(node) for node in tree.body if not isinstance(node, ast.ClassDef | ast.Import | ast.ImportFrom)
        ]
