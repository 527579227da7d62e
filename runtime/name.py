"""Names of symbols and blocks: a counter for each hint, and prefixes that with blocks put before them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridlint.runtime.core.scoped_values import ClassProperty, Current, Scoped

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self


def _outermost() -> NameManager:
    return NameManager()


_current = Current(_outermost)


class NameManager(metaclass=Scoped):
    """Generates names for unnamed symbols: ``dense0``, ``dense1``. In a ``with`` block it is the current manager."""

    def __init__(self) -> None:
        self._counter: dict[str, int] = {}

    def get(self, name: str | None, hint: str) -> str:
        """Return `name`, or the next generated name for `hint` if it is empty."""
        if name:
            return name
        count = self._counter.get(hint, 0)
        self._counter[hint] = count + 1
        return f"{hint}{count}"

    def __enter__(self) -> Self:
        _current.push(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.pop()

    current = ClassProperty(_current)


class Prefix(NameManager):
    """A manager that puts a prefix before every name, given or made."""

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        """Return the prefix and the name, or the next one of `hint`."""
        return self._prefix + super().get(name, hint)


def current() -> NameManager:
    """Return the manager of the innermost with block of this thread."""
    return _current.get()
