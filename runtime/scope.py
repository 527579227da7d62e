"""Current values that with blocks set: one for each thread, nested."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Current(Generic[T]):
    """The value that is current in this thread; `make` gives the outermost one of each thread."""

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._local = threading.local()

    def get(self) -> T:
        """Return the current value."""
        top: T = self._stack()[-1]
        return top

    def push(self, value: T) -> None:
        """Make `value` current until the matching `pop`."""
        self._stack().append(value)

    def set_outermost(self, value: T) -> None:
        """Make `value` the one that is current outside of all with blocks of this thread."""
        self._stack()[0] = value

    def pop(self) -> None:
        """Make the value before the last `push` current again."""
        self._stack().pop()

    def _stack(self) -> list[Any]:
        stack: list[Any] | None = getattr(self._local, "stack", None)
        if stack is None:
            stack = self._local.stack = [self._make()]
        return stack


class ClassProperty(Generic[T]):
    """An attribute that is computed when it is read from the class: ``NameManager.current``."""

    def __init__(self, read: Callable[[], T]) -> None:
        self._read = read

    def __get__(self, instance: object, owner: type) -> T:
        return self._read()
