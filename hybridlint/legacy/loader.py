"""A source file loader that replaces Python's own and rewrites project files."""

from __future__ import annotations

import ast
import sys
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    SourceFileLoader,
    SourcelessFileLoader,
)
from types import CodeType

from hybridlint.legacy.projects import belongs_to_project
from hybridlint.legacy.rewrite import may_need, rewrite


def install() -> None:
    """Load source files through this loader from now on, so that old projects get the removed names. Idempotent."""
    if _HOOK not in sys.path_hooks:
        sys.path_hooks.insert(0, _HOOK)
        sys.path_importer_cache.clear()


def compile_source(source: bytes | str, path: str) -> CodeType:
    """Compile a project's file, given as its bytes or as text."""
    if not may_need(source.encode(errors="replace") if isinstance(source, str) else source):
        return compile(source, path, "exec", dont_inherit=True)
    return compile(rewrite(ast.parse(source, path)), path, "exec", dont_inherit=True)


class _Loader(SourceFileLoader):
    """Loads a source file. Rewritten code is never written to Python's bytecode cache."""

    def get_code(self, fullname: str) -> CodeType | None:
        """Return the code of a module."""
        source = self.get_data(self.path)
        if not may_need(source) or not belongs_to_project(self.path):
            return super().get_code(fullname)
        return compile_source(source, self.path)


_HOOK = FileFinder.path_hook(
    (ExtensionFileLoader, EXTENSION_SUFFIXES),
    (_Loader, SOURCE_SUFFIXES),
    (SourcelessFileLoader, BYTECODE_SUFFIXES),
)
