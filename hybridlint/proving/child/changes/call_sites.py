"""Who calls each function of a source, which functions may be called by anyone, and which only make new objects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from hybridlint.proving.child.changes.source_functions import METHOD, STORE, FunctionSource, ModuleSource, SourceCall
from hybridlint.proving.child.changes.source_terms import ATTRIBUTE, CALL, CLASS, CODE, ITEM, NAME, SPREAD, Term
from hybridlint.proving.child.word_tables import words

#: Methods by which Python makes an object or a class.
MAKING = words("__init__ __post_init__ __setstate__ __init_subclass__ __set_name__")
#: Decorators after which a function gets just what its calls give.
_PLAIN = words("property cached_property staticmethod classmethod contextmanager abstractmethod lru_cache setter wraps")
#: How often callers of callers are looked at.
_ROUNDS = 3


class Site(NamedTuple):
    """A call, and the function that makes it; `bound` says that Python itself gives the first argument of a method."""

    caller: FunctionSource
    call: Term
    bound: bool = False
    row: int = 0

    def given(self, function: FunctionSource, name: str) -> Iterator[Term]:
        """Yield the terms that a parameter of a function may get from the call."""
        if name in self.call.named:
            yield self.call.named[name]
            return
        arguments = self.call.arguments
        place = function.parameters.index(name)
        index = place - (function.bound and self.bound)
        plain = next((number for number, part in enumerate(arguments) if _is_spread(part)), len(arguments))
        if 0 <= index < plain and place < function.positional:
            yield arguments[index]
        else:
            yield from filter(_is_spread, arguments)


class SettingCalls:
    """The calls of a source by the name of the callee. The name of a class means its constructor."""

    def __init__(self, source: ModuleSource) -> None:
        self._source = source
        self.methods: dict[str, list[FunctionSource]] = {}
        for function in source.functions:
            self.methods.setdefault(function.name.rpartition(" =")[0] or function.name, []).append(function)
        self._sites: dict[str, list[Site]] = {}
        for function in source.functions:
            for call in function.calls:
                for site in self._of_call(function, call):
                    self._sites.setdefault(str(site.call.owner.name), []).append(site)
            for write in (each for each in function.writes if each.kind == STORE):
                setter = f"{write.name} ="
                if any(each.name == setter for each in self.methods.get(str(write.name), ())):
                    site = Site(function, Term(CALL, (Term(NAME, (), setter), write.by)), bound=True)
                    self._sites.setdefault(setter, []).append(site)
        terms = {term for function in source.functions for term in _terms(function)}
        self._used = {name for term in terms for name in _used(term)}
        self._by_name = any(term.kind == CALL and term.owner.name == "getattr" for term in terms)
        orders = {name: source.order(name) for name in source.bases}
        self._heirs = {name: {each for each, order in orders.items() if name in order} for name in orders}
        #: By the name of a method, the numbers of the functions that call or name it.
        self._callers: dict[object, set[int]] = {}
        for function in source.functions:
            called = (call.term.owner.name for call in function.calls)
            named = (write.name for write in function.writes if write.kind == METHOD)
            for name in (*called, *named):
                self._callers.setdefault(name, set()).add(function.number)
        #: The numbers of the functions that work on an object that is being made.
        self.constructing = self._constructors()
        if self._is_made_anew():
            self.constructing = set()

    def has(self, name: str) -> bool:
        """Whether a function of the source has a name."""
        return name in self.methods

    def of(self, function: FunctionSource) -> list[Site]:
        """Return the calls that may be of a function."""
        if function.name == "__init__" and function.owner:
            names = [*self._heirs.get(function.owner, ()), "__init__"]
            return [site for name in names for site in self._sites.get(name, [])]
        return self._sites.get(function.name, [])

    def is_direct(self, function: FunctionSource, call: Term) -> bool:
        """Whether a call is one of a function or class of the source by its name."""
        name = str(call.owner.name)
        if any(each not in _PLAIN for other in self.methods.get(name, ()) for each in other.decorators):
            return False
        if call.owner.kind == NAME and function.has(name):
            return all(term.kind in (CODE, CLASS) for term in function.assigned.get(name, [])) and bool(
                function.assigned.get(name)
            )
        if call.owner.kind not in (NAME, ATTRIBUTE):
            return False
        return self.has(name) or (name in self._source.bases and self._source.method(name, "__init__") is not None)

    def is_loose(self, function: FunctionSource) -> bool:
        """Whether anyone may call a function: code hands it around, or Python itself calls it for an operator."""
        name = function.owner if function.name == "__init__" else function.name
        is_special = name.startswith("__") and name.endswith("__")
        handed = any(each in self._used for each in self._heirs.get(name, (name,)))
        return handed or is_special or self._by_name or any(each not in _PLAIN for each in function.decorators)

    def is_handed(self, name: str) -> bool:
        """Whether code uses a name other than to call it."""
        return name in self._used

    def handed(self) -> Iterator[FunctionSource]:
        """Yield the functions that code hands around."""
        return (function for function in self._source.functions if function.name in self._used)

    def calls(self, function: FunctionSource, name: str) -> bool:
        """Whether a function calls or names a method."""
        return function.number in self._callers.get(name, ())

    def _of_call(self, function: FunctionSource, made: SourceCall) -> Iterator[Site]:
        call, owner = made.term, made.term.owner
        if owner.kind in (NAME, ATTRIBUTE):
            on_object = owner.kind == ATTRIBUTE and str(owner.owner.name) not in self._source.bases
            yield Site(function, call, on_object or str(owner.name) in self._source.bases, made.row)
        if owner.name == "partial" and call.arguments and call.arguments[0].kind in (NAME, ATTRIBUTE):
            first = call.arguments[0]
            yield Site(function, call._replace(parts=(first, *call.parts[2:])), first.kind == ATTRIBUTE, made.row)

    def _constructors(self) -> set[int]:
        """Return the numbers of constructors, and of private functions that nothing but these calls."""
        found = {function.number for function in self._source.functions if function.owner and function.name in MAKING}
        private = [
            each
            for each in self._source.functions
            if each.name.startswith("_") and not self.is_handed(each.name) and (each.owner or each.outer >= 0)
        ]
        by_number = {function.number: function for function in self._source.functions}
        callers = {
            method.name: [by_number[number] for number in sorted(self._callers.get(method.name, ()))]
            for method in private
            if not (method.name.startswith("__") and method.name.endswith("__"))
        }
        for _ in range(_ROUNDS):
            for method in private:
                known = callers.get(method.name, [])
                if known and all(each.number in found or each is method for each in known):
                    found.add(method.number)
        return found

    def _is_made_anew(self) -> bool:
        """Whether code calls the constructor of an object that there is."""
        return any(
            call.term.owner.kind == ATTRIBUTE
            and call.term.owner.name in ("__init__", "__post_init__", "__setstate__")
            and function.number not in self.constructing
            for function in self._source.functions
            for call in function.calls
        )


def _is_spread(term: Term) -> bool:
    return term.kind == ITEM and term.keywords == (SPREAD,)


def _terms(function: FunctionSource) -> Iterator[Term]:
    yield from function.returned
    yield from function.read
    for values in function.assigned.values():
        yield from values
    for call in function.calls:
        yield from call.term.parts[1:]
    yield from (write.by for write in function.writes if write.kind != METHOD)
    yield from (call.term for call in function.calls if call.term.owner.name == "getattr")


def _used(term: Term) -> Iterator[str]:
    if term.kind in (NAME, ATTRIBUTE, CLASS):
        yield str(term.name)
    for place, part in enumerate(term.parts):
        if not (term.kind == CALL and place == 0):
            yield from _used(part)
        elif part.kind == ATTRIBUTE:
            yield from _used(part.owner)
