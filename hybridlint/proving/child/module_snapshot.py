"""The state of a module outside its blocks: globals, class attributes, default values of arguments, and caches.

It is reset before each block is built, as if the module had just been imported. Otherwise a run would see what an
earlier run left there, such as a Symbol in a dictionary of masks or a counter on a class.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from hybridlint.proving.child.own_attributes import attributes

#: Most values among which objects of the module are looked for.
_MOST = 2000

_CONTAINERS = (list, dict, set)
_PLAIN = (bool, int, float, complex, str, bytes, tuple, frozenset, type(None))


class ModuleSnapshot:
    """A copy of the state of a module and its classes, made at construction; `restore` resets them to it."""

    def __init__(self, module: ModuleType) -> None:
        self._owners = [_Owner(owner) for owner in _owners(module)]
        self._contents = [(kept, _copied(kept)) for kept in _defaults(module) if type(kept) in _CONTAINERS]
        self._caches = [value.cache_clear for value in vars(module).values() if _is_cache(value)]

    def restore(self) -> None:
        """Reset the module, its classes and its caches to the copied state."""
        for owner in self._owners:
            owner.restore()
        for container, content in self._contents:
            _refill(container, content)
        for clear in self._caches:
            clear()


class _Owner:
    """A module, class or object, with a copy of those attributes that are containers or plain values."""

    def __init__(self, owner: Any) -> None:
        self.owner = owner
        held = _attributes(owner)
        self.names = set(held)
        self.plain = {name: v for name, v in held.items() if _kept(name) and isinstance(v, _PLAIN)}
        self.containers = {name: (v, _copied(v)) for name, v in held.items() if _kept(name) and type(v) in _CONTAINERS}

    def restore(self) -> None:
        held = _attributes(self.owner)
        for name in [name for name in held if name not in self.names and _kept(name)]:
            _plainly(self.owner).__delattr__(self.owner, name)
        for name, value in self.plain.items():
            if held.get(name, self) is not value:
                _plainly(self.owner).__setattr__(self.owner, name, value)
        for name, (container, content) in self.containers.items():
            _refill(container, content)
            if held.get(name) is not container:
                _plainly(self.owner).__setattr__(self.owner, name, container)


def _plainly(owner: Any) -> Any:
    """Return `object` for an object, whose class may refuse changes of attributes or do more; else the owner's type."""
    return type(owner) if isinstance(owner, (ModuleType, type)) else object


def _attributes(owner: Any) -> dict[str, Any]:
    """Return the attributes that a module, class or object itself has."""
    return dict(vars(owner)) if isinstance(owner, (ModuleType, type)) else attributes(owner)


def _owners(module: ModuleType) -> Iterator[Any]:
    """Yield the module, its classes, and the objects of these that it, its classes or its default values hold."""
    pending: list[Any] = [module, *_defaults(module)]
    seen: set[int] = set()
    while pending and len(seen) < _MOST:
        value = pending.pop(0)
        if id(value) in seen:
            continue
        seen.add(id(value))
        own = value if isinstance(value, type) else type(value)
        if value is module or own.__module__ == module.__name__:
            yield value
            pending += _attributes(value).values()
        elif type(value) in (list, tuple):
            pending += value
        elif type(value) is dict:
            pending += value.values()


def _defaults(module: ModuleType) -> Iterator[Any]:
    """Yield the default values of the module's functions and methods."""
    classes = [value for value in vars(module).values() if _is_class(value, module)]
    spaces = [vars(module), *map(vars, classes)]
    for function in (value for space in spaces for value in space.values() if inspect.isfunction(value)):
        if function.__module__ == module.__name__:
            yield from (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())


def _is_class(value: Any, module: ModuleType) -> bool:
    return isinstance(value, type) and value.__module__ == module.__name__


def _kept(name: str) -> bool:
    return not name.startswith("__")


def _is_cache(value: Any) -> bool:
    # A stand-in for a module that is not installed has every attribute, so the type is compared by name.
    return type(value).__name__ == "_lru_cache_wrapper"


def _copied(value: Any) -> Any:
    if type(value) is list:
        return [_copied(item) for item in value]
    if type(value) is dict:
        return {key: _copied(item) for key, item in value.items()}
    return set(value) if type(value) is set else value


def _refill(container: Any, content: Any) -> None:
    container.clear()
    if type(container) is list:
        container.extend(_copied(content))
    else:
        container.update(_copied(content))
