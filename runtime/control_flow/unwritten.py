"""Outputs of a loop that ran no step: they can be passed on, but not read."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime.base import MXNetError


class Unwritten(np.ndarray[Any, Any]):
    """The outputs of a traced loop without a single step. As in MXNet, their shape is unknown.

    Raises MXNetError when anything is computed or read from it.
    """

    def __array_finalize__(self, source: Any) -> None:
        if source is not None:
            _refuse()

    def __array_ufunc__(self, *args: Any, **kwargs: Any) -> Any:
        _refuse()

    def __array_function__(self, *args: Any, **kwargs: Any) -> Any:
        _refuse()


def _refuse() -> None:
    raise MXNetError("a traced while_loop without a single step has no outputs")
