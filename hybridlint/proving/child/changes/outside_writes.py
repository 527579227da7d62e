"""What other code of the module may change of the state that the traced pass of a block reads.

A graph keeps what it read. A call on an object that was read changes it, unless the method is known to leave it alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from types import BuiltinFunctionType, FunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any

import numpy as np

from hybridlint.proving.child.changes.alias_values import Aliases, Value
from hybridlint.proving.child.changes.live_objects import LiveObjects, is_array, is_block
from hybridlint.proving.child.changes.mutability import (
    changing_functions,
    function_leaves_alone,
    is_code,
    leaves_alone,
    mutators,
)
from hybridlint.proving.child.changes.observed_pass import ObservedPass
from hybridlint.proving.child.changes.source_functions import (
    BIND,
    GIVE,
    METHOD,
    OPERATE,
    PUT,
    STORE,
    FunctionSource,
    ModuleSource,
    Write,
)
from hybridlint.proving.child.changes.source_terms import ATTRIBUTE, IMMUTABLE, NAME, Term, root_of
from hybridlint.proving.child.changes.state_read import StateRead
from hybridlint.proving.child.changes.writers import MAKING
from hybridlint.proving.child.classes import ENTRY
from hybridlint.proving.child.own_attributes import raw_attribute

#: The methods of a block that give it another child.
_OF_BLOCKS = ("add", "insert", "register_child")
#: What a call of a block enters by.
_ENTRIES = ("__call__", "forward", ENTRY)


class OutsideWrites:
    """Compares what the functions of a module write with what a pass has read."""

    def __init__(self, source: ModuleSource, live: LiveObjects, block: Any, ran: ObservedPass) -> None:
        self._source = source
        observed: dict[int, dict[str, list[Any]]] = {}
        self._aliases = Aliases(source, live, observed)
        for code, variables in ran.traced.items():
            function = self._aliases.function_of(code)
            if function is not None:
                observed[function.number] = variables
        functions = map(self._aliases.function_of, ran.called)
        self._ran = {function.number for function in functions if function is not None}
        self._read = StateRead(self._aliases, block, ran.traced)
        self._block = block
        self._building = self._built_by_constructors()
        self._methods = self._read.changing()

    def names(self) -> list[str]:
        """Return the names of what other code may change, in the order of the source."""
        found: dict[str, None] = {}
        for function in self._source.functions:
            for write in self._writes(function):
                found.update(dict.fromkeys(self._changed(function, write)))
        return list(found)

    # -- which writes count

    def _writes(self, function: FunctionSource) -> Iterator[Write]:
        if function.name in MAKING or function.number in self._building:
            return
        in_pass = function.number in self._ran
        if in_pass and not self._is_called_outside(function):
            return
        for write in function.writes:
            # The script itself sets things up, but for its loops.
            if not function.number and not write.looped:
                continue
            if in_pass and write.missing:
                continue
            if not self._matters(write):
                continue
            if not self._is_traced_anew(function, write) and not self._sets_up(function, write):
                yield write

    def _matters(self, write: Write) -> bool:
        """Whether a write may change anything that is read, as far as its kind and name tell."""
        if write.kind == BIND:
            return True
        if write.kind == STORE:
            return write.name is None or self._read.has_slot(str(write.name))
        if write.kind == METHOD:
            return str(write.name) in self._methods
        return write.kind in (PUT, OPERATE) or self._read.has_contents()

    def _built_by_constructors(self) -> set[int]:
        """Return the private methods that nothing but constructors calls, and those only they call."""
        building: set[int] = set()
        for _ in range(3):
            for function in self._source.functions:
                if not function.owner or not function.name.startswith("_") or function.name in MAKING:
                    continue
                callers = [other for other in self._source.functions if self._calls(other, function.name)]
                made = (other.name in MAKING or other.number in building or other is function for other in callers)
                if callers and all(made):
                    building.add(function.number)
        return building

    @staticmethod
    def _calls(function: FunctionSource, name: str) -> bool:
        return any(call.owner.name == name for call in function.calls) or any(
            write.kind == METHOD and write.name == name for write in function.writes
        )

    def _is_called_outside(self, function: FunctionSource) -> bool:
        """Whether code other than the calls of the block calls a function of theirs."""
        return function.name not in _ENTRIES and any(
            other.number not in self._ran and any(call.owner.name == function.name for call in other.calls)
            for other in self._source.functions
        )

    def _is_traced_anew(self, function: FunctionSource, write: Write) -> bool:
        """Whether the block is traced again after a write: by the same function, without a call of it in between."""
        rows = self._traced(function, 3)
        if any(row >= write.row for row in rows):
            return True
        called = [row for name, row in function.called if name in function.parameters or name in function.assigned]
        return any(not any(row < other < write.row for other in called) for row in rows)

    def _traced(self, function: FunctionSource, deepest: int) -> list[int]:
        rows = list(function.traced)
        if deepest and function.owner:
            first = function.parameters[:1]
            for write in function.writes:
                if write.kind == METHOD and write.target == Term(NAME, (), first[0] if first else ""):
                    method = self._source.method(function.owner, str(write.name))
                    if method is not None and method is not function and self._traced(method, deepest - 1):
                        rows.append(write.row)
        return rows

    def _sets_up(self, function: FunctionSource, write: Write) -> bool:
        """Whether a function writes to what it has just built, before it is called."""
        for other in function.writes:
            stored = Term(ATTRIBUTE, (other.target,), other.name)
            if other.kind == STORE and other.row < write.row and stored == write.target:
                return self._aliases.value(function, other.by).made
        name = root_of(write.target)
        for _ in range(4):
            if not function.number or not function.has(name) or name in function.parameters:
                return False
            terms = function.assigned.get(name, [])
            values = [self._aliases.value(function, term) for term in terms]
            if values and all(map(_is_built, values)):
                is_call = any(called == name and row < write.row for called, row in function.called)
                return not write.looped and not is_call
            if len(terms) != 1:
                return False
            name = root_of(terms[0])
        return False

    # -- what a write changes

    def _changed(self, function: FunctionSource, write: Write) -> Iterable[str]:
        if write.kind == BIND:
            return self._bound(function, str(write.name))
        if write.kind == GIVE and not self._may_change_argument(function, write):
            return ()
        target = self._aliases.value(function, write.target)
        found: dict[str, None] = {}
        for thing in target.things:
            if thing[0] == "new" and self._fills(function, thing, write):
                continue
            found.update(dict.fromkeys(self._of_thing(function, thing, write)))
        if target.unknown:
            found.update(dict.fromkeys(self._of_anything(function, write)))
        return found

    @staticmethod
    def _fills(function: FunctionSource, thing: Any, write: Write) -> bool:
        """Whether a function fills a container that it has made, before it calls anything of its own."""
        own = {*function.parameters, *function.assigned}
        return thing[1][0] == function.number and not any(
            name in own and row < write.row for name, row in function.called
        )

    def _bound(self, function: FunctionSource, name: str) -> Iterator[str]:
        number = function.outer
        while number > 0:
            if (number, name) in self._read.variables:
                yield self._read.variables[number, name]
            number = self._source.functions[number].outer
        yield from self._read.of_slot(("live", id(self._aliases.live.module)), name)

    def _of_thing(self, function: FunctionSource, thing: Any, write: Write) -> Iterable[str]:
        read, held = self._read, self._aliases.object_of(thing)
        if write.kind == STORE:
            return () if self._is_traced_by_gluon(function, thing, write) else read.of_slot(thing, write.name)
        owner = self._aliases.live.owners.get(id(held))
        if owner is not None:
            return self._of_attributes(("live", id(owner)), write)
        if thing[0] == "new":
            is_change = write.kind in (PUT, OPERATE, GIVE) or write.name in mutators()
            return read.of_key(thing, None) if is_change and not str(thing[1][1]).startswith(IMMUTABLE) else ()
        changes = held is not None and self._changes(held, write)
        return read.of_key(thing, write.name if write.kind == PUT else None) if changes else ()

    def _of_attributes(self, owner: Any, write: Write) -> list[str]:
        """Return what a write to the dictionary of an object's attributes changes."""
        if write.kind == METHOD and leaves_alone({}, str(write.name)):
            return []
        keys: list[Any] = list(write.by.named) if write.kind == METHOD and write.by.parts else []
        names = keys or [write.name if write.kind == PUT else None]
        return [shown for name in names for shown in self._read.of_slot(owner, name)] if write.kind != GIVE else []

    def _is_traced_by_gluon(self, function: FunctionSource, thing: Any, write: Write) -> bool:
        """Whether a block gets another child, upon which Gluon has it, though not one around it, traced anew."""
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
            return False
        if write.kind == OPERATE:
            return hasattr(type(held), str(write.name)) and not leaves_alone(held, str(write.name))
        return write.kind != METHOD or self._changes_by_method(held, str(write.name))

    def _changes_by_method(self, held: Any, name: str) -> bool:
        """Whether a method changes the contents of an object; one of the module's own is read on its own."""
        if is_array(held):
            # A method of an array gives something new, as that of a Symbol does.
            return name == "__setitem__"
        module = self._aliases.live.module.__name__
        own = any(name in vars(kind) for kind in type(held).__mro__ if kind.__module__ == module)
        return not (own or (name == "__call__" and not callable(held)) or leaves_alone(held, name))

    def _may_change_argument(self, function: FunctionSource, write: Write) -> bool:
        """Whether a function that gets an object may change it."""
        if write.name == "out":
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
        return is_block(held) or raw_attribute(inner, "__module__", "") == self._aliases.live.module.__name__

    def _is_handed(self, function: FunctionSource, name: str) -> bool:
        """Whether a name is the argument that a function of the module is for: no code of the module calls it."""
        place = function.bound and bool(function.owner)
        called = any(call.owner.name == function.name for other in self._source.functions for call in other.calls)
        return function.parameters[place : place + 1] == (name,) and name not in function.assigned and not called

    def _of_anything(self, function: FunctionSource, write: Write) -> Iterator[str]:
        """Yield what a write changes if its object may be any: one that has what the code uses of it."""
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


def _is_built(value: Value) -> bool:
    """Whether a value is an object that code has just built, and holds nothing that there was before."""
    of_class = any(thing[0] == "class" for thing in value.things)
    return value.made and not value.inside and (of_class or not value.things)
