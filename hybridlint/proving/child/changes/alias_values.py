"""Which live objects the expressions of a source may stand for: terms, resolved among the objects of a built block."""

from __future__ import annotations

import builtins
import functools
import inspect
from collections.abc import Iterable, Iterator, Mapping
from types import FunctionType, MethodType, ModuleType, WrapperDescriptorType
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import numpy as np

from hybridlint.proving.child.changes.array_methods import copying_array_methods, gives_view
from hybridlint.proving.child.changes.live_objects import LiveObjects, closed, contents, is_block, is_held
from hybridlint.proving.child.changes.source_functions import FunctionSource, ModuleSource
from hybridlint.proving.child.changes.source_terms import (
    ANY,
    ATTRIBUTE,
    CALL,
    CODE,
    FRESH,
    ITEM,
    NAME,
    SLICE,
    Term,
    text_of,
)
from hybridlint.proving.child.own_attributes import raw_attribute
from hybridlint.proving.child.words import words

if TYPE_CHECKING:
    from hybridlint.proving.child.changes.source_terms import Key

# A thing stands for an object: ("live", its id), ("new", what makes it), ("class", the name of its class) for an
# instance that is not there yet, ("of", the id of its class) if a library defines that, ("code", the number of a
# function), or ("bound", thing, method).

#: Methods that return a part of their container; all others of containers return something new.
_PARTS = words("get pop popitem popleft setdefault __getitem__ __next__ parents maps")
#: Functions that return a part of what they get; all others of Python's own return something new.
_CHOOSING = words("next max min getattr reduce choice getitem nullcontext ref proxy")
#: Functions that return what they get itself.
_SAME = words("iter memoryview cast nullcontext reversed enumerate proxy aiter")
_DEEPEST = 60


class Value(NamedTuple):
    """What an expression may stand for: things, and those that a new container of unknown structure may hold.

    `unknown` says that it may be anything else; `made` that code has built it just there.
    """

    things: frozenset[Any] = frozenset()
    inside: frozenset[Any] = frozenset()
    unknown: bool = False
    made: bool = False

    def with_(self, other: Value) -> Value:
        """Return a value that may be either of two values."""
        return Value(
            self.things | other.things,
            self.inside | other.inside,
            self.unknown or other.unknown,
            self.made and other.made,
        )


_NONE = Value()


class Aliases:
    """Resolves the terms of a source among live objects.

    `observed` are the arguments with which a pass has called functions, by their numbers: only they count for the
    functions that it ran, if `only_observed`.
    """

    def __init__(
        self, source: ModuleSource, live: LiveObjects, observed: Mapping[int, Mapping[str, list[Any]]]
    ) -> None:
        self.source = source
        self.live = live
        self.observed = observed
        self.only_observed = False
        self._known: dict[tuple[bool, int, Term], Value] = {}
        self._resolving: set[tuple[bool, int, Any]] = set()
        self._new: dict[Any, tuple[FunctionSource, Term]] = {}
        self._cut = 0
        self._by_code = {(function.row, function.name): function for function in source.functions}
        self._classes = set(source.bases)
        self._calls = self._call_sites()
        self._escaping = self._escaped()

        self._living: dict[int, list[FunctionType]] = {}
        for code, functions in live.functions.items():
            known = self.function_of(code)
            if known is not None:
                self._living.setdefault(known.number, []).extend(functions)

    # -- what is where

    def function_of(self, code: Any) -> FunctionSource | None:
        """Return the source of the function that has this code."""
        return self._by_code.get((code.co_firstlineno, code.co_name)) or self._by_code.get(
            (code.co_firstlineno, f"{code.co_name} =")
        )

    def _live_functions(self, function: FunctionSource) -> list[FunctionType]:
        return self._living.get(function.number, [])

    def object_of(self, thing: Any) -> Any:
        """Return the live object that a thing is, None for any other."""
        return self.live.by_id.get(thing[1]) if thing[0] == "live" else None

    def class_of(self, thing: Any) -> Any:
        """Return the class of what a thing is, None if that is not known."""
        if thing[0] == "class":
            return vars(self.live.module).get(thing[1])
        return self.live.by_id.get(thing[1]) if thing[0] == "of" else type(self.object_of(thing))

    def live_value(self, objects: Iterable[Any]) -> Value:
        """Return a value for live objects, as far as they may hold something that changes."""
        live = self.live
        held = (each for each in objects if is_held(each) or live.is_own(each) or id(each) in live.constants)
        return Value(frozenset(map(self._thing, held)))

    def _thing(self, value: Any) -> Any:
        self.live.by_id.setdefault(id(value), value)
        return ("live", id(value))

    def value(self, function: FunctionSource, term: Term) -> Value:
        """Return what a term stands for in a function."""
        key = (self.only_observed, function.number, term)
        if key in self._known:
            return self._known[key]
        if key in self._resolving or len(self._resolving) > _DEEPEST:
            self._cut += 1
            return _NONE
        cut = self._cut
        self._resolving.add(key)
        found = self._resolved(function, term)
        self._resolving.discard(key)
        if cut == self._cut or not self._resolving:
            self._known[key] = found
        return found

    def _resolved(self, function: FunctionSource, term: Term) -> Value:
        if term.kind in (ITEM, SLICE):
            owner = self.value(function, term.owner)
            return self.items(owner, term.name) if term.kind == ITEM else self._of_slice(owner)
        if term.kind == ANY:
            return _joined(self.value(function, part) for part in term.parts)
        if term.kind == CODE:
            return Value(frozenset([(CODE, term.name)]))
        handlers = {
            NAME: self._of_name,
            ATTRIBUTE: self._of_attribute,
            CALL: self._of_call,
            FRESH: self._of_fresh,
        }
        return handlers[term.kind](function, term) if term.kind in handlers else _NONE

    # -- names

    def _of_name(self, function: FunctionSource, term: Term) -> Value:
        name = str(term.name)
        scope: FunctionSource | None = function
        while scope is not None and scope.number and not scope.has(name):
            inner = self._around(scope, name)
            scope = self.source.functions[scope.outer] if scope.outer >= 0 else None
            if inner.things and scope is not None:
                return inner.with_(self._local(scope, name)) if scope.number and scope.has(name) else inner
        if scope is not None and scope.number:
            return self._local(scope, name)
        namespace = vars(self.live.module)
        if name in namespace:
            return self.live_value([namespace[name]])
        if hasattr(builtins, name):
            return Value(frozenset([self._thing(getattr(builtins, name))]))
        return self._local(self.source.functions[0], name) if self.source.functions[0].has(name) else _NONE

    def _around(self, function: FunctionSource, name: str) -> Value:
        """Return what the live functions of a source have in a variable around them."""
        if self.only_observed and function.number in self.observed:
            return self.live_value(self.observed[function.number].get(name, []))
        held = map(closed, self._live_functions(function))
        return self.live_value(variables[name] for variables in held if name in variables)

    def _local(self, function: FunctionSource, name: str) -> Value:
        found = _joined(self.value(function, term) for term in function.assigned.get(name, []))
        if name in function.parameters:
            return (
                found.with_(self._of_parameter(function, name))
                if function.assigned.get(name)
                else (self._of_parameter(function, name))
            )
        if name in function.rest and name not in function.assigned:
            return self._of_rest(function, name)
        return found

    def _of_parameter(self, function: FunctionSource, name: str) -> Value:
        if self.only_observed and function.number in self.observed:
            return self.live_value(self.observed[function.number].get(name, []))
        key = (self.only_observed, function.number, name)
        if key in self._resolving:
            self._cut += 1
            return _NONE
        self._resolving.add(key)
        try:
            return self._received(function, name)
        finally:
            self._resolving.discard(key)

    def _received(self, function: FunctionSource, name: str) -> Value:
        place = function.parameters.index(name)
        if function.bound and place == 0:
            return self._instances(function.owner)
        value = self._of_default(function, name)
        sites = self._calls.get(function.name if function.name != "__init__" else function.owner, [])
        known = False
        for caller, call, is_method in sites:
            shift = place - (1 if function.bound and is_method else 0)
            arguments = call.arguments
            if name in call.named:
                value, known = value.with_(self.value(caller, call.named[name])), True
            elif 0 <= shift < len(arguments) and place < function.positional:
                value, known = value.with_(self.value(caller, arguments[shift])), True
            else:
                known = True
        anything = not known or self._name_of(function) in self._escaping
        return value._replace(unknown=value.unknown or anything, made=False)

    def _of_default(self, function: FunctionSource, name: str) -> Value:
        if name not in function.defaults:
            return _NONE
        held = [
            value for each in self._live_functions(function) for key, value in _defaults(each).items() if key == name
        ]
        outer = self.source.functions[max(function.outer, 0)]
        return self.live_value(held) if held else self.value(outer, function.defaults[name])

    def _of_rest(self, function: FunctionSource, name: str) -> Value:
        value = _NONE
        for caller, call, _ in self._calls.get(function.name, []):
            for part in (*call.arguments, *call.named.values()):
                value = value.with_(self.value(caller, part))
        return Value(frozenset(), value.things | value.inside)

    def _instances(self, cls: str) -> Value:
        things = self.live_value(self.live.instances(cls)).things
        kind = vars(self.live.module).get(cls)
        held = [self._thing(kind)] if isinstance(kind, type) else []
        # A class method gets the class in place of an instance.
        return Value(things | {("class", cls)} | frozenset(held))

    def _name_of(self, function: FunctionSource) -> str:
        return function.owner if function.name == "__init__" else function.name

    # -- parts

    def items(self, value: Value, key: Key = None) -> Value:
        """Return what the items of a value may be."""
        things: set[Any] = set(value.inside)
        inside: set[Any] = set(value.inside)
        unknown = value.unknown
        for thing in value.things:
            if thing[0] == "new":
                inner = self._of_part(thing[1], key)
                things |= inner.things
                inside |= inner.inside
                unknown |= inner.unknown
                continue
            held = self.object_of(thing)
            things |= self._items_of(held, key)
        return Value(frozenset(things), frozenset(inside), unknown)

    def _items_of(self, held: Any, key: Key) -> frozenset[Any]:
        if isinstance(held, np.ndarray):
            return frozenset([self._thing(held)]) if held.ndim > 1 or held.dtype == object else frozenset()
        if is_block(held):
            return self.live_value(contents(held)).things
        owner = self.live.owners.get(id(held))
        if owner is not None and isinstance(key, str):
            return self._attribute(self._thing(owner), key).things
        if self.live.is_own(held) and not isinstance(held, (list, tuple, dict, set)):
            methods = ("__getitem__", "__iter__")
            return _joined(self._returned_by(self._thing(held), method) for method in methods).things
        return self.live_value(_by_key(held, key)).things

    def _of_part(self, number: Any, key: Key) -> Value:
        function, term = self._new[number]
        if isinstance(key, str) and key in term.named:
            return self.value(function, term.named[key])
        if isinstance(key, int) and not term.keywords and 0 <= key < len(term.parts):
            return self.value(function, term.parts[key])
        return _joined(self.value(function, part) for part in term.parts)

    def _of_fresh(self, function: FunctionSource, term: Term) -> Value:
        number = (function.number, term.name)
        self._new[number] = (function, term)
        return Value(frozenset([("new", number)]), made=True)

    def _of_slice(self, value: Value) -> Value:
        views = frozenset(thing for thing in value.things if isinstance(self.object_of(thing), np.ndarray))
        inner = self.items(value)
        return Value(views, inner.things | inner.inside, value.unknown and bool(views))

    # -- attributes

    def _of_attribute(self, function: FunctionSource, term: Term) -> Value:
        name = str(term.name)
        owner = self.value(function, term.owner)
        found = _joined(self._attribute(thing, name) for thing in owner.things)
        if owner.unknown:
            owners = self.owners_of(function, term.owner, name)
            found = found.with_(_joined(self._attribute(self._thing(each), name) for each in owners))
            found = found._replace(unknown=True)
        inside = frozenset(owner.inside)
        return found._replace(things=found.things, inside=found.inside | inside, made=False)

    def owners_of(self, function: FunctionSource, term: Term, name: str) -> list[Any]:
        """Return the objects that an unknown term may stand for: those with all attributes that code uses of it.

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

    def _attribute(self, thing: Any, name: str) -> Value:
        kind, of = thing[0], thing[1]
        if kind == "class":
            return self._of_unborn(of, name)
        if kind != "live":
            return Value(frozenset([("bound", thing, name)]))
        held = self.object_of(thing)
        if name in ("__dict__", "__class__"):
            return self._of_any_object(held, name)
        if isinstance(held, np.ndarray):
            copied = name in copying_array_methods()
            return Value(frozenset([("bound", thing, name)]) | (frozenset() if copied else frozenset([thing])))
        own = self.live.is_own(held) and not isinstance(held, ModuleType)
        return self._of_own(held, thing, name) if own else self._of_library(held, thing, name)

    def _of_any_object(self, held: Any, name: str) -> Value:
        if name == "__class__" or isinstance(held, type):
            return self.live_value([type(held) if name == "__class__" else held])
        inner = raw_attribute(held, "__dict__", None)
        if inner is None:
            return _NONE
        self.live.owners[id(inner)] = held
        return self.live_value([inner])

    def _of_library(self, held: Any, thing: Any, name: str) -> Value:
        """Return an attribute of an object of a library, whose methods are bound to it."""
        holders = (ModuleType, FunctionType, MethodType, functools.partial)
        if isinstance(held, holders) or not callable(getattr(type(held), name, None)):
            try:
                return self.live_value([getattr(held, name)])
            except Exception:
                return _NONE
        return Value(frozenset([("bound", thing, name)]))

    def _of_own(self, held: Any, thing: Any, name: str) -> Value:
        """Return an attribute of an instance of the module's classes, or of such a class, without running its code."""
        try:
            raw = inspect.getattr_static(held, name)
        except AttributeError:
            return self.fields(type(held).__name__, name)
        getter = raw_attribute(raw, "func" if type(raw).__name__ == "cached_property" else "fget", None)
        if isinstance(getter, FunctionType):
            return self._result_of(getter)
        function = raw_attribute(raw, "__func__", raw)
        if isinstance(function, FunctionType):
            return self.live_value([function])
        return self._of_descriptor(held, thing, name, raw)

    def _of_descriptor(self, held: Any, thing: Any, name: str, raw: Any) -> Value:
        """Return an attribute that a descriptor may compute, or the attribute itself."""
        if type(raw).__name__ == "member_descriptor":
            return self.live_value([raw_attribute(held, name)])
        if isinstance(getattr(type(raw), "__get__", None), WrapperDescriptorType) and not isinstance(held, type):
            return self.live_value([raw_attribute(held, name)])
        if hasattr(type(raw), "__get__") and not isinstance(raw, (type, functools.partial, MethodType)):
            inner = contents(raw_attribute(held, "__dict__", {})) if not isinstance(held, type) else []
            return Value(frozenset([("bound", thing, name)]), self.live_value(inner).things)
        kind = held.__name__ if isinstance(held, type) else type(held).__name__
        return self.live_value([raw]).with_(self.fields(kind, name))

    def _of_unborn(self, cls: str, name: str) -> Value:
        method = self.source.method(cls, name)
        if method is not None:
            return Value(frozenset([(CODE, method.number)]))
        kind = vars(self.live.module).get(cls)
        shared = self._attribute(self._thing(kind), name) if isinstance(kind, type) else _NONE
        return self.fields(cls, name).with_(shared)

    def fields(self, cls: str, name: str) -> Value:
        """Return what the code of a class stores in an attribute of its instances."""
        key = (self.only_observed, -1, (cls, name))
        if key in self._resolving or self.only_observed:
            return _NONE
        self._resolving.add(key)
        found = _NONE
        for owner in self.source.order(cls):
            for function in (each for each in self.source.functions if each.owner == owner and each.parameters):
                first = Term(NAME, (), function.parameters[0])
                for write in function.writes:
                    if write.kind == "store" and write.name == name and write.target == first:
                        found = found.with_(self.value(function, write.by))
        self._resolving.discard(key)
        return found

    # -- calls

    def _of_call(self, function: FunctionSource, term: Term) -> Value:
        if term.owner == Term(NAME, (), "super") and function.parameters:
            return self.value(function, Term(NAME, (), function.parameters[0]))
        called = self.value(function, term.owner)
        given = [self.value(function, part) for part in (*term.arguments, *term.named.values())]
        found = _joined(self._result(thing, given, called.inside) for thing in called.things)
        # What a library returns is no object of the module, unless code gives it one of which nothing is known.
        unknown = called.unknown or any(value.unknown for value in given)
        if not called.things:
            return Value(frozenset(), self._reach(given) | called.inside, unknown, made=not called.unknown)
        return found._replace(unknown=found.unknown and (unknown or self._calls_ours(called)))

    def _calls_ours(self, called: Value) -> bool:
        """Whether a function of the module may be called, whose result may be anything."""
        held = (self.object_of(thing) for thing in called.things)
        return any(thing[0] == CODE for thing in called.things) or any(
            isinstance(raw_attribute(each, "__func__", each), FunctionType) for each in held
        )

    def _result(self, thing: Any, given: list[Value], inside: frozenset[Any]) -> Value:
        if thing[0] == CODE:
            return self._returned(self.source.functions[thing[1]])
        if thing[0] == "bound":
            return self._of_method(thing[1], thing[2], [Value(frozenset(), inside), *given])
        return self._of_live_call(thing, given, inside)

    def _of_live_call(self, thing: Any, given: list[Value], inside: frozenset[Any]) -> Value:
        held = self.object_of(thing)
        if isinstance(held, functools.partial):
            return self._result(self._thing(held.func), given, inside)
        if isinstance(held, type) and self.live.is_own(held):
            return self._instances(held.__name__)._replace(made=True)
        function = raw_attribute(held, "__func__", raw_attribute(held, "__wrapped__", held))
        if isinstance(held, ref):
            return self.live_value([held()])
        if isinstance(function, FunctionType) and self._is_ours(function):
            return self._result_of(function)
        if self.live.is_own(held):
            return _NONE if is_block(held) else self._returned_by(thing, "__call__")
        return self._of_library_call(held, given) if callable(held) else _NONE

    def _of_library_call(self, held: Any, given: list[Value]) -> Value:
        name = str(raw_attribute(held, "__name__", type(held).__name__))
        if name == "globals":
            return self.live_value([vars(self.live.module)])
        if name == "getattr" and given:
            return _joined([self._all_of(given[0]), *given[2:]])
        if name == "deepcopy":
            return Value(made=True)
        array = frozenset(thing for value in given for thing in value.things if self._is_array(thing))
        if str(raw_attribute(held, "__module__", "")).startswith("numpy") and array and not gives_view(held):
            array = frozenset()
        if isinstance(held, type):
            same = frozenset(thing for value in given[:1] for thing in value.things) if name in _SAME else frozenset()
            made = frozenset([("of", id(held))])
            self.live.by_id.setdefault(id(held), held)
            return Value(same | made, self._contained(given), made=not same)
        same = frozenset(thing for value in given for thing in value.things) if name in _SAME else frozenset()
        if name in _CHOOSING:
            reached = self._contained(given)
            return Value(same | reached, reached, any(value.unknown for value in given))
        is_copy = raw_attribute(held, "__module__", None) in ("builtins", "copy", None)
        return Value(same | array, self._contained(given) if is_copy else self._reach(given), made=not same | array)

    def _all_of(self, owner: Value) -> Value:
        held = [self.object_of(thing) for thing in owner.things]
        return self.live_value(inner for each in held for inner in contents(raw_attribute(each, "__dict__", {})))

    def _of_method(self, thing: Any, name: str, given: list[Value]) -> Value:
        """Return what a method of a library's object, or of a new container, returns."""
        held = self.object_of(thing)
        owner = Value(frozenset([thing]))
        if self._is_array(thing):
            return Value(made=True) if name in copying_array_methods() else owner
        inner = self.items(owner).with_(self.items(given[0]))
        if name in _PARTS:
            return Value(inner.things | self._contained(given[2:]), inner.inside | inner.things)
        if isinstance(held, ModuleType):
            return _NONE
        return Value(frozenset(), inner.things | inner.inside | self._reach(given), unknown=held is None, made=True)

    def _result_of(self, function: FunctionType) -> Value:
        source = self.function_of(function.__code__) if self._is_ours(function) else None
        return _NONE if source is None else self._returned(source)

    def _returned(self, function: FunctionSource) -> Value:
        return _joined(self.value(function, term) for term in function.returned)

    def _returned_by(self, thing: Any, method: str) -> Value:
        held = self.object_of(thing)
        found = getattr(type(held), method, None)
        return self._result_of(found) if isinstance(found, FunctionType) else _NONE

    def _is_ours(self, function: FunctionType) -> bool:
        return function.__module__ == self.live.module.__name__

    def _is_array(self, thing: Any) -> bool:
        return isinstance(self.object_of(thing), np.ndarray)

    def _contained(self, values: Iterable[Value]) -> frozenset[Any]:
        found: frozenset[Any] = frozenset()
        for value in values:
            inner = self.items(value)
            found |= inner.things | inner.inside
        return found

    def _reach(self, values: Iterable[Value]) -> frozenset[Any]:
        values = list(values)
        return self._contained(values) | frozenset(thing for value in values for thing in value.things)

    # -- who calls whom

    def _call_sites(self) -> dict[str, list[tuple[FunctionSource, Term, bool]]]:
        """Return the calls of each name in the source: the caller, the call, and whether it is called on an object."""
        found: dict[str, list[tuple[FunctionSource, Term, bool]]] = {}
        for function in self.source.functions:
            for call in function.calls:
                owner = call.owner
                if owner.kind in (NAME, ATTRIBUTE):
                    on_object = owner.kind == ATTRIBUTE and str(owner.owner.name) not in self._classes
                    is_class = str(owner.name) in self._classes
                    found.setdefault(str(owner.name), []).append((function, call, on_object or is_class))
                partial = owner.name == "partial" and call.arguments
                if partial and call.arguments[0].kind in (NAME, ATTRIBUTE):
                    first = call.arguments[0]
                    inner = call._replace(parts=(first, *call.parts[2:]))
                    found.setdefault(str(first.name), []).append((function, inner, first.kind == ATTRIBUTE))
        return found

    def _escaped(self) -> set[str]:
        """Return the names that code uses other than to call them: such a function may get any arguments."""
        return {name for function in self.source.functions for term in _terms(function) for name in _used(term)}


def _terms(function: FunctionSource) -> Iterator[Term]:
    yield from function.returned
    for values in function.assigned.values():
        yield from values
    for call in function.calls:
        yield from call.parts[1:]


def _used(term: Term) -> Iterator[str]:
    if term.kind in (NAME, ATTRIBUTE):
        yield str(term.name)
    for place, part in enumerate(term.parts):
        if not (term.kind == CALL and place == 0):
            yield from _used(part)
        elif part.kind == ATTRIBUTE:
            yield from _used(part.owner)


def _joined(values: Iterable[Value]) -> Value:
    found: Value | None = None
    for value in values:
        found = value if found is None else found.with_(value)
    return _NONE if found is None else found


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
