"""Values that are current inside with blocks: nested, and separate for each thread."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Current(Generic[T]):
    """A value that is current in a thread. `make` creates the value outside of all with blocks."""

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
        """Set the value that is current outside of all with blocks of this thread."""
        self._stack()[0] = value

    def replace(self, value: T) -> None:
        """Replace the current value by `value`, without a new level."""
        self._stack()[-1] = value

    def pop(self) -> None:
        """Restore the value that was current before the last `push`."""
        self._stack().pop()

    def _stack(self) -> list[Any]:
        stack: list[Any] | None = getattr(self._local, "stack", None)
        if stack is None:
            stack = self._local.stack = [self._make()]
        return stack


class ClassProperty(Generic[T]):
    """A class attribute that reads and sets the value of a `Current`: ``NameManager.current``."""

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
