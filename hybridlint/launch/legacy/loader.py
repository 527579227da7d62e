"""A source file loader that replaces Python's own and rewrites project files."""

from __future__ import annotations

import ast
import os
import sys
from importlib.abc import FileLoader, SourceLoader
from importlib.machinery import (
    BYTECODE_SUFFIXES,
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
    SourcelessFileLoader,
)
from types import CodeType, ModuleType
from typing import Any

from hybridlint.launch.legacy.projects import belongs_to_project
from hybridlint.launch.legacy.rewrite import may_need, rewrite


def install() -> None:
    """Load source files through this loader from now on, so that old projects get the removed names. Idempotent."""
    if _HOOK not in sys.path_hooks:
        sys.path_hooks.insert(0, _HOOK)
        sys.path_importer_cache.clear()


def compile_source(source: bytes | str, path: str) -> CodeType:
    """Compile a project's file, given as its bytes or as text."""
    return compile(parse_source(source, path), path, "exec", dont_inherit=True)


def parse_source(source: bytes | str, path: str) -> ast.Module:
    """Parse a project's file, given as its bytes or as text."""
    # By `compile` itself: a frame of `ast.parse` would stand in the traceback of a syntax error.
    tree = compile(source, path, "exec", flags=ast.PyCF_ONLY_AST, dont_inherit=True)
    assert isinstance(tree, ast.Module)
    return rewrite(tree) if may_need(source.encode(errors="replace") if isinstance(source, str) else source) else tree


class _Loader(FileLoader, SourceLoader):
    """Loads a file of a project that may need removed names, and is no `SourceFileLoader`.

    pytest compiles tests that have a `SourceFileLoader` itself, to show the operands of their assertions; the names
    would be lacking there.
    """

    @staticmethod
    def source_to_code(data: Any, path: Any = "<string>", **_options: Any) -> CodeType:
        """Return the code of a file's text, rewritten. It is never written to Python's bytecode cache."""
        return compile_source(data, os.fsdecode(path))


class _Finder(FileFinder):
    """Finds modules in a folder."""

    def find_spec(self, fullname: str, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return the spec of a module, None if there is none."""
        spec = super().find_spec(fullname, target)
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            path = spec.loader.path
            if may_need(spec.loader.get_data(path)) and belongs_to_project(path):
                spec.loader = _Loader(fullname, path)
        return spec


_HOOK = _Finder.path_hook(
    (ExtensionFileLoader, EXTENSION_SUFFIXES),
    (SourceFileLoader, SOURCE_SUFFIXES),
    (SourcelessFileLoader, BYTECODE_SUFFIXES),
)
