"""``mx.error``: errors by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from hybridlint.runtime.base import MXNetError

E = TypeVar("E", bound="type[BaseException]")

__all__ = ["InternalError", "MXNetError", "register_error"]

_errors: dict[str, type[BaseException]] = {}


def register_error(func_name: Any = None, cls: Any = None) -> Any:
    """Register an error class under a name (default: its own). Also usable as a decorator."""
    if isinstance(func_name, type):
        func_name, cls = func_name.__name__, func_name

    def keep(found: E) -> E:
        _errors[func_name or found.__name__] = found
        return found

    decorate: Callable[[Any], Any] = keep
    return decorate if cls is None else decorate(cls)


register = register_error


@register_error
class InternalError(MXNetError):
    """An internal error that should never happen."""
