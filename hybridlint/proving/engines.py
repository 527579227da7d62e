"""What can run blocks."""

from __future__ import annotations

import os
from collections.abc import Mapping

from hybridlint.errors import UsageError

#: The bundled runtime, or the MXNet of another interpreter.
ENGINES = ("bundled", "mxnet")

#: Names the interpreter that has MXNet, in the user's environment.
VARIABLE = "HYBRIDLINT_PYTHON"


def chosen(engine: str | None, python: str | None, environment: Mapping[str, str]) -> str | None:
    """Return the interpreter for an engine: that of the command line, or else that of the user's environment.

    None is our own. Raises UsageError where there is no such interpreter.
    """
    if python is not None:
        return _found(python, "--python")
    named = environment.get(VARIABLE)
    if engine != "mxnet" or not named:
        return None
    if not os.path.isabs(named):
        # Relative to the folder that is checked, it could be a file of the project.
        raise UsageError(f"{VARIABLE} must be the absolute path of an interpreter, not {named}")
    return _found(named, VARIABLE)


def _found(python: str, source: str) -> str:
    """Return the absolute path of an interpreter: the child begins in a folder of its own. Raises UsageError."""
    import shutil

    found = shutil.which(python)
    if found is None:
        raise UsageError(f"there is no interpreter {python}: give {source} the path of one that has mxnet")
    return os.path.abspath(found)
