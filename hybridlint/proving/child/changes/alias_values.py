"""Which live objects the expressions of a source may represent: terms, resolved among the objects of a built block."""

from __future__ import annotations

import builtins
import functools
import inspect
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from types import FunctionType, MethodType, ModuleType, WrapperDescriptorType
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from hybridlint.proving.child.changes.array_methods import copying_array_methods, gives_view
from hybridlint.proving.child.changes.call_sites import SettingCalls
from hybridlint.proving.child.changes.kept_values import KeptValues
from hybridlint.proving.child.changes.live_objects import (
    LiveObjects,
    closure_variables,
    contents,
    inside_of,
    is_block,
    is_held,
)
from hybridlint.proving.child.changes.mutability import function_leaves_alone, is_code
from hybridlint.proving.child.changes.resolved_value import NOTHING_KNOWN as _NONE
from hybridlint.proving.child.changes.resolved_value import ResolvedValue
from hybridlint.proving.child.changes.resolved_value import join_values as _joined
from hybridlint.proving.child.changes.source_functions import (
    BIND,
    METHOD,
    PUT,
    STORE,
    FunctionSource,
    ModuleSource,
)
from hybridlint.proving.child.changes.source_terms import (
    ANY,
    ATTRIBUTE,
    CALL,
    CLASS,
    CODE,
    FRESH,
    IMPORT,
    ITEM,
    LOOSE,
    NAME,
    PLAIN,
    SLICE,
    TEXT,
    Term,
    text_of,
)
from hybridlint.proving.child.own_attributes import attributes, raw_attribute
from hybridlint.proving.child.word_tables import words

if TYPE_CHECKING:
    from hybridlint.proving.child.changes.source_terms import Key

# A thing represents an object: ("live", its id), ("new", what makes it), ("class", the name of its class) for an
# instance that is not there yet, ("of", the id of its class) if a library defines that, ("code", the number of a
# function), or ("bound", thing, method).

#: Methods that return a part of their container; all others of containers return something new.
_PARTS = words("get pop popitem popleft setdefault __getitem__ __next__ parents maps")
#: Functions that return a part of what they get; all others of Python's own return something new.
_CHOOSING = words("next max min getattr reduce choice getitem nullcontext ref proxy")
#: Functions that return what they get itself.
_SAME = words("iter memoryview cast nullcontext reversed enumerate proxy aiter frombuffer nditer")
#: Functions whose result shares nothing with what they get.
_NEW = words("deepcopy dumps loads str repr len int float bool bytes hash id ord chr format isinstance print range")
#: Functions whose result shares what is inside of what they get.
_SHALLOW, _COPIERS = ("copy", "replace"), ("copy", "dataclasses")
#: Modules whose types copy what they are made of.
_COPYING = ("builtins", "collections")
_DEEPEST = 60
#: Most terms that are resolved for one block.
_MOST_WORK = 12_000
#: As many things of a value take as much work as a term.
_PER_UNIT = 8
#: Most rounds in which what code stores and hands over is followed.
_ROUNDS = 6
#: Functions that return a module, or its globals.
_MODULES = words("globals import_module __import__")
#: Decorators of methods that are read as attributes.
_COMPUTED = words("property cached_property")
#: What leads to any object there is.
_REFLECTING = words("f_back f_locals f_globals get_objects get_referrers from_address")
_CONTAINERS = (list, tuple, dict, set, frozenset, deque)


class ValueAliases:
    """Resolves the terms of a source among live objects.

    `observed` are the arguments with which a pass has called functions, by their numbers: only they count for the
    functions that it ran, if `only_observed`. Otherwise what code stores, hands over and returns anywhere counts too,
    once `settle` has followed it.
    """

    def __init__(
        self, source: ModuleSource, live: LiveObjects, observed: Mapping[int, Mapping[str, list[Any]]]
    ) -> None:
        self.source = source
        self.live = live
        self.observed = observed
        self.only_observed = False
        self._known: dict[tuple[bool, int, Any], ResolvedValue] = {}
        self._earlier: dict[tuple[bool, int, Any], ResolvedValue] = {}
        self._taken: dict[tuple[bool, int, Any], ResolvedValue] = {}
        self._resolving: set[tuple[bool, int, Any]] = set()
        self._new: dict[Any, tuple[FunctionSource, Term]] = {}
        self._by_code = {(each.module, each.row, each.name): each for each in source.functions}
        self.calls = SettingCalls(source)
        self._kept = KeptValues()
        self._items: dict[tuple[frozenset[Any], Key], ResolvedValue] = {}
        self._expanded: set[Any] = set()
        self._of_class_named: dict[str, ResolvedValue] = {}
        self._left = _MOST_WORK
        #: What code hands to what may call any function of the project.
        self._loose: frozenset[Any] = frozenset()

        self._living: dict[int, list[FunctionType]] = {}
        for functions in live.functions.values():
            for function in functions:
                known = self.function_of(function)
                if known is not None:
                    self._living.setdefault(known.number, []).append(function)

    def settle(self) -> None:
        """Follow what code stores and hands over, until nothing new is found."""
        for _ in range(_ROUNDS):
            self._known.clear()
            self._taken.clear()
            self._items.clear()
            self._expanded.clear()
            size = (self._kept.size, len(self._loose))
            for function in self.source.functions:
                self._follow(function)
            late = any(self._known.get(key) != value for key, value in self._taken.items())
            if (not late and size == (self._kept.size, len(self._loose))) or self._left <= 0:
                break
        self._known.clear()
        self._items.clear()
        # What is asked for is followed as far once more.
        self._left = _MOST_WORK

    def _follow(self, function: FunctionSource) -> None:
        for write in function.writes:
            if write.kind in (STORE, PUT) and write.by.kind not in (PLAIN, TEXT):
                self._keep(function, write.target, write.by, write.name if write.kind == PUT else f".{write.name}")
            elif write.kind == BIND and write.target.kind not in (PLAIN, TEXT):
                self._kept.add(("name", function.module), f".{write.name}", self.value(function, write.target))
            elif write.kind == METHOD and write.by.parts and not self.calls.has(str(write.name)):
                for part in (*write.by.arguments, *write.by.named.values()):
                    if part.kind not in (PLAIN, TEXT):
                        self._keep(function, write.target, part, None)
        for call in function.calls:
            self._hand_over(function, call.term)

    def _keep(self, function: FunctionSource, target: Term, stored: Term, key: Key) -> None:
        value = self.value(function, stored)
        if not (value.things or value.inside or value.unknown):
            return
        owner, value = self.value(function, target), self._born(value)
        self._left -= len(owner.things) // _PER_UNIT
        for thing in owner.things:
            self._kept.add(("class", thing[1]) if thing[0] == "made" else thing, key, value)
        if owner.unknown and isinstance(key, str) and key.startswith("."):
            self._kept.add(None, key, value)

    def _born(self, value: ResolvedValue) -> ResolvedValue:
        """Return a value outside of the constructor that makes it."""
        made = [thing[1] for thing in value.things if thing[0] == "made"]
        return _joined([value, *(self._instances(name) for name in made)]) if made else value

    def _hand_over(self, function: FunctionSource, call: Term) -> None:
        """Record the arguments of a call of an unknown function, or of a function that may call the project's code."""
        if self.calls.is_direct(function, call):
            return
        called = self.value(function, call.owner)
        values = [self.value(function, part) for part in (*call.arguments, *call.named.values())]
        calls_back = any(self._calls_back(thing) for value in values for thing in value.things | value.inside)
        if not calls_back and called.things and all(self._is_harmless(thing) for thing in called.things):
            return
        self._loose |= self._deep([*map(self._born, values)])

    def _is_harmless(self, thing: Any) -> bool:
        """Whether a function of a library only reads what it gets, or a method keeps it in its object."""
        if thing[0] == "bound":
            return self.object_of(thing[1]) is not None or thing[1][0] != "of"
        held = self.object_of(thing)
        if is_block(held):
            return True
        name = str(raw_attribute(held, "__name__", ""))
        return held is not None and not self._is_project(held) and function_leaves_alone(held, name)

    def _is_project(self, held: Any) -> bool:
        inner = raw_attribute(held, "__wrapped__", raw_attribute(held, "__func__", held))
        return self.live.is_project(raw_attribute(inner, "__module__", ""))

    def _calls_back(self, thing: Any) -> bool:
        if thing[0] in (CODE, "type"):
            return True
        held = self.object_of(thing)
        return isinstance(held, (FunctionType, MethodType, functools.partial, type)) and self._is_project(held)

    def _deep(self, values: Iterable[ResolvedValue]) -> frozenset[Any]:
        """Return the things of values, and of their containers and callables, that earlier calls did not return."""
        found: set[Any] = set()
        pending = [thing for value in values for thing in value.things | value.inside]
        while pending:
            thing = pending.pop()
            if thing in self._expanded:
                continue
            self._expanded.add(thing)
            found.add(thing)
            held = self.object_of(thing)
            if isinstance(held, (MethodType, functools.partial)):
                pending += self.live_value(inside_of(held)).things
            elif thing[0] == "new" or isinstance(held, _CONTAINERS):
                inner = self.items(ResolvedValue(frozenset([thing])))
                pending += inner.things | inner.inside
        return frozenset(found)

    # -- what is where

    def function_of(self, function: Any) -> FunctionSource | None:
        """Return the source of a function."""
        code, module = function.__code__, function.__module__
        return self._by_code.get((module, code.co_firstlineno, code.co_name)) or self._by_code.get(
            (module, code.co_firstlineno, f"{code.co_name} =")
        )

    def source_of(self, code: Any, module: str) -> FunctionSource | None:
        """Return the source of the function of a module that has this code."""
        return self._by_code.get((module, code.co_firstlineno, code.co_name)) or self._by_code.get(
            (module, code.co_firstlineno, f"{code.co_name} =")
        )

    def _live_functions(self, function: FunctionSource) -> list[FunctionType]:
        return self._living.get(function.number, [])

    def object_of(self, thing: Any) -> Any:
        """Return the live object that a thing is, None for any other."""
        return self.live.by_id.get(thing[1]) if thing[0] == "live" else None

    def class_of(self, thing: Any) -> Any:
        """Return the class of what a thing is, None if that is not known."""
        if thing[0] in ("class", "made"):
            return self.live.class_named(thing[1])
        return self.live.by_id.get(thing[1]) if thing[0] == "of" else type(self.object_of(thing))

    def live_value(self, objects: Iterable[Any]) -> ResolvedValue:
        """Return a value for the live objects that may hold something that changes."""
        live = self.live
        held = (each for each in objects if is_held(each) or live.is_own(each) or id(each) in live.constants)
        return ResolvedValue(frozenset(map(self._thing, held)))

    def _thing(self, value: Any) -> Any:
        self.live.by_id.setdefault(id(value), value)
        return ("live", id(value))

    def value(self, function: FunctionSource, term: Term) -> ResolvedValue:
        """Return the value of a term in a function."""
        return self._resolve((self.only_observed, function.number, term), lambda: self._resolved(function, term))

    def _resolve(self, key: tuple[bool, int, Any], resolve: Callable[[], ResolvedValue]) -> ResolvedValue:
        """Return the cached value of a key, or compute it; a recursive lookup uses the value of an earlier round."""
        if key in self._known:
            return self._known[key]
        if key in self._resolving or len(self._resolving) > _DEEPEST:
            return self._taken.setdefault(key, self._earlier.get(key, _NONE))
        self._left -= 1
        if self._left < 0 and not self.only_observed:
            return self._earlier.get(key, _NONE)
        self._resolving.add(key)
        found = self._earlier.get(key, _NONE).with_(resolve()) if key in self._earlier else resolve()
        self._resolving.discard(key)
        self._left -= (len(found.things) + len(found.inside)) // _PER_UNIT
        self._known[key] = self._earlier[key] = found
        return found

    def _resolved(self, function: FunctionSource, term: Term) -> ResolvedValue:
        if term.kind in (ITEM, SLICE):
            owner = self.value(function, term.owner)
            return self.items(owner, term.name) if term.kind == ITEM else self._of_slice(owner)
        if term.kind == ANY:
            return _joined(self.value(function, part) for part in term.parts)
        if term.kind == CODE:
            return ResolvedValue(frozenset([(CODE, term.name)]))
        if term.kind == LOOSE:
            return ResolvedValue(self._loose, unknown=True)
        handlers = {
            NAME: self._of_name,
            ATTRIBUTE: self._of_attribute,
            CALL: self._of_call,
            FRESH: self._of_fresh,
            IMPORT: self._of_import,
            CLASS: self._of_class,
        }
        return handlers[term.kind](function, term) if term.kind in handlers else _NONE

    # -- names

    def _of_name(self, function: FunctionSource, term: Term) -> ResolvedValue:
        name = str(term.name)
        scope = function
        while not scope.is_module and not scope.has(name):
            inner = self._around(scope, name)
            scope = self.source.functions[scope.outer]
            if inner.things:
                return inner.with_(self._local(scope, name)) if not scope.is_module and scope.has(name) else inner
        if not scope.is_module:
            return self._local(scope, name)
        stored = self._kept.of([("name", scope.module)], f".{name}") if not self.only_observed else _NONE
        namespace = self.live.namespace(scope.module)
        if name in namespace:
            return self.live_value([namespace[name]]).with_(stored)
        if hasattr(builtins, name):
            return ResolvedValue(frozenset([self._thing(getattr(builtins, name))]))
        return self._local(scope, name).with_(stored) if scope.has(name) else stored

    def _of_import(self, function: FunctionSource, term: Term) -> ResolvedValue:
        module = self.live.imported(function.module, str(term.name))
        return _NONE if module is None else ResolvedValue(frozenset([self._thing(module)]))

    def _of_class(self, function: FunctionSource, term: Term) -> ResolvedValue:
        kind = self.live.class_named(str(term.name))
        return ResolvedValue(frozenset([("type", str(term.name)) if kind is None else self._thing(kind)]))

    def _around(self, function: FunctionSource, name: str) -> ResolvedValue:
        """Return the value that the live functions of a source have in a variable around them."""
        if self.only_observed and function.number in self.observed:
            return self.live_value(self.observed[function.number].get(name, []))
        held = map(closure_variables, self._live_functions(function))
        return self.live_value(variables[name] for variables in held if name in variables)

    def _local(self, function: FunctionSource, name: str) -> ResolvedValue:
        found = _joined(self.value(function, term) for term in function.assigned.get(name, []))
        if not self.only_observed:
            found = found.with_(self._kept.of([("name", function.module)], f".{name}"))
        if name in function.parameters:
            received = self._of_parameter(function, name)
            return found.with_(received) if function.assigned.get(name) else received
        if name in function.rest:
            return found.with_(self._of_rest(function, name))
        return found

    def _of_parameter(self, function: FunctionSource, name: str) -> ResolvedValue:
        if self.only_observed and function.number in self.observed:
            return self.live_value(self.observed[function.number].get(name, []))
        key = (self.only_observed, function.number, name)
        return self._resolve(key, lambda: self._received(function, name))

    def _received(self, function: FunctionSource, name: str) -> ResolvedValue:
        place = function.parameters.index(name)
        if function.bound and place == 0:
            if function.number in self.calls.constructing:
                return ResolvedValue(frozenset([("made", function.owner)]))
            return self._instances(function.owner)
        value = self._of_default(function, name)
        for site in self.calls.of(function):
            for part in site.given(function, name):
                given = self.value(site.caller, part)
                value = value.with_(given if function.number in self.calls.constructing else self._born(given))
        loose = self.calls.is_loose(function)
        if loose:
            used = function.seen.get(name, set())
            value = value.with_(ResolvedValue(frozenset(thing for thing in self._loose if self._may_be(thing, used))))
        return value._replace(unknown=value.unknown or loose or not self.calls.of(function), made=False)

    def _may_be(self, thing: Any, used: set[str]) -> bool:
        """Whether a thing has all the attributes that code uses of it."""
        held = self.object_of(thing)
        if held is None or is_code(held):
            return True
        own = self.live.is_own(held)
        return all(hasattr(type(held), name) or (own and name in attributes(held)) for name in used)

    def _of_default(self, function: FunctionSource, name: str) -> ResolvedValue:
        if name not in function.defaults:
            return _NONE
        held = [
            value for each in self._live_functions(function) for key, value in _defaults(each).items() if key == name
        ]
        outer = self.source.functions[function.outer]
        return self.live_value(held) if held else self.value(outer, function.defaults[name])

    def _of_rest(self, function: FunctionSource, name: str) -> ResolvedValue:
        value = _NONE
        for site in self.calls.of(function):
            for part in (*site.call.arguments, *site.call.named.values()):
                value = value.with_(self._born(self.value(site.caller, part)))
        if self.calls.is_loose(function):
            value = value.with_(ResolvedValue(self._loose, unknown=True))
        return ResolvedValue(frozenset(), value.things | value.inside, value.unknown)

    def _instances(self, cls: str) -> ResolvedValue:
        if cls not in self._of_class_named:
            self._of_class_named[cls] = self._all_instances(cls)
        return self._of_class_named[cls]

    def _all_instances(self, cls: str) -> ResolvedValue:
        things = self.live_value(self.live.instances(cls)).things
        kind = self.live.class_named(cls)
        held = [self._thing(kind)] if kind is not None else []
        # A class method gets the class in place of an instance.
        return ResolvedValue(things | {("class", cls)} | frozenset(held))

    # -- parts

    def items(self, value: ResolvedValue, key: Key = None) -> ResolvedValue:
        """Return the possible items of a value."""
        known = (value.things, key)
        if self.only_observed or known not in self._items:
            found = self._of_items(value.things, key)
            if self.only_observed:
                return found._replace(unknown=found.unknown or value.unknown).with_(
                    ResolvedValue(value.inside, value.inside)
                )
            self._items[known] = found
        found = self._items[known]
        return _joined(
            [found._replace(unknown=found.unknown or value.unknown), ResolvedValue(value.inside, value.inside)]
        )

    def _of_items(self, owners: frozenset[Any], key: Key) -> ResolvedValue:
        things: set[Any] = set()
        inside: set[Any] = set()
        unknown = False
        for thing in owners:
            if thing[0] == "new":
                inner = self._of_part(thing[1], key)
                things |= inner.things
                inside |= inner.inside
                unknown |= inner.unknown
                continue
            held = self.object_of(thing)
            things |= self.items(ResolvedValue(frozenset(thing[1:])), key).things if thing[0] == "copy" else set()
            things |= self._items_of(held, key)
        if not self.only_observed:
            kept = self._kept.of(owners, key)
            things |= kept.things | kept.inside
            inside |= kept.inside
        return ResolvedValue(frozenset(things), frozenset(inside), unknown)

    def _items_of(self, held: Any, key: Key) -> frozenset[Any]:
        if isinstance(held, np.ndarray):
            return frozenset([self._thing(held)]) if held.ndim > 1 or held.dtype == object else frozenset()
        if is_block(held):
            return self.live_value(contents(held)).things
        owner = self.live.owners.get(id(held))
        if owner is not None and isinstance(key, str):
            return self.attribute(self._thing(owner), key).things
        if self.live.is_own(held) and not isinstance(held, (list, tuple, dict, set)):
            methods = ("__getitem__", "__iter__")
            return _joined(self._returned_by(self._thing(held), method) for method in methods).things
        return self.live_value(_by_key(held, key)).things

    def _of_part(self, number: Any, key: Key) -> ResolvedValue:
        function, term = self._new[number]
        if isinstance(key, str) and key in term.named:
            return self.value(function, term.named[key])
        if isinstance(key, int) and not term.keywords and 0 <= key < len(term.parts):
            return self.value(function, term.parts[key])
        return _joined(self.value(function, part) for part in term.parts)

    def _of_fresh(self, function: FunctionSource, term: Term) -> ResolvedValue:
        number = (function.number, term.name)
        self._new[number] = (function, term)
        return ResolvedValue(frozenset([("new", number)]), made=True)

    def _of_slice(self, value: ResolvedValue) -> ResolvedValue:
        views = frozenset(thing for thing in value.things if isinstance(self.object_of(thing), np.ndarray))
        inner = self.items(value)
        return ResolvedValue(views, inner.things | inner.inside, value.unknown and bool(views))

    # -- attributes

    def _of_attribute(self, function: FunctionSource, term: Term) -> ResolvedValue:
        name = str(term.name)
        if name in _REFLECTING and not self.only_observed:
            return self._anything()
        owner = self.value(function, term.owner)
        found = _joined(self.attribute(thing, name) for thing in owner.things)
        if owner.unknown:
            owners = self.owners_of(function, term.owner, name)
            found = found.with_(_joined(self.attribute(self._thing(each), name) for each in owners))
            numbers = frozenset((CODE, each.number) for each in self.calls.methods.get(name, ()))
            found = found.with_(ResolvedValue(numbers, unknown=True)).with_(self._kept.of([None], f".{name}"))
        inside = frozenset(owner.inside)
        return found._replace(things=found.things, inside=found.inside | inside, made=False)

    def _anything(self) -> ResolvedValue:
        """Return the value that may be any live object."""
        return ResolvedValue(frozenset(("live", each) for each in self.live.by_id), unknown=True)

    def attribute(self, thing: Any, name: str) -> ResolvedValue:
        """Return the possible values of an attribute of a thing."""
        found = self._attribute(thing, name)
        if self.only_observed:
            return found
        owners = [None, thing]
        kind = self.class_of(thing) if thing[0] != "live" or self.live.is_own(self.object_of(thing)) else None
        owners += [("class", each) for each in self.source.order(str(raw_attribute(kind, "__name__", thing[1])))]
        found = found.with_(self._kept.of(owners, f".{name}"))
        if found.unknown and not found.things and thing[0] != "live":
            # What passes attributes on may be any object that has one of this name.
            found = found.with_(_joined(self._attribute(self._thing(each), name) for each in self.live.owning({name})))
        return found

    def owners_of(self, function: FunctionSource, term: Term, name: str) -> list[Any]:
        """Return the possible objects of an unknown term: objects with all attributes that code uses of it.

        Code may use some attributes for objects of one class of the module, and some for those of another.
        """
        text = text_of(term)
        of_self = term.kind == ATTRIBUTE and function.owner
        functions = [each for each in self.source.functions if each.owner == function.owner] if of_self else [function]
        used = {name, *(each for other in functions for each in other.seen.get(text, ()) if text)}
        owners = self.live.owning(used)
        if owners or any(used <= names for names in self.source.attributes.values()):
            return owners
        every = {each for names in self.source.attributes.values() for each in names}
        return self.live.owning({name}) if all(each in every or self.live.has(each) for each in used) else []

    def _attribute(self, thing: Any, name: str) -> ResolvedValue:
        kind, of = thing[0], thing[1]
        if kind in ("class", "made", "type"):
            return self._of_unborn(of, name, thing)
        if kind == "copy":
            inner = self._attribute(of, name)
            parts = (("bound", thing, *each[2:]) if each[:2] == ("bound", of) else each for each in inner.things)
            return inner._replace(things=frozenset(parts))
        if kind != "live":
            return ResolvedValue(frozenset([("bound", thing, name)]))
        held = self.object_of(thing)
        if name in ("__dict__", "__class__"):
            return self._of_any_object(held, name)
        if isinstance(held, np.ndarray):
            copied = name in copying_array_methods()
            return ResolvedValue(frozenset([("bound", thing, name)]) | (frozenset() if copied else frozenset([thing])))
        own = self.live.is_own(held) and not isinstance(held, ModuleType)
        return self._of_own(held, thing, name) if own else self._of_library(held, thing, name)

    def _of_any_object(self, held: Any, name: str) -> ResolvedValue:
        if name == "__class__" or isinstance(held, type):
            return self.live_value([type(held) if name == "__class__" else held])
        inner = raw_attribute(held, "__dict__", None)
        if inner is None:
            return _NONE
        self.live.owners[id(inner)] = held
        return self.live_value([inner])

    def _of_library(self, held: Any, thing: Any, name: str) -> ResolvedValue:
        """Return an attribute of an object of a library, whose methods are bound to it."""
        holders = (ModuleType, FunctionType, MethodType, functools.partial)
        if isinstance(held, holders) or not callable(getattr(type(held), name, None)):
            try:
                return self.live_value([getattr(held, name)])
            except Exception:
                return _NONE
        return ResolvedValue(frozenset([("bound", thing, name)]))

    def _of_own(self, held: Any, thing: Any, name: str) -> ResolvedValue:
        """Return an attribute of an instance of the module's classes, or of such a class, without running its code."""
        try:
            raw = inspect.getattr_static(held, name)
        except AttributeError:
            return self.fields(type(held).__name__, name)
        getter = raw_attribute(raw, "func" if type(raw).__name__ == "cached_property" else "fget", None)
        if isinstance(getter, FunctionType):
            return self._result_of(getter)
        function = raw if isinstance(raw, MethodType) else raw_attribute(raw, "__func__", raw)
        if isinstance(function, (FunctionType, MethodType)):
            return self.live_value([function])
        return self._of_descriptor(held, thing, name, raw)

    def _of_descriptor(self, held: Any, thing: Any, name: str, raw: Any) -> ResolvedValue:
        """Return an attribute that a descriptor may compute, or the attribute itself."""
        if type(raw).__name__ == "member_descriptor":
            return self.live_value([raw_attribute(held, name)])
        if isinstance(getattr(type(raw), "__get__", None), WrapperDescriptorType) and not isinstance(held, type):
            return self.live_value([raw_attribute(held, name)])
        if hasattr(type(raw), "__get__") and not isinstance(raw, (type, functools.partial, MethodType)):
            inner = contents(raw_attribute(held, "__dict__", {})) if not isinstance(held, type) else []
            return ResolvedValue(frozenset([("bound", thing, name)]), self.live_value(inner).things)
        kind = held.__name__ if isinstance(held, type) else type(held).__name__
        return self.live_value([raw]).with_(self.fields(kind, name))

    def _of_unborn(self, cls: str, name: str, thing: Any) -> ResolvedValue:
        """Return an attribute of an instance that is not there yet; one that its class does not tell is unknown."""
        method = self.source.method(cls, name)
        if method is not None:
            is_property = any(each in _COMPUTED for each in method.decorators)
            return self._returned(method) if is_property else ResolvedValue(frozenset([(CODE, method.number)]))
        if name == "__dict__":
            return ResolvedValue(frozenset([("bound", thing, name)]))
        kind = self.live.class_named(cls)
        shared = self._attribute(self._thing(kind), name) if kind is not None else _NONE
        found = self.fields(cls, name).with_(shared)
        getters = [self.source.method(cls, each) for each in ("__getattr__", "__getattribute__")]
        found = _joined([found, *(self._returned(each) for each in getters if each is not None)])
        known = found.things or name in self.source.attributes.get(cls, ())
        return found if known or found.made else found.with_(ResolvedValue(self._loose, unknown=True))

    def fields(self, cls: str, name: str) -> ResolvedValue:
        """Return the values that the code of a class stores in an attribute of its instances."""
        if self.only_observed:
            return _NONE
        return self._resolve((False, -1, (cls, name)), lambda: self._stored_in(cls, name))

    def _stored_in(self, cls: str, name: str) -> ResolvedValue:
        found = _NONE
        for owner in self.source.order(cls):
            for function in (each for each in self.source.functions if each.owner == owner and each.parameters):
                first = Term(NAME, (), function.parameters[0])
                for write in function.writes:
                    if write.kind == "store" and write.name == name and write.target == first:
                        found = found.with_(self._born(self.value(function, write.by)))
        return found

    # -- calls

    def _of_call(self, function: FunctionSource, term: Term) -> ResolvedValue:
        if term.owner == Term(NAME, (), "super") and function.parameters:
            return self.value(function, Term(NAME, (), function.parameters[0]))
        if term.owner.kind == ATTRIBUTE and term.owner.name == "__new__" and function.owner:
            return ResolvedValue(frozenset([("made", function.owner)]), made=True)
        called = self.value(function, term.owner)
        given = [self.value(function, part) for part in (*term.arguments, *term.named.values())]
        found = _joined(self._result(thing, given, called.inside) for thing in called.things)
        if term.owner.kind in (NAME, ATTRIBUTE) and str(term.owner.name) in _REFLECTING:
            return self._anything()
        # What a library returns is no object of the module, unless code gives it one of which nothing is known.
        unknown = called.unknown or any(value.unknown for value in given)
        if not called.things:
            result = ResolvedValue(frozenset(), self._reach(given) | called.inside, unknown, made=not called.unknown)
            return result.with_(self._of_any_function()) if called.unknown else result
        return found._replace(unknown=found.unknown and (unknown or self._calls_ours(called)))

    def _of_any_function(self) -> ResolvedValue:
        """Return the results of functions that code passes around."""
        return self._resolve(
            (self.only_observed, -2, None),
            lambda: _joined(map(self._returned, self.calls.handed()))._replace(unknown=True, made=False),
        )

    def _calls_ours(self, called: ResolvedValue) -> bool:
        """Whether a function of the module may be called, whose result may be anything."""
        held = (self.object_of(thing) for thing in called.things)
        return any(thing[0] == CODE for thing in called.things) or any(
            isinstance(raw_attribute(each, "__func__", each), FunctionType) for each in held
        )

    def _result(self, thing: Any, given: list[ResolvedValue], inside: frozenset[Any]) -> ResolvedValue:
        if thing[0] == CODE:
            return self._returned(self.source.functions[thing[1]])
        if thing[0] == "type":
            return self._made_by(thing[1], given)
        if thing[0] == "of":
            # An object of a library may give back what it was made of, as a weak reference does.
            return ResolvedValue(inside, self._reach(given) | inside)
        if thing[0] in ("class", "made"):
            return self._returned_by_class(thing[1], "__call__")
        if thing[0] == "bound":
            return self._of_method(thing[1], thing[2], [ResolvedValue(frozenset(), inside), *given])
        return self._of_live_call(thing, given, inside)

    def _made_by(self, cls: str, given: list[ResolvedValue]) -> ResolvedValue:
        """Return the instance that a call of a class makes; without a constructor, it holds the call's arguments."""
        inside = frozenset() if self.source.method(cls, "__init__") is not None else self._reach(given)
        return self._instances(cls)._replace(made=True, inside=inside)

    def _of_live_call(self, thing: Any, given: list[ResolvedValue], inside: frozenset[Any]) -> ResolvedValue:
        held = self.object_of(thing)
        if isinstance(held, functools.partial):
            return self._result(self._thing(held.func), given, inside)
        if isinstance(held, type) and self.live.is_own(held):
            return self._made_by(held.__name__, given)
        function = raw_attribute(held, "__func__", raw_attribute(held, "__wrapped__", held))
        if isinstance(held, ref):
            return self.live_value([held()])
        if isinstance(function, FunctionType) and self._is_ours(function):
            return self._result_of(function)
        if self.live.is_own(held):
            return _NONE if is_block(held) else self._returned_by(thing, "__call__")
        return self._of_library_call(held, given) if callable(held) else _NONE

    def _of_library_call(self, held: Any, given: list[ResolvedValue]) -> ResolvedValue:
        name = str(raw_attribute(held, "__name__", type(held).__name__))
        if name in _MODULES:
            modules = self.live.modules.values()
            return self.live_value(map(vars, modules) if name == "globals" else modules)
        if name == "getattr" and given:
            return _joined([self._all_of(given[0]), *given[2:]])
        if name in _NEW or (name in _SHALLOW and given and raw_attribute(held, "__module__", "") in _COPIERS):
            copied = frozenset(("copy", thing) for value in given[:1] for thing in value.things if name in _SHALLOW)
            return ResolvedValue(copied, self._reach(given[1:]) if copied else frozenset(), made=True)
        array = frozenset(thing for value in given for thing in value.things if self._is_array(thing))
        if str(raw_attribute(held, "__module__", "")).startswith("numpy") and array and not gives_view(held):
            array = frozenset()
        same = frozenset(thing for value in given for thing in value.things) if name in _SAME else frozenset()
        if isinstance(held, type):
            return self._of_library_type(held, same, given)
        if name in _CHOOSING:
            reached = self._contained(given)
            return ResolvedValue(same | reached, reached, any(value.unknown for value in given))
        is_copy = raw_attribute(held, "__module__", None) in ("builtins", "copy", None)
        return ResolvedValue(
            same | array, self._contained(given) if is_copy else self._reach(given), made=not same | array
        )

    def _of_library_type(self, held: type, same: frozenset[Any], given: list[ResolvedValue]) -> ResolvedValue:
        """Return an instance of a library's class, which copies or keeps its arguments."""
        self.live.by_id.setdefault(id(held), held)
        copies = raw_attribute(held, "__module__", "") in _COPYING
        inside = self._contained(given) if copies else self._reach(given)
        return ResolvedValue(same | {("of", id(held))}, inside, made=not same)

    def _all_of(self, owner: ResolvedValue) -> ResolvedValue:
        held = [self.object_of(thing) for thing in owner.things]
        return self.live_value(inner for each in held for inner in contents(raw_attribute(each, "__dict__", {})))

    def _of_method(self, thing: Any, name: str, given: list[ResolvedValue]) -> ResolvedValue:
        """Return the result of a method of a library's object, or of a new container."""
        held = self.object_of(thing)
        owner = ResolvedValue(frozenset([thing]))
        if self._is_array(thing):
            return ResolvedValue(made=True) if name in copying_array_methods() else owner
        inner = self.items(owner).with_(self.items(given[0]))
        if name in _PARTS:
            return ResolvedValue(inner.things | self._contained(given[2:]), inner.inside | inner.things)
        if isinstance(held, ModuleType):
            return _NONE
        return ResolvedValue(
            frozenset(), inner.things | inner.inside | self._reach(given), unknown=held is None, made=True
        )

    def _result_of(self, function: FunctionType) -> ResolvedValue:
        source = self.function_of(function) if self._is_ours(function) else None
        return _NONE if source is None else self._returned(source)

    def _returned(self, function: FunctionSource) -> ResolvedValue:
        return self._born(_joined(self.value(function, term) for term in function.returned))

    def _returned_by_class(self, cls: str, method: str) -> ResolvedValue:
        found = self.source.method(cls, method)
        return _NONE if found is None else self._returned(found)

    def _returned_by(self, thing: Any, method: str) -> ResolvedValue:
        held = self.object_of(thing)
        found = getattr(type(held), method, None)
        return self._result_of(found) if isinstance(found, FunctionType) else _NONE

    def _is_ours(self, function: FunctionType) -> bool:
        return self.live.is_project(function.__module__)

    def _is_array(self, thing: Any) -> bool:
        return isinstance(self.object_of(thing), np.ndarray)

    def _contained(self, values: Iterable[ResolvedValue]) -> frozenset[Any]:
        found: frozenset[Any] = frozenset()
        for value in values:
            inner = self.items(value)
            found |= inner.things | inner.inside
        return found

    def _reach(self, values: Iterable[ResolvedValue]) -> frozenset[Any]:
        values = list(values)
        return self._contained(values) | frozenset(thing for value in values for thing in value.things)


def _by_key(held: Any, key: Key) -> list[Any]:
    """Return the item of a container that has a key, or all of them if that is not known."""
    if isinstance(held, (list, tuple)) and isinstance(key, int) and -len(held) <= key < len(held):
        return [held[key]]
    return [held[key]] if key is not None and isinstance(held, dict) and key in held else contents(held)


def _defaults(function: FunctionType) -> dict[str, Any]:
    code = function.__code__
    names = code.co_varnames[: code.co_argcount]
    plain = function.__defaults__ or ()
    return {**dict(zip(names[len(names) - len(plain) :], plain)), **(function.__kwdefaults__ or {})}  # noqa: B905
