"""The objects that a block holds besides arrays, parameters and children: where they are, found from a built block."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from enum import Enum
from types import FunctionType, MethodType, ModuleType, SimpleNamespace
from typing import Any, NamedTuple

from hybridlint.proving.child.own_attributes import attributes
from hybridlint.proving.child.word_tables import words

#: Most steps from a block to an object that it holds, and most objects that are looked at.
_DEEPEST, _MOST = 5, 400

#: The kinds of steps from one object to the next: by an attribute, by a key or index, and into a callable.
_ATTRIBUTE, _ITEM, _CALLED = "attribute", "item", "called"


class AccessPath(NamedTuple):
    """Where an object is held: the steps to it from a block, or from the module if `of_module`."""

    steps: tuple[tuple[str, Any], ...]
    of_module: bool = False

    @property
    def name(self) -> str:
        """The last attribute, key or global on the way, "" if it has no name."""
        named = (step for kind, step in reversed(self.steps) if kind != _CALLED and isinstance(step, str))
        return next(named, "")

    def held_by(self, root: Any) -> Any:
        """Return the object. Raises LookupError, AttributeError or TypeError if `root` holds none there."""
        value = root
        for kind, step in self.steps:
            if kind == _ATTRIBUTE:
                value = vars(value)[step] if isinstance(value, ModuleType) else getattr(value, step)
            else:
                value = value[step] if kind == _ITEM else _inside(value)[step]
        return value


class HeldObject(NamedTuple):
    """An object, and where it is held."""

    place: AccessPath
    value: Any

    def shown(self, owner: str) -> str:
        """Return how code reaches the object from the expression `owner`, or its class if a callable holds it."""
        text = owner
        for kind, step in self.place.steps:
            if kind == _CALLED:
                return type(self.value).__name__
            text = f"{text}[{step!r}]" if kind == _ITEM else f"{text}.{step}" if text else str(step)
        return text


def holdings(root: Any, module: ModuleType) -> Iterator[HeldObject]:
    """Yield the objects of the module's plain classes, the namespaces and the dictionaries that `root` holds.

    `root` is a block, or the module itself. Each object is yielded once. Other blocks are not entered.
    """
    of_module = root is module
    pending = [HeldObject(AccessPath((*start,), of_module), value) for start, value in _begun(root, module)]
    seen: set[int] = set()
    while pending and len(seen) < _MOST:
        held = pending.pop(0)
        if id(held.value) in seen or _is_block(held.value):
            continue
        seen.add(id(held.value))
        if is_own(held.value, module) or type(held.value) in (SimpleNamespace, dict):
            yield held
        if len(held.place.steps) < _DEEPEST:
            pending += [
                HeldObject(AccessPath((*held.place.steps, step), of_module), value)
                for step, value in _next(held.value, module)
            ]


def is_own(value: Any, module: ModuleType) -> bool:
    """Whether a value is an instance of a plain class of the module."""
    kind = type(value)
    named = isinstance(value, (Enum, BaseException, tuple, ModuleType, type))
    return kind.__module__ == module.__name__ and not named and not _is_block(value)


def _begun(root: Any, module: ModuleType) -> Iterator[tuple[list[tuple[str, Any]], Any]]:
    if root is module:
        for name, value in list(vars(module).items()):
            # What the module has imported is not its own.
            if not name.startswith("__") and (is_own(value, module) or type(value) in (list, tuple)):
                yield [(_ATTRIBUTE, name)], value
        return
    inherited = {
        name: v for kind in reversed(type(root).__mro__) for name, v in vars(kind).items() if is_own(v, module)
    }
    for name, value in {**inherited, **vars(root)}.items():
        if name not in OF_BLOCKS:
            yield [(_ATTRIBUTE, name)], value


#: Attributes in which every block keeps children, parameters, hooks and graphs.
OF_BLOCKS = words(
    """
    _children _reg_params _params _scope _forward_hooks _forward_pre_hooks _cached_graph _cached_op _cached_op_args
    _flags _in_format _out_format _prefix _name _active
    """
)


def _next(value: Any, module: ModuleType) -> Iterator[tuple[tuple[str, Any], Any]]:
    if type(value) is SimpleNamespace or is_own(value, module):
        yield from (((_ATTRIBUTE, name), held) for name, held in attributes(value).items())
    elif type(value) in (list, tuple):
        yield from (((_ITEM, place), held) for place, held in enumerate(value))
    elif isinstance(value, dict):
        yield from (((_ITEM, name), held) for name, held in list(value.items()))
    else:
        yield from (((_CALLED, place), held) for place, held in enumerate(_inside(value)))


def _inside(value: Any) -> list[Any]:
    """Return the objects inside a callable: its object, its arguments, or the variables around it."""
    if isinstance(value, MethodType):
        return [value.__self__]
    if isinstance(value, functools.partial):
        return [value.func, *value.args, *value.keywords.values()]
    if isinstance(value, FunctionType):
        return [cell.cell_contents for cell in value.__closure__ or () if is_set(cell)]
    return []


def is_set(cell: Any) -> bool:
    """Whether there is something in a variable around a function."""
    try:
        cell.cell_contents  # noqa: B018
    except ValueError:
        return False
    return True


def _is_block(value: Any) -> bool:
    return hasattr(type(value), "collect_params")
