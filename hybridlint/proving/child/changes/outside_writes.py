"""Changes that other code of the project may make to state that the traced pass of a block reads.

A graph keeps the state that it read. All code counts that may get an object and write to it, wherever it is called
from, except for code that cannot change anything behind a graph: a constructor's stores to its object, changes of a new
object, the calls of the block themselves, code before the first call, and code followed by a new trace. A call on an
object that was read changes it, unless the method is known to leave it alone.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, ModuleType, WrapperDescriptorType
from typing import Any

import numpy as np

from hybridlint.proving.child.changes.alias_values import ValueAliases
from hybridlint.proving.child.changes.file_writes import writes_files
from hybridlint.proving.child.changes.live_objects import LiveObjects, contents, is_array, is_block
from hybridlint.proving.child.changes.mutability import (
    changing_functions,
    function_leaves_alone,
    is_code,
    leaves_alone,
    mutators,
)
from hybridlint.proving.child.changes.observed_pass import ObservedPass
from hybridlint.proving.child.changes.run_order import RunOrder
from hybridlint.proving.child.changes.source_functions import (
    BIND,
    EXECUTE,
    GIVE,
    METHOD,
    OPERATE,
    PUT,
    STORE,
    FunctionSource,
    ModuleSource,
    Write,
)
from hybridlint.proving.child.changes.source_terms import ATTRIBUTE, CODE, IMMUTABLE, NAME, TEXT
from hybridlint.proving.child.changes.state_read import StateRead
from hybridlint.proving.child.classes import ENTRY
from hybridlint.proving.child.own_attributes import raw_attribute

#: The methods of a block that give it another child.
_OF_BLOCKS = ("add", "insert", "register_child")
#: What a call of a block enters by.
_ENTRIES = ("__call__", "forward", ENTRY)
#: Attributes that represent all others of their object.
_OF_ALL = ("__class__", "__dict__")
#: Methods that change the item of the key that they get first.
_KEYED = ("setdefault", "pop", "__setitem__", "__delitem__", "move_to_end")
#: Functions that draw from an iterator.
_DRAWING = ("next", "anext")
#: Functions and methods that set any attribute.
_SETTING = ("setattr", "delattr", "__setattr__", "__delattr__")
#: The library that changes objects by the text of their names.
_BY_TEXT = "unittest.mock"


class OutsideWrites:
    """Compares the writes of a project's functions with the reads of a pass."""

    def __init__(self, source: ModuleSource, live: LiveObjects, block: Any, ran: ObservedPass) -> None:
        self._source = source
        observed: dict[int, dict[str, list[Any]]] = {}
        self._aliases = ValueAliases(source, live, observed)
        for (module, code), variables in ran.traced.items():
            function = self._aliases.source_of(code, module)
            if function is not None:
                observed[function.number] = variables
        functions = (self._aliases.source_of(code, module) for module, code in ran.called)
        self._ran = {function.number for function in functions if function is not None}
        self._read = StateRead(self._aliases, block, ran.traced)
        self._block = block
        self._reads_files = ran.reads_files
        self._order = RunOrder(source, self._aliases, block)

    def read_names(self, *, stored: bool) -> set[str]:
        """Return the names by which code may change state that is read: only by a store, or also in place."""
        return self._read.names(stored=stored)

    def names(self) -> list[str]:
        """Return the names of what other code may change, in the order of the source."""
        writes = [(function, write) for function in self._source.functions for write in self._writes(function)]
        if writes:
            self._aliases.settle()
        found: dict[str, None] = {}
        others = (each for each in self._source.functions if each.number not in self._ran and not self._makes(each))
        if self._reads_files and any(map(writes_files, others)):
            found["files that its forward pass reads"] = None
        for function, write in writes:
            changed = [shown for shown in self._changed(function, write) if self._counts(function, shown)]
            if changed and not self._order.is_behind(function, write):
                found.update(dict.fromkeys(changed))
        return list(found)

    def _counts(self, function: FunctionSource, shown: str) -> bool:
        """Whether code of a function counts: tools of other files change the layers of any block that they get."""
        return function.module == self._source.functions[0].module or shown not in self._read.layer_settings

    def _makes(self, function: FunctionSource) -> bool:
        return function.is_module or function.number in self._aliases.calls.constructing

    def _writes(self, function: FunctionSource) -> Iterator[Write]:
        """Yield the writes of a function that may change anything that is read, except those of the calls."""
        in_pass = function.number in self._ran
        if not in_pass or self._is_called_outside(function):
            yield from (write for write in function.writes if self._matters(write) and not (in_pass and write.missing))

    def _matters(self, write: Write) -> bool:
        """Whether a write may change anything that is read, judging by its kind and name."""
        if write.kind in (BIND, EXECUTE):
            return True
        if write.kind == STORE:
            return write.name is None or write.name in _OF_ALL or self._read.has_slot(str(write.name))
        if write.kind == METHOD:
            return self._read.may_change(str(write.name))
        return write.kind in (PUT, OPERATE, GIVE)

    def _is_called_outside(self, function: FunctionSource) -> bool:
        """Whether code other than the calls of the block calls a function of theirs."""
        return function.name not in _ENTRIES and any(
            other.number not in self._ran and self._aliases.calls.calls(other, function.name)
            for other in self._source.functions
        )

    # -- what a write changes

    def _changed(self, function: FunctionSource, write: Write) -> Iterable[str]:
        if write.kind == BIND:
            return self._bound(function, str(write.name))
        if write.kind == EXECUTE or (write.kind == GIVE and self._is_by_text(function, write)):
            return self._read.all()
        if write.kind == GIVE and not self._may_change_argument(function, write):
            return ()
        target = self._order.new_target(function, write) or self._aliases.value(function, write.target)
        found: dict[str, None] = {}
        for thing in target.things:
            found.update(dict.fromkeys(self._of_thing(function, thing, write)))
        if target.unknown:
            found.update(dict.fromkeys(self._of_anything(function, write)))
        return found

    def _is_by_text(self, function: FunctionSource, write: Write) -> bool:
        called = self._aliases.value(function, write.by.owner)
        held = (self._aliases.object_of(thing[1] if thing[0] == "bound" else thing) for thing in called.things)
        return any(str(raw_attribute(type(each), "__module__", "")).startswith(_BY_TEXT) for each in held) or any(
            str(raw_attribute(self._aliases.object_of(thing), "__module__", "")).startswith(_BY_TEXT)
            for thing in called.things
        )

    def _fills(self, function: FunctionSource, thing: Any, write: Write) -> bool:
        """Whether a function fills a container that it has made, before it calls anything of its own."""
        return thing[1][0] == function.number and not self._order.has_called(function, write)

    def _bound(self, function: FunctionSource, name: str) -> Iterator[str]:
        number = function.outer
        while number >= 0:
            if (number, name) in self._read.variables:
                yield self._read.variables[number, name]
            number = self._source.functions[number].outer
        module = self._aliases.live.modules.get(function.module)
        yield from self._read.of_slot(("live", id(module)), name)

    def _of_thing(self, function: FunctionSource, thing: Any, write: Write) -> Iterable[str]:
        held = self._aliases.object_of(thing)
        if write.kind == STORE:
            return self._stored(function, thing, write)
        if write.kind == METHOD and write.name == "__call__":
            # A method that is kept by itself.
            owners, method = ([thing[1]], thing[2]) if thing[0] == "bound" else self._method_kept(held)
            if owners:
                inner = write._replace(name=method)
                return [shown for each in owners for shown in self._of_thing(function, each, inner)]
        is_set = write.kind == METHOD and write.name in _SETTING
        if self._aliases.live.is_own(held) and (is_set or (write.kind == GIVE and not contents(held))):
            return self._read.of_slot(thing, None) if is_set or self._sets_attributes(function, write) else ()
        return self._of_contents(function, thing, write)

    def _stored(self, function: FunctionSource, thing: Any, write: Write) -> list[str]:
        if self._is_traced_by_gluon(function, thing, write):
            return []
        if write.name is None and any(map(self._is_code, self._aliases.value(function, write.by).things)):
            return self._read.of_object(thing)
        return self._read.of_object(thing) if write.name in _OF_ALL else self._read.of_slot(thing, write.name)

    def _is_code(self, thing: Any) -> bool:
        return thing[0] == CODE or isinstance(self._aliases.object_of(thing), FunctionType)

    def _of_contents(self, function: FunctionSource, thing: Any, write: Write) -> Iterable[str]:
        """Return the state that a write to the contents of a thing changes."""
        read, held = self._read, self._aliases.object_of(thing)
        owner = self._aliases.live.owners.get(id(held))
        if owner is not None:
            return self._of_attributes(("live", id(owner)), write)
        if thing[0] == "new":
            if self._fills(function, thing, write):
                return ()
            is_change = write.kind in (PUT, OPERATE, GIVE) or write.name in mutators()
            return read.of_key(thing, None) if is_change and not str(thing[1][1]).startswith(IMMUTABLE) else ()
        changes = held is not None and self._changes(held, write)
        return [shown for key in _keys(write) for shown in read.of_key(thing, key)] if changes else ()

    def _of_attributes(self, owner: Any, write: Write) -> list[str]:
        """Return the state that a write to the dictionary of an object's attributes changes."""
        if write.kind == METHOD and leaves_alone({}, str(write.name)):
            return []
        keys: list[Any] = list(write.by.named) if write.kind == METHOD and write.by.parts else []
        names = keys or [write.name if write.kind == PUT else None]
        return [shown for name in names for shown in self._read.of_slot(owner, name)] if write.kind != GIVE else []

    def _is_traced_by_gluon(self, function: FunctionSource, thing: Any, write: Write) -> bool:
        """Whether a block gets another child, upon which Gluon has it, though not one around it, traced again."""
        own = [("class", kind.__name__) for kind in type(self._block).__mro__]
        is_this = thing == ("live", id(self._block)) or thing in own
        if not is_this:
            return False
        value = self._aliases.value(function, write.by)
        kinds = [self._aliases.class_of(thing) for thing in value.things]
        return bool(kinds) and all(kind is not None and hasattr(kind, "hybridize") for kind in kinds)

    def _changes(self, held: Any, write: Write) -> bool:
        """Whether a write changes the contents of an object."""
        if is_block(held):
            return write.kind == METHOD and write.name in _OF_BLOCKS
        if is_code(held):
            return write.kind == METHOD and str(write.name) in raw_attribute(held, "__dict__", ())
        if write.kind == GIVE and write.by.owner.name in _DRAWING:
            return hasattr(type(held), "__next__")
        if write.kind == OPERATE:
            return hasattr(type(held), str(write.name)) and not leaves_alone(held, str(write.name))
        return write.kind != METHOD or self._changes_by_method(held, str(write.name))

    def _method_kept(self, held: Any) -> tuple[Iterable[Any], str]:
        """Return the object and method name of a library's bound method that is kept as a value; else no object."""
        first: list[Any] = []
        if isinstance(held, functools.partial):
            first, held = list(held.args[:1]), held.func
        owner = raw_attribute(held, "__self__", None)
        name = str(raw_attribute(held, "__name__", ""))
        if isinstance(owner, ModuleType) or owner is None:
            return (self._aliases.live_value(first).things, name) if name in _SETTING else ((), "")
        is_library = not self._is_ours(held) or name in _SETTING
        return (self._aliases.live_value([owner]).things, name) if is_library else ((), "")

    def _changes_by_method(self, held: Any, name: str) -> bool:
        """Whether a method changes the contents of an object; one of the module's own is read on its own."""
        if is_array(held):
            # A method of an array gives something new, as that of a Symbol does.
            return name == "__setitem__"
        own = any(name in vars(kind) for kind in type(held).__mro__ if self._aliases.live.is_project(kind.__module__))
        return not (own or (name == "__call__" and not callable(held)) or leaves_alone(held, name))

    def _may_change_argument(self, function: FunctionSource, write: Write) -> bool:
        """Whether a function that gets an object may change it."""
        if write.name == "out":
            return True
        if self._sets_attributes(function, write):
            return True
        called = self._aliases.value(function, write.by.owner)
        if any(self._alters(thing, write) for thing in called.things):
            return True
        name = write.by.owner.name
        if not called.things and write.by.owner.kind == ATTRIBUTE and name in changing_functions():
            return write.name == 0
        # A function of a library that is passed on may get the other arguments.
        given = (self._aliases.value(function, part) for part in write.by.arguments if part != write.target)
        passed = {thing for value in given for thing in value.things if thing[0] == "live"}
        return any(self._alters(thing, write._replace(name=0)) for thing in passed if self._is_routine(thing))

    def _sets_attributes(self, function: FunctionSource, write: Write) -> bool:
        """Whether a call passes an object to a function that sets attributes: ``setattr``, or a user of it."""
        values = [self._aliases.value(function, part) for part in (write.by.owner, *write.by.arguments)]
        held = [self._aliases.object_of(thing) for value in values for thing in value.things]
        return any(raw_attribute(each, "__name__", "") in _SETTING for each in held if each is not None)

    def _is_routine(self, thing: Any) -> bool:
        """Whether a thing is a function of a library, or a method that such a class defines."""
        held = self._aliases.object_of(thing)
        return isinstance(held, (BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType, FunctionType))

    def _alters(self, thing: Any, write: Write) -> bool:
        place = write.name if isinstance(write.name, int) else -1
        if thing[0] == "bound":
            owner = self._aliases.object_of(thing[1])
            if isinstance(owner, np.ufunc):
                return thing[2] == "at" and place == 0
            owner = type(owner) if owner is not None else self._aliases.live.by_id.get(thing[1][1])
            return isinstance(owner, type) and not function_leaves_alone(owner, str(thing[2]))
        held = self._aliases.object_of(thing)
        if held is None or isinstance(held, type) or self._is_ours(held):
            return False
        if isinstance(held, np.ufunc):
            return place >= held.nin
        kind = raw_attribute(held, "__objclass__", None)
        if kind is not None:
            # A method of a class that gets its object as an argument.
            return place == 0 and held.__name__ in mutators() | {"__iadd__", "__imul__", "__ior__", "__setattr__"}
        return not function_leaves_alone(held, str(raw_attribute(held, "__name__", "")))

    def _is_ours(self, held: Any) -> bool:
        inner = raw_attribute(held, "__wrapped__", raw_attribute(held, "__func__", held))
        return is_block(held) or self._aliases.live.is_project(raw_attribute(inner, "__module__", ""))

    def _is_handed(self, function: FunctionSource, name: str) -> bool:
        """Whether a name is the main argument of a function that no code of the module calls."""
        place = function.bound and bool(function.owner)
        called = self._aliases.calls.of(function)
        return function.parameters[place : place + 1] == (name,) and name not in function.assigned and not called

    def _of_anything(self, function: FunctionSource, write: Write) -> Iterator[str]:
        """Yield the state that a write may change if its object is unknown: any object with the used attributes."""
        read = self._read
        if write.kind == STORE:
            name = str(write.name)
            owners = self._aliases.owners_of(function, write.target, name) if write.name else [self._block]
            if write.name and not self._aliases.live.has(name):
                # A pass may ask for what no object has yet.
                owners = [held for thing in read.owners(name) if (held := self._aliases.object_of(thing)) is not None]
            for owner in owners:
                if not self._is_traced_by_gluon(function, ("live", id(owner)), write):
                    yield from read.of_slot(("live", id(owner)), write.name)
        elif write.target.kind == NAME and self._is_handed(function, str(write.target.name)):
            name = str(write.target.name).strip("_")
            for thing, shown in read.whole.items():
                held = self._aliases.object_of(thing)
                if held is not None and shown.rpartition(".")[2].strip("_") == name and self._changes(held, write):
                    yield shown


def _keys(write: Write) -> list[Any]:
    """Return the keys of a container that a write changes, None for any."""
    if write.kind == PUT:
        return [write.name]
    first = write.by.arguments[0] if write.kind == METHOD and write.by.parts and write.by.arguments else None
    if write.name in _KEYED and first is not None and first.kind == TEXT:
        return [first.name]
    is_update = write.kind == METHOD and write.name == "update" and write.by.parts and not write.by.arguments
    return list(write.by.named) if is_update else [None]
