"""Class properties, as made by ``mx.base.classproperty``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class _MXClassPropertyDescriptor:
    """A property of the class itself. With a setter it can be set on classes of `_MXClassPropertyMetaClass`."""

    def __init__(self, fget: Any, fset: Any = None) -> None:
        self.fget = fget
        self.fset = fset

    def __get__(self, obj: Any, clas: type | None = None) -> Any:
        owner = type(obj) if clas is None else clas
        return self.fget.__get__(obj, owner)()

    def __set__(self, obj: Any, value: Any) -> None:
        # When the property is set on the class, the object passed is the class.
        owner = obj if isinstance(obj, type) else type(obj)
        if not self.fset:
            from hybridlint.runtime.base import MXNetError

            raise MXNetError(f"cannot use the setter: {owner.__name__} to set attribute")
        self.fset.__get__(obj, owner)(value)

    def setter(self, func: Any) -> _MXClassPropertyDescriptor:
        """Return a copy of this property with a setter."""
        self.fset = func if isinstance(func, (classmethod, staticmethod)) else classmethod(func)
        return self


class _MXClassPropertyMetaClass(type):
    """Metaclass whose class properties can be set."""

    def __setattr__(cls, key: str, value: Any) -> None:
        known = vars(cls).get(key)
        if isinstance(known, _MXClassPropertyDescriptor):
            known.__set__(cls, value)
        else:
            super().__setattr__(key, value)


def classproperty(func: Callable[..., Any]) -> _MXClassPropertyDescriptor:
    """Make a method a property of its class."""
    return _MXClassPropertyDescriptor(func if isinstance(func, (classmethod, staticmethod)) else classmethod(func))


def with_metaclass(meta: type, *bases: type) -> type:
    """Return a base class that gives its subclasses this metaclass and these bases."""

    class _Between(type):
        def __new__(cls, name: str, _bases: Any, namespace: dict[str, Any]) -> Any:
            return meta(name, bases, namespace)

    return type.__new__(_Between, "temporary_class", (), {})
