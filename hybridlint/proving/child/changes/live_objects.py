"""The objects that a block and its project lead to: instances by class, and functions by their code."""

from __future__ import annotations

import functools
import gc
import sys
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from hybridlint.proving.child.changes.block_objects import OF_BLOCKS, is_set
from hybridlint.proving.child.changes.mutability import is_code, is_immutable
from hybridlint.proving.child.own_attributes import attributes, raw_attribute

#: Most objects that are looked at.
_MOST = 4000
_SEQUENCES = (list, tuple, set, frozenset, deque)


class LiveObjects:
    """Holds the objects that a block and the modules of its project lead to, so that their `id` stays theirs."""

    def __init__(self, modules: Mapping[str, ModuleType], ran: Collection[str], roots: list[Any]) -> None:
        self.modules = modules
        self.by_id: dict[int, Any] = {}
        self.functions: dict[CodeType, list[FunctionType]] = {}
        #: The owner of each dictionary of attributes.
        self.owners: dict[int, Any] = {id(vars(module)): module for module in modules.values()}
        #: Arrays of MXNet that the block or the module keeps, other than parameters.
        self.constants: dict[int, Any] = {}
        namespaces = (vars(module) for name, module in modules.items() if name in ran)
        kept = (value for each in namespaces for name, value in list(each.items()) if not name.startswith("__"))
        pending = deque([*roots, *kept])
        self._classes: dict[str, type] = {}
        while pending and len(self.by_id) < _MOST:
            value = pending.popleft()
            if hasattr(type(value), "asnumpy") and not hasattr(type(value), "list_outputs"):
                self.constants[id(value)] = value
            if id(value) in self.by_id or not self._counts(value):
                continue
            self.by_id[id(value)] = value
            if isinstance(value, type):
                self._classes.setdefault(value.__name__, value)
            if isinstance(value, FunctionType):
                self.functions.setdefault(value.__code__, []).append(value)
            held = raw_attribute(value, "__dict__", None)
            if self.is_own(value) and held is not None and not isinstance(value, type):
                self.owners[id(held)] = value
            pending.extend(self._next(value))
        self._instances: dict[str, list[Any]] = {}
        self._named: dict[str, list[Any]] = {}
        for value in list(self.by_id.values()):
            self._index(value)

    def _index(self, value: Any) -> None:
        """Enter an object under the classes that it is of, and the attributes that it has."""
        if isinstance(value, FunctionType) or (not isinstance(value, type) and not self.is_own(value)):
            return
        for kind in type(value).__mro__:
            if self.is_project(kind.__module__):
                self._instances.setdefault(kind.__name__, []).append(value)
        if isinstance(value, type):
            return
        for name in {*attributes(value), *(name for kind in type(value).__mro__ for name in vars(kind))}:
            self._named.setdefault(name, []).append(value)

    def defining(self) -> set[str]:
        """Return the modules of the project that define the classes of the objects."""
        own = (value for values in self._instances.values() for value in values)
        kinds = {type(value) for value in own}
        return {base.__module__ for kind in kinds for base in kind.__mro__ if self.is_project(base.__module__)}

    def instances(self, name: str) -> list[Any]:
        """Return the objects whose class, or a base of it, is the module's class of this name."""
        return self._instances.get(name, [])

    def is_project(self, module: Any) -> bool:
        """Whether a name is that of a module of the project."""
        return module in self.modules

    def namespace(self, module: str) -> Mapping[str, Any]:
        """Return the globals of a module of the project, empty for one that is not imported."""
        return vars(self.modules[module]) if module in self.modules else {}

    def class_named(self, name: str) -> type | None:
        """Return a class of the project by its name."""
        return self._classes.get(name)

    def imported(self, importer: str, dotted: str) -> ModuleType | None:
        """Return the module that an import in a module of the project leads to, None if it is not imported."""
        level = len(dotted) - len(dotted.lstrip("."))
        if level:
            package = importer.rsplit(".", level)[0] if importer.count(".") >= level else ""
            dotted = ".".join(filter(None, [package, dotted[level:]]))
        found = sys.modules.get(dotted) or self.modules.get(dotted)
        return found if isinstance(found, ModuleType) else None

    def is_own(self, value: Any) -> bool:
        """Whether a value is a class of the project, an instance of one, a namespace or a block."""
        kind = value if isinstance(value, type) else type(value)
        inherited = any(self.is_project(base.__module__) for base in kind.__mro__)
        return inherited or kind.__name__ == "SimpleNamespace" or is_block(value)

    def owning(self, names: set[str]) -> list[Any]:
        """Return the objects of the module's classes that have all of some attributes."""
        ids = [{id(value) for value in self._named.get(name, [])} for name in names]
        both = set.intersection(*ids) if ids else set()
        return [value for value in self._named.get(next(iter(names), ""), []) if id(value) in both]

    def has(self, name: str) -> bool:
        """Whether any object of the module's classes has an attribute."""
        return name in self._named

    def _counts(self, value: Any) -> bool:
        if isinstance(value, FunctionType):
            return self.is_project(value.__module__)
        if isinstance(value, type):
            return self.is_project(value.__module__)
        if isinstance(value, (tuple, frozenset, MethodType, functools.partial)):
            return True
        return not (
            isinstance(value, ModuleType) or is_array(value) or (is_immutable(value) and not self.is_own(value))
        )

    def _next(self, value: Any) -> Iterator[Any]:
        if isinstance(value, _SEQUENCES):
            yield from value
        elif isinstance(value, Mapping):
            yield from _values(value)
        if isinstance(value, (FunctionType, MethodType, functools.partial)) or is_wrapper(value):
            yield from inside_of(value)
        elif isinstance(value, type) or self.is_own(value):
            held = vars(value) if isinstance(value, type) else attributes(value)
            for name, inner in list(held.items()):
                if name == "_children":
                    yield from children_of(value)
                elif name not in OF_BLOCKS and not name.startswith("__"):
                    yield getattr(inner, "__func__", inner) if isinstance(inner, (staticmethod, classmethod)) else inner
            yield type(value)


def children_of(block: Any) -> list[Any]:
    """Return the children of a block, of which MXNet 2 keeps weak references."""
    held = raw_attribute(block, "_children", {}).values()
    return [child() if type(child).__name__ == "ReferenceType" else child for child in held]


def contents(value: Any) -> list[Any]:
    """Return the contents of a container or a block, empty for any other object."""
    if is_block(value):
        return children_of(value)
    if isinstance(value, _SEQUENCES):
        return list(value)
    return _values(value) if isinstance(value, Mapping) else []


def _values(value: Mapping[Any, Any]) -> list[Any]:
    try:
        return list(value.values())
    except Exception:
        return []


def inside_of(value: Any) -> Iterator[Any]:
    """Yield the objects inside a callable: its object, arguments, defaults, and the variables around it."""
    if isinstance(value, MethodType):
        yield from (value.__self__, value.__func__)
    elif isinstance(value, functools.partial):
        yield from (value.func, *value.args, value.keywords)
    elif isinstance(value, FunctionType):
        yield from (*(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values(), *vars(value).values())
        yield from closure_variables(value).values()
    else:
        yield value.__wrapped__


def closure_variables(function: FunctionType) -> dict[str, Any]:
    """Return the variables around a function by name, if they are set."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or ())  # noqa: B905 - runs under Python 3.8 too
    return {name: cell.cell_contents for name, cell in cells if is_set(cell)}


def is_wrapper(value: Any) -> bool:
    """Whether a value is a function around another one, such as ``functools.lru_cache`` makes."""
    return isinstance(raw_attribute(value, "__wrapped__", None), FunctionType)


def is_block(value: Any) -> bool:
    """Whether a value is a block."""
    return hasattr(type(value), "collect_params")


def is_array(value: Any) -> bool:
    """Whether a value is an array or a parameter of MXNet, which a graph gets as its input."""
    return hasattr(type(value), "asnumpy") or hasattr(type(value), "grad_req") or hasattr(type(value), "list_outputs")


def inner_objects(value: Any) -> list[Any]:
    """Return the objects that a library's object refers to: its attributes, or referents of the garbage collector."""
    if isinstance(value, memoryview):
        return [value.obj]
    held = raw_attribute(value, "__dict__", None)
    found = [*held.values()] if isinstance(held, dict) else gc.get_referents(value)
    return [inner for inner in found if not isinstance(inner, (type, ModuleType, FunctionType))]


def is_held(value: Any) -> bool:
    """Whether an object may hold something that changes."""
    if isinstance(value, (tuple, frozenset)):
        return bool(value)
    return is_code(value) or not (is_array(value) or is_immutable(value))
