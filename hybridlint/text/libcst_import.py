"""The import of libcst in two fifths of its usual time.

libcst defines two hundred dataclasses, and Python writes and compiles five methods of each: most of the import. While
libcst is imported here, its dataclasses are made like ours, with methods that are compiled when they are first called
(`hybridlint/runtime/facts/records.py`). Most never are. Type checkers hold that its nodes are frozen, not Python.
"""

from __future__ import annotations

import dataclasses
import importlib
import sys
from collections.abc import Callable
from threading import Lock
from typing import Any

from hybridlint.runtime.facts.records import record

_LIBRARY = "libcst"
_VISITORS = "libcst.codemod.visitors"
_IMPORTING = Lock()


def import_libcst() -> None:
    """Import libcst, unless something has imported it before."""
    _import(_LIBRARY)


def import_visitors() -> None:
    """Import the visitors that edit imports, and with them libcst's matchers, which are dataclasses too."""
    import_libcst()
    _import(_VISITORS)


def _import(name: str) -> None:
    with _IMPORTING:
        if name in sys.modules:
            return
        usual = dataclasses.dataclass

        def made(cls: type | None = None, /, **options: Any) -> Any:
            return _light(usual, options) if cls is None else _light(usual, options)(cls)

        dataclasses.dataclass = made
        try:
            importlib.import_module(name)
        finally:
            dataclasses.dataclass = usual


def _light(usual: Callable[..., Any], options: dict[str, bool]) -> Callable[[type], type]:
    """Return a decorator that makes a dataclass of libcst a record, and one of another library as usual."""

    def made(cls: type) -> type:
        if cls.__module__.partition(".")[0] != _LIBRARY:
            found: type = usual(cls, **options)
            return found
        # Without it, hashes depend on `eq` and `frozen`.
        return record(**{name: value for name, value in options.items() if name != "unsafe_hash"})(cls)

    return made
