"""Attributes for the symbols created in a ``with`` block."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, ClassVar

from hybridlint.runtime.core.scoped_values import ClassProperty, Current, Scoped

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    from typing_extensions import Self


def _outermost() -> AttrScope:
    return AttrScope()


_current = Current(_outermost)

#: Attributes that MXNet stores under a name with double underscores, and also returns under this plain name.
HIDDEN = frozenset({"ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage"})


def kept(attributes: Mapping[str, str]) -> dict[str, str]:
    """Return attributes under the names used in symbols and files."""
    return {f"__{key}__" if key in HIDDEN else key: value for key, value in attributes.items()}


def listed(attributes: Mapping[str, str]) -> dict[str, str]:
    """Return stored attributes as users read them: hidden ones appear under both names."""
    plain = {key[2:-2]: value for key, value in attributes.items() if key[2:-2] in HIDDEN and key[:2] == "__"}
    return {**attributes, **plain}


class AttrScope(metaclass=Scoped):
    """Adds its attributes to every symbol created in its ``with`` block. Scopes nest; inner values win.

    Raises ValueError for an attribute that is not a string.
    """

    #: Number of loops and branches traced under each name.
    _subgraph_names: ClassVar[defaultdict[str, int]] = defaultdict(int)

    def __init__(self, **kwargs: str) -> None:
        if not all(isinstance(value, str) for value in kwargs.values()):
            raise ValueError("Attributes need to be string")
        self._own = kwargs
        self._attr: dict[str, str] = dict(kwargs)

    def get(self, attr: Mapping[str, Any] | None) -> dict[str, Any]:
        """Return the attributes of a new symbol: the scope's, overridden by those given."""
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
