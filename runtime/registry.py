"""``mx.registry``: registries of classes by name and base class."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

C = TypeVar("C", bound=type)

_registries: dict[type, dict[str, type]] = {}


def get_registry(base_class: type) -> dict[str, type]:
    """Return a copy of the classes registered for a base class, keyed by lowercase name."""
    return dict(_registries.get(base_class, {}))


def get_register_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """Return a decorator that registers a subclass under its name, or under another one.

    The decorator raises AssertionError for anything but a subclass, and warns if it replaces a class.
    """
    known = _registries.setdefault(base_class, {})

    def register(klass: C, name: str | None = None) -> C:
        if not (isinstance(klass, type) and issubclass(klass, base_class)):
            raise AssertionError(f"Can only register subclass of {base_class.__name__}")
        key = (name or klass.__name__).lower()
        before = known.get(key)
        if before is not None and before is not klass:
            warnings.warn(
                f"New {nickname} {klass} registered with name {key} takes the place of {before}", stacklevel=2
            )
        known[key] = klass
        return klass

    register.__doc__ = f"Register {nickname}"
    return register


def get_alias_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """Return a function from names to a decorator that registers a subclass under each of them."""
    register = get_register_func(base_class, nickname)

    def alias(*names: str) -> Callable[[C], C]:
        def decorate(klass: C) -> C:
            for name in names:
                register(klass, name)
            return klass

        return decorate

    return alias


def get_create_func(base_class: type, nickname: str) -> Callable[..., Any]:
    """Return a function that creates an instance from a name and arguments.

    The name may be JSON of a name and keyword arguments, or a dict with the nickname as key. An instance is returned
    unchanged. Raises AssertionError for an unknown name.
    """
    known = _registries.setdefault(base_class, {})

    def create(*args: Any, **kwargs: Any) -> Any:
        name, args = (args[0], args[1:]) if args else (kwargs.pop(nickname), ())
        if isinstance(name, base_class):
            if args or kwargs:
                raise AssertionError(f"{nickname} is already an instance. Additional arguments are invalid")
            return name
        if isinstance(name, dict):
            return create(**name)
        if not isinstance(name, str):
            raise AssertionError(f"{nickname} must be of string type")
        if name.startswith("["):
            name, kwargs = json.loads(name)
            return create(name, **kwargs)
        if name.startswith("{"):
            return create(**json.loads(name))
        if name.lower() not in known:
            raise AssertionError(f"{name} is not registered. Please register with {nickname}.register first")
        return known[name.lower()](*args, **kwargs)

    create.__doc__ = f"Create a {nickname}"
    return create
