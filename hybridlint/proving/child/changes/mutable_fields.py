"""Changes of a block's objects between two calls, by their own methods or by other code of the module.

A compiled graph keeps the values that it read of them when it was traced.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any, NamedTuple

from hybridlint.proving.child.brief.changes import ExternalStore, MutatorMethod
from hybridlint.proving.child.changes.block_objects import AccessPath, HeldObject, holdings, is_own
from hybridlint.proving.child.changes.change import other_values, own_classes, parts_of
from hybridlint.proving.child.changes.read_watchers import WatchedReads, watch_reads
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.own_attributes import attributes
from hybridlint.proving.child.runs.variants import BlockVersion

#: How often a method without arguments is called, until that changes what the block computes.
_TIMES = (1, 10, 100, 1000)
#: Further numbers for a method's arguments, such as the number of an epoch.
_NUMBERS = (1, 10, 100, 0.5)


class MutableField(NamedTuple):
    """An object's attribute or item that may change between calls: its names for the user, and the changes to try."""

    names: tuple[str, ...]
    changes: Sequence[ObjectChange]


class ObjectChange(NamedTuple):
    """A change of an object that all parts of a class, or the module if `cls` is None, hold.

    `shown` is the object as the user knows it. The method `call` is called `times` times with `arguments`; without a
    `call`, `name` is an attribute (or an item) that gets the value `arguments[0]`.
    """

    cls: type | None
    place: AccessPath
    shown: str
    call: str = ""
    arguments: tuple[Any, ...] = ()
    times: int = 1
    name: str = ""
    item: bool = False

    def make(self, world: LoadedModule, block: Any) -> None:
        """Make the change in each of these objects once."""
        for held in self._objects(world, block):
            self._change(held)

    def _objects(self, world: LoadedModule, block: Any) -> list[Any]:
        roots = [world.module] if self.cls is None else parts_of(block, self.cls)
        found: dict[int, Any] = {}
        for root in roots:
            # Another instance of the class may hold nothing there.
            with suppress(LookupError, AttributeError, TypeError):
                held = self.place.held_by(root)
                found.setdefault(id(held), held)
        return list(found.values())

    def _change(self, held: Any) -> None:
        if self.item:
            held[self.name] = self.arguments[0]
        elif not self.call:
            setattr(held, self.name, self.arguments[0])
        for _ in range(self.times if self.call else 0):
            getattr(held, self.call)(*self.arguments)

    def description(self, world: LoadedModule, block: Any) -> str:
        """Return a sentence for the user about the change."""
        if not self.call:
            held = self._objects(world, block)[0]
            old = held[self.name] if self.item else getattr(held, self.name)
            return f"{_part(self.shown, self.name, item=self.item)} is changed from {old!r} to {self.arguments[0]!r}"
        times = f" {self.times} times" if self.times > 1 else ""
        return f"{self.shown}.{self.call}({', '.join(map(repr, self.arguments))}) is called{times}"


def object_changes(side: BlockVersion, block: Any, run: Callable[[], None]) -> Iterator[MutableField]:
    """Yield the changes of objects that a block holds, for attributes that its forward pass reads.

    `run` calls the block once.
    """
    module = side.world.module
    if not isinstance(module, ModuleType):
        return
    held = list(_held(side, block, module))
    if not held:
        return
    search = _Search(side, block)
    watching = [(cls, one) for cls, one in held if is_own(one.value, module)]
    with watch_reads({type(one.value) for _, one in watching}) as reads:
        if watching:
            run()
    for cls, one in held:
        yield from search.of(cls, one, reads if is_own(one.value, module) else None)


def _held(side: BlockVersion, block: Any, module: ModuleType) -> Iterator[tuple[type | None, HeldObject]]:
    """Yield the objects held by the block, its parts and its module, each once, with the class of the part."""
    seen: set[int] = set()
    for cls in own_classes(side.world, block):
        for part in parts_of(block, cls):
            for one in holdings(part, module):
                if id(one.value) not in seen:
                    seen.add(id(one.value))
                    yield cls, one
    yield from ((None, one) for one in holdings(module, module) if id(one.value) not in seen)


class _Search:
    """Finds possible changes of an object, from the reads of the block's pass and the stores in the module."""

    def __init__(self, side: BlockVersion, block: Any) -> None:
        self._block = block
        self._changes = side.changes
        #: What the block's pass reads of anything.
        self._spelled = {
            reading for cls in own_classes(side.world, block) for reading in self._changes.of(cls.__name__).reads
        }

    def of(self, cls: type | None, one: HeldObject, reads: WatchedReads | None) -> Iterator[MutableField]:
        """Yield the possible changes of one object; `reads` are the recorded reads of it, None if unknown."""
        shown = one.shown(_owner(cls, self._block))
        of = partial(ObjectChange, cls, one.place, shown)
        if reads is not None:
            read = set(reads.of(one.value))
            for way in self._changes.of(type(one.value).__name__).mutators:
                if way.names & read and not _ran(one.value, way, read, reads):
                    names = tuple(f"{shown}.{name}" for name in sorted(way.names & read))
                    yield MutableField(names, list(_by_method(of, one.value, way)))
        else:
            read = {name for owner, name, item in self._spelled if not item and _same(owner, one.place.name)}
        keys = {name for owner, name, item in self._spelled if item and _same(owner, one.place.name)}
        for store in self._changes.stores:
            if store.name in (keys if store.item else read) and self._is_of(store, one):
                yield MutableField((_part(shown, store.name, item=store.item),), list(_by_store(of, one.value, store)))

    def _is_of(self, store: ExternalStore, one: HeldObject) -> bool:
        """Whether a store by a name of its own is one into this object."""
        if store.item:
            return isinstance(one.value, dict) and _same(store.owner, one.place.name) and store.name in one.value
        if store.name not in attributes(one.value) or isinstance(one.value, dict):
            return False
        one_class = type(one.value) is not SimpleNamespace and store.name in self._changes.single
        return one_class or _same(store.owner, one.place.name)


def _ran(value: Any, way: MutatorMethod, read: Collection[str], reads: WatchedReads) -> bool:
    """Whether the block's pass itself has called a method."""
    function = getattr(type(value), way.method, None)
    return way.method in read or getattr(function, "__code__", None) in reads.codes


def _by_method(of: Callable[..., ObjectChange], value: Any, way: MutatorMethod) -> Iterator[ObjectChange]:
    """Yield the changes by a method or setter of an object; `of` makes a change of this object."""
    if way.sets:
        for other in other_values(getattr(value, way.sets, None)):
            yield of(name=way.sets, arguments=(other,))
    elif way.given == ():
        yield from (of(way.method, times=times) for times in _TIMES)
    elif way.given is not None:
        numbers = [other for name in sorted(way.names) for other in other_values(getattr(value, name, None))]
        for number in dict.fromkeys([*numbers, *_NUMBERS]):
            yield of(way.method, (number,) * len(way.given))


def _by_store(of: Callable[..., ObjectChange], value: Any, store: ExternalStore) -> Iterator[ObjectChange]:
    """Yield the changes by a store into an object or dictionary."""
    old = value[store.name] if store.item else getattr(value, store.name, None)
    for other in other_values(old):
        yield of(name=store.name, item=store.item, arguments=(other,))


def _same(owner: str, name: str) -> bool:
    """Whether two names mean one object, such as an argument and the attribute that holds it."""
    return owner.strip("_") == name.strip("_") != ""


def _owner(cls: type | None, block: Any) -> str:
    return "" if cls is None else "self" if type(block) is cls else cls.__name__


def _part(shown: str, name: str, *, item: bool) -> str:
    return f"{shown}[{name!r}]" if item else f"{shown}.{name}"
