"""``imp``: loading of modules from files."""

from __future__ import annotations

import importlib.util
import sys
from importlib import reload
from types import ModuleType
from typing import Any

__all__ = ["find_module", "load_module", "load_source", "new_module", "reload"]

PY_SOURCE, C_EXTENSION, PKG_DIRECTORY = 1, 3, 5


def new_module(name: str) -> ModuleType:
    """Return an empty module."""
    return ModuleType(name)


def load_source(name: str, pathname: str, file: Any = None) -> ModuleType:
    """Load a source file as a new module under a name. Raises ImportError if there is none."""
    spec = importlib.util.spec_from_file_location(name, pathname)
    if spec is None or spec.loader is None:
        raise ImportError(f"{pathname!r} is no source file", name=name, path=pathname)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return sys.modules[name]


def find_module(name: str, path: Any = None) -> tuple[Any, str, tuple[str, str, int]]:
    """Return an open file, the path and the kind of a module or package. Raises ImportError if there is none."""
    for finder in sys.meta_path:
        spec = finder.find_spec(name, path)
        if spec is None or spec.origin is None:
            continue
        if spec.submodule_search_locations:
            return None, next(iter(spec.submodule_search_locations)), ("", "", PKG_DIRECTORY)
        return open(spec.origin, encoding="utf-8"), spec.origin, (".py", "r", PY_SOURCE)
    raise ImportError(f"No module named {name!r}", name=name)


def load_module(name: str, file: Any, filename: str, details: tuple[str, str, int]) -> ModuleType:
    """Load the module found by `find_module` again, under a name."""
    return load_source(name, f"{filename}/__init__.py" if details[2] == PKG_DIRECTORY else filename)
