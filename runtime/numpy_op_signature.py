"""``mxnet.numpy_op_signature``: operators of numpy mode by the names that they are registered under."""

from __future__ import annotations

import importlib
from typing import Any

#: Prefixes of names, with the module whose functions bear the rest of the name, and the submodules that a name may say.
_PLACES = (("_np_", "numpy", ("random", "linalg")), ("_npx_", "numpy_extension", ("image", "random")))


def _get_builtin_op(op_name: str) -> Any:
    """Return the function of an operator such as ``_np_sum`` or ``_npx__image_resize``; None for other operators.

    Raises ValueError for an operator that numpy mode lacks.
    """
    place = next((each for each in _PLACES if op_name.startswith(each[0])), None)
    if place is None:
        return None
    prefix, package, submodules = place
    name = op_name.removeprefix(prefix)
    for submodule in submodules:
        if name.startswith(f"_{submodule}_"):
            function = getattr(_module(f"{package}.{submodule}"), name.removeprefix(f"_{submodule}_"), None)
            if function is not None:
                return function
    function = getattr(_module(package), name, None)
    if function is None:
        raise ValueError(f"Cannot find operator {name} in module mxnet.{package}")
    return function


def _module(name: str) -> Any:
    return importlib.import_module(f"hybridlint.runtime.{name}")
