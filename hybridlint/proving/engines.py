"""The engines that can run blocks in a proof, and the choice of a Python interpreter."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec

from hybridlint.core.errors import UsageError

#: The bundled runtime, the same with ONNX Runtime for its compiled graphs, or the MXNet of another interpreter.
ENGINES = ("bundled", "onnx", "mxnet")
#: What the second needs.
_PACKAGES = ("onnx", "onnxruntime")

#: Environment variable with the path of a Python interpreter that has MXNet.
VARIABLE = "HYBRIDLINT_PYTHON"


def choose_interpreter(engine: str | None, python: str | None, environment: Mapping[str, str]) -> str | None:
    """Return the interpreter for an engine: `python` from the command line, or else the one in the environment.

    None means the interpreter that runs hybridlint. Raises UsageError if the interpreter does not exist, or if a
    package that the engine needs is missing.
    """
    if engine == "onnx" and not all(map(find_spec, _PACKAGES)):
        raise UsageError("--engine onnx needs onnx and onnxruntime: pip install 'hybridlint[onnx]'")
    if python is not None:
        return _found(python, "--python")
    named = environment.get(VARIABLE)
    if engine != "mxnet" or not named:
        return None
    if not os.path.isabs(named):
        # A relative path could name a file of the project that is being checked.
        raise UsageError(f"{VARIABLE} must be the absolute path of an interpreter, not {named}")
    return _found(named, VARIABLE)


def _found(python: str, source: str) -> str:
    """Return the absolute path of an interpreter, as the child starts in another folder. Raises UsageError."""
    import shutil

    found = shutil.which(python)
    if found is None:
        raise UsageError(f"there is no interpreter {python}: give {source} the path of one that has mxnet")
    return os.path.abspath(found)
