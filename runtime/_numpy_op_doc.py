"""``mxnet._numpy_op_doc``: functions that describe operators of numpy mode, by the operators' names."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.numpy_op_signature import _get_builtin_op


def __getattr__(name: str) -> Any:
    """Return the function of an operator such as ``_np_sum``. Raises AttributeError for other names."""
    try:
        found = _get_builtin_op(name)
    except ValueError:
        found = None
    if found is None:
        raise AttributeError(f"module 'mxnet._numpy_op_doc' has no attribute '{name}'")
    return found
