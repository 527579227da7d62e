"""Finds the code that a file leads to, and writes the facts of its functions and classes for the brief."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from hybridlint.analysis.imports.finder import ImportFinder
from hybridlint.analysis.imports.folder_listings import PACKAGE_FILE
from hybridlint.analysis.imports.statements import ImportStatement
from hybridlint.proving.brief.class_facts import read_class
from hybridlint.proving.brief.input_uses import input_facts
from hybridlint.proving.brief.project_texts import ProjectReader, ProjectText
from hybridlint.proving.brief.suggestions import argument_facts
from hybridlint.proving.child.brief.code import ClassFacts, FileFacts, FunctionFacts
from hybridlint.proving.child.inputs.source.documented_inputs import DECLARED
from hybridlint.runtime.facts.records import replace

_COMMENT = re.compile(r"#(?P<text>.*)$")
#: Most files that are read for one file.
_MOST_FILES = 24
#: Texts whose facts are kept.
_KEPT = 256


def code_facts(own: ProjectText, reader: ProjectReader) -> dict[str, FileFacts]:
    """Return the facts of a file and of the project's files from which its names come, by their resolved paths."""
    imports = _Imports(reader)
    found: dict[str, ProjectText] = {os.path.realpath(own.path): own}
    waiting = [own]
    while waiting:
        text = waiting.pop(0)
        for path in imports.of(text):
            if len(found) == _MOST_FILES:
                return {path: _facts(text) for path, text in found.items()}
            other = None if path in found else reader.text(path)
            if other is not None:
                found[path] = other
                waiting.append(other)
    return {path: _facts(text) for path, text in found.items()}


class _Imports:
    """Follows the imports of files; each is followed once."""

    def __init__(self, reader: ProjectReader) -> None:
        self._reader = reader
        self._finder = ImportFinder()
        self._seen: set[tuple[Path, ImportStatement]] = set()

    def of(self, text: ProjectText) -> Iterator[str]:
        """Yield the files that define the names that a file imports, also when a package re-exports them."""
        for statement in text.imports:
            yield from self._defining(Path(text.path), statement)

    def _defining(self, importer: Path, statement: ImportStatement) -> Iterator[str]:
        if (importer.parent, statement) in self._seen:
            return
        self._seen.add((importer.parent, statement))
        inner = None if statement.name is None else self._finder.locate(importer, statement.dotted, statement.level)
        path = inner or self._finder.locate(importer, statement.module, statement.level)
        text = None if path is None else self._reader.text(str(path))
        if text is None or path is None:
            return
        again = [] if inner is not None else [other for other in text.imports if other.name in (statement.name, None)]
        if path.name != PACKAGE_FILE or not again:
            yield str(path)
        for other in again:
            yield from self._defining(path, replace(other, name=statement.name))


@lru_cache(maxsize=_KEPT)
def _facts(text: ProjectText) -> FileFacts:
    lines = text.text.splitlines()
    functions: dict[str, FunctionFacts] = {}
    classes: dict[str, ClassFacts] = {}
    for node, name in _definitions(text.tree, ""):
        if isinstance(node, ast.ClassDef):
            classes[name] = read_class(node)
        else:
            row = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
            commented = dict(_commented(lines[row - 1 : node.end_lineno]))
            functions[str(row)] = argument_facts(node)._replace(commented=commented, inputs=input_facts(node))
    return FileFacts(functions, classes)


def _commented(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the shapes that comments give, by the variable that each describes; the first one comes last."""
    for line in reversed(lines):
        comment = _COMMENT.search(line)
        text = comment["text"].replace("Shape of", "").replace("shape of", "") if comment is not None else ""
        yield from ((match["name"], match["shape"]) for match in reversed(list(DECLARED.finditer(text))))


def _definitions(
    tree: ast.AST, within: str
) -> Iterator[tuple[ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda, str]]:
    """Yield the functions and classes below a node, with their qualified names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef):
            yield node, f"{within}{node.name}"
            yield from _definitions(node, f"{within}{node.name}.")
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield node, ""
            yield from _definitions(node, f"{within}{getattr(node, 'name', '<lambda>')}.<locals>.")
        else:
            yield from _definitions(node, within)
