"""State that the traced pass of a block reads besides its inputs: attributes, globals, contents of objects."""

from __future__ import annotations

import functools
import os
from collections import deque
from collections.abc import Iterable, Mapping
from types import FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from hybridlint.proving.child.changes.alias_values import ValueAliases
from hybridlint.proving.child.changes.block_objects import OF_BLOCKS
from hybridlint.proving.child.changes.live_objects import contents, inner_objects, inside_of, is_array, is_block
from hybridlint.proving.child.changes.mutability import is_code, is_immutable, leaves_alone, mutators
from hybridlint.proving.child.changes.resolved_value import ResolvedValue
from hybridlint.proving.child.changes.source_functions import EXECUTE, FunctionSource
from hybridlint.proving.child.changes.source_terms import (
    ATTRIBUTE,
    CALL,
    ITEM,
    NAME,
    SLICE,
    TEXT,
    Term,
)
from hybridlint.proving.child.own_attributes import attributes, raw_attribute

#: The attributes of a function that a call of it reads.
_OF_FUNCTIONS = ("__defaults__", "__kwdefaults__", "__code__")
#: Containers whose contents are all that they hold.
_PLAIN = (list, dict, set, deque, np.ndarray)
#: Methods that may change any object.
_CHANGING = ("__call__", "register_child", "__setattr__", "__delattr__", "__next__")
#: How deep containers are read that a pass hands to a library.
_DEEPEST = 4


class StateRead:
    """Notes what the functions of a traced pass read, each by its name for the user.

    A slot is an attribute of an object, or a global; the contents of a container are read whole, or by some keys.
    """

    def __init__(self, aliases: ValueAliases, block: Any, ran: Mapping[Any, Any]) -> None:
        self._aliases = aliases
        self._block = block
        self.slots: dict[tuple[Any, str], str] = {}
        #: The names of the settings of the layers that libraries define.
        self.of_layers: set[str] = set()
        self.layer_settings: set[str] = set()
        #: Objects of which all attributes are read.
        self.open: dict[Any, str] = {}
        self.whole: dict[Any, str] = {}
        self.keyed: dict[Any, dict[Any, str]] = {}
        self.variables: dict[tuple[int, str], str] = {}
        self._names: dict[Any, str] = {}
        self._showing: set[tuple[int, str]] = set()
        self._layer_contents: set[int] = set()
        self._kinds: dict[type, Any] | None = None
        #: Attributes of functions that a library has made, such as those that clear a cache.
        self._of_code_read: set[str] = set()
        aliases.only_observed = True
        for module, code in ran:
            function = aliases.source_of(code, module)
            if function is not None:
                self._of_code(code, function)
                for term in function.read:
                    self._read(function, term)
                if any(write.kind == EXECUTE for write in function.writes):
                    self._any_of(aliases.observed[function.number])
        aliases.only_observed = False
        self._slot_names = {name for _, name in self.slots}

    def of_key(self, thing: Any, key: Any) -> list[str]:
        """Return the names of reads of a container by this key, or of any read if the key is unknown."""
        keyed = self.keyed.get(thing, {})
        found = [shown for name, shown in keyed.items() if key is None or name == key]
        return [*found, *([self.whole[thing]] if thing in self.whole else [])]

    def of_slot(self, thing: Any, name: Any) -> list[str]:
        """Return the names of reads of an attribute; without a name, of all attributes that hold data."""
        found = [f"{self.open[thing]}.{name}" if name else self.open[thing]] if thing in self.open else []
        if name is not None:
            return [*found, *([self.slots[thing, name]] if (thing, name) in self.slots else [])]
        return [
            *found,
            *(shown for (owner, each), shown in self.slots.items() if owner == thing and self._is_data(owner, each)),
        ]

    def names(self, *, stored: bool) -> set[str]:
        """Return the names of attributes, globals and keys that may change, except those of blocks and arrays.

        They are those that code has to store, or those of what it may also change where it is.
        """
        found = {
            name for owner, name in self.slots if not name.startswith("__") and self._changes(owner, name) is stored
        }
        if stored:
            return (found - self.of_layers) | {name for _, name in self.variables}
        keys = (key for (_, each), keyed in self.keyed.items() if each not in self._layer_contents for key in keyed)
        return (found - self.of_layers) | {key for key in keys if isinstance(key, str)}

    def _changes(self, thing: Any, name: str) -> bool | None:
        """Whether an attribute changes only by a store; None if it is no state."""
        held = self._aliases.object_of(thing)
        value = attributes(held).get(name)
        is_library = isinstance(held, ModuleType) and not self._aliases.live.is_project(held.__name__)
        if thing[0] != "live" or is_block(value) or is_array(value) or isinstance(value, ModuleType):
            return None
        return None if is_library and is_code(value) else is_immutable(value) or is_code(value)

    def of_object(self, thing: Any) -> list[str]:
        """Return the names of all that is read of an object."""
        return [*self.of_slot(thing, None), *(shown for (owner, _), shown in self.slots.items() if owner == thing)]

    def all(self) -> list[str]:
        """Return the names of all that holds data."""
        found = [shown for (owner, name), shown in self.slots.items() if self._is_data(owner, name)]
        keyed = [shown for names in self.keyed.values() for shown in names.values()]
        return [*found, *keyed, *self.whole.values(), *self.open.values(), *self.variables.values()]

    def may_change(self, method: str) -> bool:
        """Whether a method may change one of the objects read, judging by its name."""
        if method in _CHANGING or method in mutators():
            return True
        if self._kinds is None:
            self._kinds = {}
            owners = (("live", id(each)) for each in self._aliases.live.owners.values())
            for thing in (*self.whole, *self.keyed, *owners):
                held = self._aliases.object_of(thing)
                if held is not None:
                    self._kinds.setdefault(type(held), held)
                if is_code(held):
                    self._of_code_read.update(raw_attribute(held, "__dict__", ()))
        return method in self._of_code_read or any(
            hasattr(kind, method) and not leaves_alone(held, method) for kind, held in self._kinds.items()
        )

    def has_contents(self) -> bool:
        """Whether the contents of any object are read."""
        return bool(self.whole or self.keyed)

    def has_slot(self, name: str) -> bool:
        """Whether an attribute of this name is read of any object."""
        return bool(self.open) or name in self._slot_names

    def owners(self, name: str) -> list[Any]:
        """Return the things of which an attribute is read."""
        return [thing for thing, each in self.slots if each == name]

    def _is_data(self, thing: Any, name: str) -> bool:
        held = self._aliases.object_of(thing)
        value = attributes(held).get(name)
        return not (value is None or is_code(value) or is_block(value) or is_array(value))

    # -- reading

    def _any_of(self, variables: Mapping[str, list[Any]]) -> None:
        """Note that code may read anything by its variables, as it executes a text that is not known."""
        for name, values in variables.items():
            for thing in self._aliases.live_value(values).things:
                self.open.setdefault(thing, self._owner(thing, self._aliases.object_of(thing), name))
            self._whole(values, name)

    def _of_code(self, code: Any, function: FunctionSource) -> None:
        """Note the defaults of a function, and that its code may be replaced."""
        for live in self._aliases.live.functions.get(code, []):
            thing = ("live", id(live))
            for name in _OF_FUNCTIONS:
                self.slots.setdefault((thing, name), f"{function.name}.{name}")
            for name, cell in zip(code.co_freevars, live.__closure__ or ()):  # noqa: B905 - runs under Python 3.8 too
                self._aliases.live.by_id.setdefault(id(cell), cell)
                self.slots.setdefault((("live", id(cell)), "cell_contents"), name)
            if live.__kwdefaults__:
                self._whole([live.__kwdefaults__], f"{function.name}.__kwdefaults__")
        for name in function.defaults:
            for value in self._aliases.observed[function.number].get(name, []):
                self._names.setdefault(("live", id(value)), f"default {name} of {function.name}()")

    def _read(self, function: FunctionSource, term: Term, *, part: bool = False) -> None:
        """Record the reads of a term. With `part`, the term around it reads only a part of the value."""
        if term.kind == NAME:
            self._name(function, str(term.name))
        elif term.kind == ATTRIBUTE:
            self._attribute(function, term)
            self._read(function, term.owner, part=True)
        elif term.kind == ITEM:
            self._item(function, term.owner, term.name)
            self._read(function, term.owner, part=True)
        elif term.kind == SLICE:
            self._read(function, term.owner)
        elif term.kind == CALL:
            self._call(function, term)
        else:
            for inner in term.parts:
                self._read(function, inner)
        if not part:
            self._all(self._aliases.value(function, term), self._shown(function, term))

    def _name(self, function: FunctionSource, name: str) -> None:
        scope = function
        while not scope.is_module and not scope.has(name):
            outer = self._aliases.source.functions[scope.outer]
            if not outer.is_module and outer.has(name):
                self.variables.setdefault((outer.number, name), name)
                return
            scope = outer
        namespace = self._aliases.live.namespace(scope.module)
        if scope.is_module and name in namespace:
            module = self._aliases.live.modules[scope.module]
            self.slots.setdefault((("live", id(module)), name), name)
            self._names.setdefault(("live", id(namespace[name])), name)

    def _attribute(self, function: FunctionSource, term: Term) -> None:
        name = str(term.name)
        owners = self._aliases.value(function, term.owner)
        for thing in owners.things:
            held = self._aliases.object_of(thing)
            if held is None:
                continue
            shown = f"{self._owner(thing, held, self._shown(function, term.owner))}.{name}"
            if name == "__dict__":
                self.open.setdefault(thing, shown.rpartition(".")[0])
            self._slot(thing, held, name, shown)
            is_constant = id(held) in self._aliases.live.constants
            is_container = isinstance(held, _PLAIN) or (bool(contents(held)) and not is_block(held))
            if is_constant or is_container or self._is_opaque(held):
                self._whole([held], shown.rpartition(".")[0])
        value = self._aliases.value(function, term)
        for thing in value.things:
            self._names.setdefault(thing, self._shown(function, term))

    def _slot(self, thing: Any, held: Any, name: str, shown: str) -> None:
        """Note the attribute of an object, and of the classes in which it is looked up."""
        self.slots.setdefault((thing, name), shown)
        if not self._aliases.live.is_own(held):
            return
        kinds = held.__mro__ if isinstance(held, type) else type(held).__mro__
        own = not isinstance(held, type) and name in attributes(held)
        for kind in kinds:
            self.slots.setdefault((("class", kind.__name__), name), shown)
            if not own:
                self.slots.setdefault((("live", id(kind)), name), shown)
            if name in vars(kind):
                own = True
        if isinstance(attributes(held).get(name), _PLAIN):
            self._made_elsewhere(type(held).__name__, name, shown)

    def _made_elsewhere(self, kind: str, name: str, shown: str) -> None:
        """Note the containers that functions make for an attribute: the one that is there is one of them."""
        self._aliases.only_observed = False
        for made in self._aliases.fields(kind, name).things:
            # What the methods of a class make is among its live objects.
            if made[0] == "new" and not self._aliases.source.functions[made[1][0]].owner:
                self.whole.setdefault(made, shown)
        self._aliases.only_observed = True

    def _item(self, function: FunctionSource, owner: Term, key: Any) -> None:
        shown = self._shown(function, owner)
        for thing in self._aliases.value(function, owner).things:
            held = self._aliases.object_of(thing)
            container = self._aliases.live.owners.get(id(held))
            if container is not None:
                if isinstance(key, str):
                    self._slot(("live", id(container)), container, key, f"{self._names.get(thing, '')}[{key!r}]")
                else:
                    self.open.setdefault(("live", id(container)), shown)
            elif held is os.environ and key is not None:
                self.keyed.setdefault(thing, {}).setdefault(key, f"the environment variable {key}")
            elif key is None or not isinstance(held, (dict, list, tuple)):
                self._whole([held], self._names.get(thing, shown))
            else:
                named = self._names.get(thing, shown)
                is_named = isinstance(held, dict) and not named.endswith(")")
                self.keyed.setdefault(thing, {}).setdefault(key, f"{named}[{key!r}]" if is_named else named)

    def _call(self, function: FunctionSource, term: Term) -> None:
        owner = term.owner
        first = term.arguments[0] if term.arguments else None
        if (
            owner.kind == ATTRIBUTE
            and owner.name in ("get", "__getitem__")
            and first is not None
            and first.kind == TEXT
        ):
            self._item(function, owner.owner, first.name)
            self._read(function, owner.owner, part=True)
        else:
            self._read(function, owner, part=True)
        ours = any(self._is_ours(thing) for thing in self._aliases.value(function, owner).things)
        for part in (*term.arguments, *term.named.values()):
            self._read(function, part, part=ours)
            for thing in () if ours else self._aliases.value(function, part).things:
                held = self._aliases.object_of(thing)
                if self._aliases.live.is_own(held) and not is_block(held) and not isinstance(held, type):
                    self.open.setdefault(thing, self._names.get(thing, type(held).__name__))
        if owner.name in ("getattr", "hasattr") and term.arguments:
            # Which attribute is read is not known before the call.
            shown = self._shown(function, term.arguments[0])
            self.open.update(dict.fromkeys(self._aliases.value(function, term.arguments[0]).things, shown))
        for thing in self._aliases.value(function, owner).things:
            held = self._aliases.object_of(thing)
            is_kept = is_block(held) or isinstance(held, (MethodType, functools.partial))
            if held is not None and (self._is_opaque(held) or is_kept):
                self._whole([held], self._shown(function, owner) or type(held).__name__)
            elif isinstance(held, FunctionType) and self._aliases.function_of(held) is None:
                # A function that a library has made may keep others, as one that dispatches by types does.
                self.whole.setdefault(thing, self._shown(function, owner))

    def _is_ours(self, thing: Any) -> bool:
        held = self._aliases.object_of(thing)
        inner = raw_attribute(held, "__func__", held)
        return thing[0] == "code" or (
            isinstance(inner, FunctionType) and self._aliases.live.is_project(inner.__module__)
        )

    def _all(self, value: ResolvedValue, shown: str) -> None:
        held = [self._aliases.object_of(thing) for thing in value.things | value.inside]
        self._whole([each for each in held if each is not None], shown)

    def _whole(self, values: Iterable[Any], shown: str, depth: int = 0) -> None:
        """Note that the contents of objects are read."""
        for value in values:
            if isinstance(value, (bool, int, float, str, bytes, type(None), ModuleType)):
                continue
            thing = ("live", id(value))
            named = self._names.get(thing, shown) or type(value).__name__
            if isinstance(value, (MethodType, functools.partial)) and depth < _DEEPEST:
                self._aliases.live.by_id.setdefault(id(value), value)
                self._whole(inside_of(value), named, depth + 1)
            elif depth <= _DEEPEST and self._has_contents(value):
                self._aliases.live.by_id.setdefault(id(value), value)
                self.whole.setdefault(thing, named)
                if is_block(value):
                    # A graph has the children that a block had.
                    self.whole.setdefault(("live", id(raw_attribute(value, "_children"))), named)
                    self._layer(thing, value)
                held = inner_objects(value) if self._is_opaque(value) and not isinstance(value, _PLAIN) else ()
                self._whole([*contents(value), *held], named, depth + 1)

    def _layer(self, thing: Any, layer: Any) -> None:
        """Note that a graph keeps the settings of a layer that a library defines."""
        if any(self._aliases.live.is_project(kind.__module__) for kind in type(layer).__mro__):
            return
        shown = type(layer).__name__
        for name, held in attributes(layer).items():
            if name in OF_BLOCKS or is_array(held):
                continue
            self.slots.setdefault((thing, name), f"{shown}.{name}")
            self.of_layers.add(name)
            self.layer_settings.add(f"{shown}.{name}")
            if isinstance(held, (dict, list, set)):
                self._aliases.live.by_id.setdefault(id(held), held)
                keyed = self.keyed.setdefault(("live", id(held)), {})
                keyed.update({key: f"{shown}.{name}[{key!r}]" for key in held if isinstance(held, dict)})
                self.layer_settings.update(keyed.values())
                self._layer_contents.add(id(held))

    def _has_contents(self, value: Any) -> bool:
        if is_block(value):
            return value is not self._block
        is_container = isinstance(value, (list, dict, set)) or bool(contents(value))
        return is_container or self._is_opaque(value) or id(value) in self._aliases.live.constants

    # -- names for the user

    def _shown(self, function: FunctionSource, term: Term) -> str:
        """Return an expression for the value of a term, "" if there is none that the user knows."""
        if term.kind == NAME:
            return self._shown_name(function, str(term.name))
        if term.kind == ATTRIBUTE:
            return f"{self._shown(function, term.owner)}.{term.name}".lstrip(".")
        if term.kind == ITEM and term.name is not None:
            return f"{self._shown(function, term.owner)}[{term.name!r}]"
        if term.kind in (ITEM, SLICE):
            return self._shown(function, term.owner)
        if term.kind == CALL:
            return self._shown(function, term.owner.owner if term.owner.kind == ATTRIBUTE else term.owner)
        return ""

    def _shown_name(self, function: FunctionSource, name: str) -> str:
        if function.parameters[:1] == (name,) and function.bound and function.owner:
            things = self._aliases.value(function, Term(NAME, (), name)).things
            for thing in things:
                held = self._aliases.object_of(thing)
                if held is not None:
                    return self._owner(thing, held, "")
        if function.is_module or name not in function.assigned or (function.number, name) in self._showing:
            return name
        # A name may be assigned what is made of itself.
        self._showing.add((function.number, name))
        shown = next((shown for term in function.assigned[name] if (shown := self._shown(function, term))), name)
        self._showing.discard((function.number, name))
        return shown

    def _owner(self, thing: Any, held: Any, shown: str) -> str:
        """Return the expression for an object: a block by its class, any other by where the pass has read it."""
        if is_block(held):
            return "self" if type(held) is type(self._block) else type(held).__name__
        return self._names.get(thing, shown) or (held.__name__ if isinstance(held, type) else type(held).__name__)

    def _is_opaque(self, value: Any) -> bool:
        """Whether an object of a library holds what its methods may change."""
        if is_code(value) or is_array(value) or self._aliases.live.is_own(value) or is_immutable(value):
            return False
        return not isinstance(value, (tuple, frozenset))
