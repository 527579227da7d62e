"""Modules of which only the source for a compiler is there, or a build for another Python."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

#: Suffixes of sources, those that a programmer writes first.
_SOURCES = (".pyx", ".cpp", ".cc", ".cxx", ".c", ".cu")
_BUILDS = (".so", ".pyd")
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_NOT_BUILT = re.compile(r"ModuleNotFoundError: `([\w.]+)` is not built")
#: Advice for a block that needs such a module.
BUILD = "Build it for the Python of hybridlint, for example with `pip install -e .` or `setup.py build_ext --inplace`."


def unbuilt_file(name: str, roots: Iterable[object]) -> str | None:
    """Return the name of the file of which a compiler makes a module, None if there is none or a Python file.

    Imports begin at the folders `roots`. A build counts too: whoever asks has seen that this Python cannot import it.
    """
    *packages, last = name.split(".")
    for root in roots:
        try:
            files = sorted(os.listdir(os.path.join(str(root), *packages)))
        except (OSError, ValueError):
            continue
        if f"{last}.py" in files:
            return None
        builds = [file for file in files if file.startswith(f"{last}.") and is_build(file)]
        found = [*builds, *(f"{last}{suffix}" for suffix in _SOURCES if f"{last}{suffix}" in files)]
        if found:
            return found[0]
    return None


def is_build(file: str) -> bool:
    """Whether a file is what a compiler makes of an extension module."""
    return file.endswith(_BUILDS)


def names_of_build(path: str, roots: Iterable[str]) -> Iterable[str]:
    """Yield the names under which a file may be imported from the folders `roots`."""
    for root in roots:
        below = os.path.relpath(path, root)
        name = os.path.join(os.path.dirname(below), os.path.basename(below).partition(".")[0]).replace(os.sep, ".")
        if all(map(_IDENTIFIER.fullmatch, name.split("."))):
            yield name


def not_built(name: str, file: str, joint: str = "") -> str:
    """Return the clause that says that a module is not built; the words `joint` follow its name."""
    return f"`{name}`{joint} is not built{' for this Python' if is_build(file) else ''}: only `{file}` is there"


def named_unbuilt(sentence: str) -> str | None:
    """Return the module of which an error says, by `not_built`, that it is not built; None if it says so of none."""
    found = _NOT_BUILT.match(sentence)
    return None if found is None else found[1]
