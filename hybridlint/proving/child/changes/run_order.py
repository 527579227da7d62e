"""Which writes come before a graph can have kept anything, or are followed by a new trace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hybridlint.proving.child.changes.alias_values import ValueAliases
from hybridlint.proving.child.changes.live_objects import is_block
from hybridlint.proving.child.changes.resolved_value import ResolvedValue
from hybridlint.proving.child.changes.source_functions import (
    STORE,
    FunctionSource,
    ModuleSource,
    SourceCall,
    Write,
)
from hybridlint.proving.child.changes.source_terms import ATTRIBUTE, CALL, ITEM, NAME, SLICE, Term, root_of

#: Most methods through which a new trace is followed.
_DEEPEST = 3
#: A call of ``super()``.
_SUPER = Term(CALL, (Term(NAME, (), "super"),))
#: Most names through which a new object is followed.
_MOST_NAMES = 4


class RunOrder:
    """Finds writes that cannot change anything behind a graph, by the calls before and after them."""

    def __init__(self, source: ModuleSource, aliases: ValueAliases, block: Any) -> None:
        self._source = source
        self._aliases = aliases
        self._kinds = {kind.__name__ for kind in type(block).__mro__}
        self._block = block
        self._running: set[int] | None = None
        self._tracing: dict[tuple[int, int], list[tuple[SourceCall, Term]]] = {}

    def is_behind(self, function: FunctionSource, write: Write) -> bool:
        """Whether a write comes before all calls of a block, or makes the next one trace again."""
        if self._is_before_all(function, write) or self._is_traced_anew(function, write):
            return True
        if write.kind != STORE:
            return False
        # What sets an attribute by the class's own method is seen where it does so.
        own = (Term(NAME, (), function.parameters[0]), _SUPER) if function.parameters else ()
        passes_on = function.name == "__setattr__" and write.name is None and write.target in own
        return passes_on or self._is_traced_by_class(function, write)

    def has_called(self, function: FunctionSource, write: Write) -> bool:
        """Whether a function calls something of its own before a write."""
        return any(
            call.row < write.last and call.term.owner.kind == NAME and function.has(str(call.term.owner.name))
            for call in function.calls
        )

    # -- at the import

    def _is_before_all(self, function: FunctionSource, write: Write) -> bool:
        """Whether a script's write comes before its first call of a block, or belongs to a decorator."""
        if function.is_module:
            return write.last < self._first_run(function)
        return self._decorates(function)

    def _decorates(self, function: FunctionSource) -> bool:
        """Whether a function only decorates definitions of modules."""
        if function.owner or function.is_module:
            return False
        outer = self._source.functions[function.outer]
        if not outer.is_module:
            return not self._aliases.calls.of(function) and self._decorates(outer)
        used = sum(other.decorating.count(function.name) for other in self._source.functions if other.is_module)
        sites = self._aliases.calls.of(function)
        return used > 0 and len(sites) <= used and not self._aliases.calls.is_handed(function.name)

    def _first_run(self, module: FunctionSource) -> float:
        """Return the row of the first call of a script that may call a block."""
        rows = (call.row for call in module.calls if self._may_run(module, call.term))
        return min(rows, default=float("inf"))

    def _runs(self) -> set[int]:
        """Return the functions that may call a block."""
        if self._running is None:
            self._running = set()
            before = -1
            while before < len(self._running):
                before = len(self._running)
                for function in self._source.functions:
                    if any(self._may_run(function, call.term) for call in function.calls):
                        self._running.add(function.number)
        return self._running

    def _may_run(self, function: FunctionSource, call: Term) -> bool:
        running = self._running if self._running is not None else self._runs()
        if any(each.number in running for each in self._aliases.calls.methods.get(str(call.owner.name), ())):
            return True
        called = self._aliases.value(function, call.owner)
        is_local = call.owner.kind == NAME and not function.is_module and function.has(str(call.owner.name))
        return any(map(self._is_block, called.things)) or (is_local and called.unknown)

    def _is_block(self, thing: Any) -> bool:
        if thing[0] in ("class", "made"):
            return hasattr(self._aliases.live.class_named(thing[1]), "collect_params")
        return is_block(self._aliases.object_of(thing))

    # -- traced again

    def _is_traced_anew(self, function: FunctionSource, write: Write) -> bool:
        """Whether the block is traced again after a write: by the same function, without a call of it in between."""
        for call, receiver in self._traced(function, _DEEPEST):
            if call.branches != write.branches[: len(call.branches)] or not self._is_this(function, receiver, write):
                continue
            if call.row >= write.row:
                if not any(write.row <= row < call.row for row in function.ends):
                    return True
                continue
            between = (other.term for other in function.calls if call.row < other.row < write.row)
            if not any(_touches(term, receiver) for term in between):
                return True
        return False

    def _is_traced_by_class(self, function: FunctionSource, write: Write) -> bool:
        """Whether the block's class has it traced again whenever an attribute is stored."""
        method = self._source.method(type(self._block).__name__, "__setattr__")
        if method is None or method is function:
            return False
        traced = {receiver for _, receiver in self._traced(method, _DEEPEST)}
        return Term(NAME, (), method.parameters[0]) in traced and self._is_this(function, write.target, write)

    def _is_this(self, function: FunctionSource, receiver: Term, write: Write) -> bool:
        """Whether the object that is traced again is the block itself, not a part of it or another block."""
        value = self._aliases.value(function, receiver)
        if any(thing[0] in ("class", "made") and thing[1] in self._kinds for thing in value.things):
            return True
        is_block = any(self._aliases.object_of(thing) is self._block for thing in value.things)
        return is_block or (value.unknown and not value.things and root_of(receiver) == root_of(write.target))

    def _traced(self, function: FunctionSource, deepest: int) -> list[tuple[SourceCall, Term]]:
        """Return the calls by which a function traces a block anew, each with the term for the block."""
        key = (function.number, deepest)
        if key not in self._tracing:
            self._tracing[key] = list(self._traced_by(function, deepest))
        return self._tracing[key]

    def _traced_by(self, function: FunctionSource, deepest: int) -> Iterator[tuple[SourceCall, Term]]:
        for call in function.traced:
            if call.term.owner.parts:
                yield call, call.term.owner.owner
        if not deepest:
            return
        for call in function.calls:
            for other in self._aliases.calls.methods.get(str(call.term.owner.name), ()):
                if other is not function and call.term.owner.kind in (NAME, ATTRIBUTE):
                    yield from ((call, receiver) for receiver in self._receivers(call.term, other, deepest - 1))

    def _receivers(self, call: Term, function: FunctionSource, deepest: int) -> Iterator[Term]:
        """Yield the objects that a call of a function traces anew under any condition of the function."""
        for inner, receiver in self._traced(function, deepest):
            if inner.branches or receiver.kind != NAME or receiver.name not in function.parameters:
                continue
            is_first = function.owner and receiver.name == function.parameters[0]
            if is_first and call.owner.kind == ATTRIBUTE:
                yield call.owner.owner
            elif not is_first:
                place = function.parameters.index(str(receiver.name)) - (1 if function.owner else 0)
                yield from call.arguments[place : place + 1]

    # -- what is new

    def new_target(self, function: FunctionSource, write: Write) -> ResolvedValue | None:
        """Return the value that a write changes, if its function has just created it and not yet called it."""
        same = (other for other in function.writes if other.kind == STORE and other.name == write.target.name)
        for other in same if write.target.kind == ATTRIBUTE else ():
            if other.row < write.row and Term(ATTRIBUTE, (other.target,), other.name) == write.target:
                value = self._aliases.value(function, other.by)
                return ResolvedValue() if value.made and not value.things - _new(value) else None
        root = root_of(write.target)
        name = root
        for _ in range(_MOST_NAMES):
            if function.is_module or not function.has(name) or name in function.parameters:
                return None
            terms = function.assigned.get(name, [])
            values = [self._aliases.value(function, term) for term in terms]
            if values and all(map(_is_built, values)):
                new = Term(NAME, (), name)
                if any(call.row < write.last and _touches(call.term, new) for call in function.calls):
                    return None
                return self._part(function, write.target, root, values)
            if len(terms) != 1:
                return None
            name = root_of(terms[0])
        return None

    def _part(
        self, function: FunctionSource, term: Term, root: str, values: list[ResolvedValue]
    ) -> ResolvedValue | None:
        """Return the value of a term that starts at the name of a new object; None for other terms."""
        if term.kind == NAME:
            made = {("made", thing[1]) for value in values for thing in value.things if thing[0] in ("class", "made")}
            return ResolvedValue(frozenset(made), made=True)
        if term.kind not in (ATTRIBUTE, ITEM, SLICE):
            return None
        owner = self._part(function, term.owner, root, values)
        if owner is None:
            return None
        if term.kind != ATTRIBUTE:
            return self._aliases.items(owner, term.name)
        found = ResolvedValue()
        for thing in owner.things:
            found = found.with_(self._aliases.attribute(thing, str(term.name)))
        return found._replace(unknown=False)


def _new(value: ResolvedValue) -> frozenset[Any]:
    return frozenset(thing for thing in value.things if thing[0] in ("new", "made"))


def _is_built(value: ResolvedValue) -> bool:
    """Whether a value is an object that code has just built, and holds nothing that there was before."""
    of_class = any(thing[0] in ("class", "made") for thing in value.things)
    return value.made and not value.inside and (of_class or not value.things)


def _touches(call: Term, receiver: Term) -> bool:
    """Whether a call may call an object, or hands it on."""
    return call.owner == receiver or receiver in call.arguments or receiver in call.named.values()
