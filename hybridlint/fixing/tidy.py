"""Work after fixes: imports made unused are removed, guards joined, and lines laid out again.

Names that fixes gave and others no longer read go too (`unread_copies`). libcst's own visitor removes imports.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hybridlint.fixing.adjacent_guards import adjacent_guards
from hybridlint.fixing.unread_copies import unread_copies
from hybridlint.project.settings.line_length import line_length
from hybridlint.runtime.facts.records import record
from hybridlint.text.edits import Edit
from hybridlint.text.imports import PACKAGE, run_visitors
from hybridlint.text.source import SourceError, SourceFile, Span
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    import libcst
    from libcst.codemod import CodemodContext


def unused_imports(before: SourceFile, after: SourceFile) -> list[Edit]:
    """Return edits of `after` that remove imports left unused by the fixes.

    An import is removed if `after` does not use it, and `before` used it or did not have it. Only module-level
    imports are considered. An ``__init__.py`` is left alone, because it may import names for other modules.
    """
    if after.path.name == "__init__.py" or before.text == after.text:
        return []
    used, known = _names(after.tree), _names(before.tree) | _not_imported(before.tree, after.tree)
    found = [each for each in _imported(after.tree) if each.bound in known - used]
    unused = [each for each in found if not _taken_from(after, each.bound)]
    unused = [each for each in unused if _is_removable(after, each.node, unused)]
    return _removed(after.text, unused) if unused else []


@record(frozen=True, slots=True)
class _Imported:
    """A name that a module-level import binds."""

    node: ast.Import | ast.ImportFrom
    alias: ast.alias

    @property
    def bound(self) -> str:
        return self.alias.asname or self.alias.name.partition(".")[0]


def _imported(tree: ast.Module) -> Iterator[_Imported]:
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom) and getattr(node, "module", None) != "__future__":
            yield from (_Imported(node, alias) for alias in node.names)


def _names(tree: ast.Module) -> set[str]:
    return {node.id for node in walk(tree) if isinstance(node, ast.Name)}


def _not_imported(before: ast.Module, after: ast.Module) -> set[str]:
    """Return the names that `after` imports and `before` does not."""
    return {each.bound for each in _imported(after)} - {each.bound for each in _imported(before)}


def _is_removable(source: SourceFile, node: ast.Import | ast.ImportFrom, unused: Sequence[_Imported]) -> bool:
    """Whether names can be removed from an import without losing a comment or disturbing the layout."""
    rows = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    lines = [source.line(row) for row in rows]
    alone = "".join(lines).strip() == "".join(source.code(node).splitlines())
    whole = all(any(each.alias is alias for each in unused) for alias in node.names)
    return alone and (whole or len(lines) == 1) and "#" not in "".join(lines)


def _taken_from(source: SourceFile, name: str) -> bool:
    """Whether a sibling module imports the name from this one, by name or with ``import *``.

    ``import *`` skips names with a leading underscore, and names that ``__all__`` leaves out.
    """
    starred = not name.startswith("_") and re.search(r"^__all__\b", source.text, re.MULTILINE) is None
    names = "|".join([rf"[^#\n]*\b{re.escape(name)}\b", *([r"[*]"] if starred else [])])
    taken = re.compile(rf"^\s*from\s+[\w.]*\b{re.escape(source.path.stem)}\s+import\s+(?:{names})", re.MULTILINE)
    siblings = source.path.parent.glob("*.py") if source.path.is_file() else ()
    return any(taken.search(other.read_text(encoding="utf-8", errors="replace")) for other in siblings)


def _removed(text: str, unused: Iterable[_Imported]) -> list[Edit]:
    def remove(context: CodemodContext, module: libcst.Module) -> libcst.Module:
        from libcst.codemod.visitors import RemoveImportsVisitor

        for each in unused:
            name, alias = each.alias.name, each.alias.asname
            if isinstance(each.node, ast.Import):
                RemoveImportsVisitor.remove_unused_import(context, name, None, alias)
            else:
                RemoveImportsVisitor.remove_unused_import(context, _module_of(each.node), name, alias)
        return RemoveImportsVisitor(context).transform_module(module)

    try:
        edits = sorted(run_visitors(text, remove))
        ends = [*(edit.span.start for edit in edits[1:]), len(text)]
        return [_with_comments(text, edit, end) for edit, end in zip(edits, ends, strict=False)]
    except SourceError:
        return []


def _with_comments(text: str, edit: Edit, end: int) -> Edit:
    """Return the edit without its lines that are blank or hold a comment, so that those stay.

    A blank line goes too where it would stand first, or behind another one; nothing goes from `end` on.
    """
    removed = text[edit.span.start : edit.span.end].splitlines(keepends=True)
    kept = "".join(line for line in removed if not line.strip() or line.lstrip().startswith("#"))
    before = text[: edit.span.start]
    if edit.content or kept.strip() or not (before == "" or before.endswith(("\n\n", "\r\n\r\n"))):
        return Edit(edit.span, kept + edit.content)
    rest = text[edit.span.end : end]
    blank = 0 if kept else len(rest) - len(rest.lstrip("\r\n"))
    return Edit(Span(edit.span.start, edit.span.end + blank), "")


def _module_of(node: ast.ImportFrom) -> str:
    """Return the absolute name of the module of a ``from`` import."""
    if not node.level:
        return node.module or ""
    package = PACKAGE.rsplit(".", node.level - 1)[0]
    return f"{package}.{node.module}" if node.module else package


def _ragged(before: SourceFile, after: SourceFile) -> list[Edit]:
    """Return edits that join the statements of several lines whose lines no longer fit to each other."""
    if before.text == after.text:
        return []
    from hybridlint.fixers.toolkit.statement_joining import join_ragged

    return join_ragged(before, after)


def _long_lines(before: SourceFile, after: SourceFile) -> list[Edit]:
    """Return edits that wrap the lines of `after` that exceed the project's limit and are not in `before`."""
    longest = line_length(after.path, before.text.splitlines())
    if all(len(line) <= longest for line in after.text.splitlines()):
        return []
    from hybridlint.fixers.toolkit.layout import long_lines

    return long_lines(before, after, longest)


#: Changes to a file that follow from its fixes: each takes the file before and after them.
Tidy = Callable[[SourceFile, SourceFile], list[Edit]]
TIDYING: tuple[Tidy, ...] = (unused_imports, unread_copies, adjacent_guards, _ragged, _long_lines)
