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

    def replace(self, value: T) -> None:
        """Make `value` the current one in the place of the value that is."""
        self._stack()[-1] = value

    def pop(self) -> None:
        """Make the value before the last `push` current again."""
        self._stack().pop()

    def _stack(self) -> list[Any]:
        stack: list[Any] | None = getattr(self._local, "stack", None)
        if stack is None:
            stack = self._local.stack = [self._make()]
        return stack


class ClassProperty(Generic[T]):
    """An attribute of a class that is the value of a `Current`: ``NameManager.current``."""

    def __init__(self, held: Current[T]) -> None:
        self.held = held

    def __get__(self, instance: object, owner: type) -> T:
        return self.held.get()


class Scoped(type):
    """Metaclass that lets `ClassProperty` attributes be assigned: ``NameManager.current = NameManager()``."""

    def __setattr__(cls, name: str, value: Any) -> None:
        for klass in cls.__mro__:
            found = vars(klass).get(name)
            if isinstance(found, ClassProperty):
                found.held.replace(value)
                return
        super().__setattr__(name, value)
