"""Stand-ins for unsupported functions: they can be imported, and raise one clear sentence when called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn


def refused(path: str, reason: str) -> Callable[..., NoReturn]:
    """Return a function that raises NotImplementedError with the reason and what to do instead."""

    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"{path} is not supported by the bundled runtime: {reason}")

    function.__name__ = function.__qualname__ = path.rpartition(".")[2]
    function.__doc__ = f"Raise NotImplementedError: {reason}."
    return function
