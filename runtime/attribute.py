"""Attributes that symbols made in a with block get."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridlint.runtime.scope import ClassProperty, Current, Scoped

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from typing_extensions import Self


def _outermost() -> AttrScope:
    return AttrScope()


_current = Current(_outermost)


class AttrScope(metaclass=Scoped):
    """Gives its attributes to every symbol made in its with block; scopes nest, inner values win.

    Raises ValueError for an attribute that is no string.
    """

    def __init__(self, **kwargs: str) -> None:
        if not all(isinstance(value, str) for value in kwargs.values()):
            raise ValueError("Attributes need to be string")
        self._own = kwargs
        self._attr: dict[str, str] = dict(kwargs)

    def get(self, attr: Mapping[str, str] | None) -> dict[str, str]:
        """Return the attributes of a new symbol: the scope's, and over them those given.

        Raises ValueError for one that is no string.
        """
        if attr and not all(isinstance(value, str) for value in attr.values()):
            raise ValueError("Attributes need to be string")
        return {**self._attr, **(attr or {})}

    def __enter__(self) -> Self:
        self._attr = {**_current.get()._attr, **self._own}
        _current.push(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        _current.pop()

    current = ClassProperty(_current)


def current() -> AttrScope:
    """Return the innermost scope of this thread."""
    return _current.get()
