"""``mx.libinfo``: the path of MXNet's native library, which does not exist here."""

from __future__ import annotations

from typing import NoReturn

from hybridlint.runtime import __version__

__all__ = ["__version__", "find_conf_path", "find_include_path", "find_lib_path"]


def find_lib_path(prefix: str = "libmxnet") -> NoReturn:
    """Raise RuntimeError: there is no native library."""
    raise RuntimeError(f"Cannot find {prefix}: the bundled runtime is written in Python and has no native library")


def find_include_path() -> NoReturn:
    """Raise RuntimeError: there are no header files."""
    raise RuntimeError("Cannot find the header files: the bundled runtime is written in Python and has none")


def find_conf_path(prefix: str = "tvmop") -> NoReturn:
    """Raise RuntimeError: there is no native library to configure."""
    raise RuntimeError(f"Cannot find {prefix}.conf: the bundled runtime is written in Python and has none")
