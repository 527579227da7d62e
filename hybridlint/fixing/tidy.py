"""Imports that nothing uses any more after a file was fixed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from hybridlint.text.edits import Edit
from hybridlint.text.source import SourceFile, Span


def unused_imports(before: SourceFile, after: SourceFile) -> list[Edit]:
    """Return edits of `after` that remove the imports whose names `before` used and `after` does not even mention.

    Only imports at the top of a module are looked at; a package's ``__init__.py`` imports for others.
    """
    if after.path.name == "__init__.py" or before.text == after.text:
        return []
    edits: list[Edit] = []
    for node in after.tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) and getattr(node, "module", None) != "__future__":
            unused = [a for a in node.names if _mentions(after, a) == 1 and _mentions(before, a) > 1]
            unused = [a for a in unused if not _taken_from(after, a)]
            edits += _without(after, node, unused)
    return edits


def _mentions(source: SourceFile, alias: ast.alias) -> int:
    """Count where a text has the name that an import binds, comments and strings included."""
    name = alias.asname or alias.name.partition(".")[0]
    return len(re.findall(rf"(?<![\w]){re.escape(name)}(?![\w])", source.text))


def _taken_from(source: SourceFile, alias: ast.alias) -> bool:
    """Whether a module beside this one takes from it what the import binds: by name, or with all that it has.

    All is not what begins with an underscore, nor anything that ``__all__`` leaves out.
    """
    name = alias.asname or alias.name.partition(".")[0]
    starred = not name.startswith("_") and re.search(r"^__all__\b", source.text, re.MULTILINE) is None
    names = "|".join([rf"[^#\n]*\b{re.escape(name)}\b", *([r"[*]"] if starred else [])])
    taken = re.compile(rf"^\s*from\s+[\w.]*\b{re.escape(source.path.stem)}\s+import\s+(?:{names})", re.MULTILINE)
    siblings = source.path.parent.glob("*.py") if source.path.is_file() else ()
    return any(taken.search(other.read_text(encoding="utf-8", errors="replace")) for other in siblings)


def _without(source: SourceFile, node: ast.Import | ast.ImportFrom, unused: list[ast.alias]) -> Iterator[Edit]:
    """Iterate over edits that remove names from an import, or the import where none is left."""
    span = source.span(node)
    last = node.end_lineno or node.lineno
    line = Span(source.line_starts[node.lineno - 1], source.line_starts[last] if last < len(source.line_starts) else -1)
    alone = source.text[line.start : line.end].strip() == source.text[span.start : span.end]
    if not unused or line.end < 0 or not alone:
        return
    if len(unused) == len(node.names):
        yield Edit(line, "")
    elif last == node.lineno:
        kept = ", ".join(source.code(alias) for alias in node.names if alias not in unused)
        first, final = source.span(node.names[0]), source.span(node.names[-1])
        yield Edit(Span(first.start, final.end), kept)
