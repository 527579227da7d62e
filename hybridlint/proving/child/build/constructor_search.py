"""A search for arguments that a class's constructor accepts: likely ones first, then changes that errors suggest."""

from __future__ import annotations

import heapq
import inspect
import itertools
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.build.blocks import construct
from hybridlint.proving.child.build.values import guesses
from hybridlint.proving.child.build.values.argument_values import MOST_VALUES, ArgumentValues
from hybridlint.proving.child.build.values.bounds import order_bounds
from hybridlint.proving.child.build.values.project_classes import ProjectClasses
from hybridlint.proving.child.build.values.requested_arguments import (
    asserted_types,
    calls_a_layer,
    missing_attribute,
    requested_values,
)
from hybridlint.proving.child.build.values.settings_objects import OBJECT
from hybridlint.proving.child.build.values.smaller_sizes import small_first
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.errors import Failure, failure
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.unequal_sizes import swaps

if TYPE_CHECKING:
    from hybridlint.proving.child.build.values.callsites import ConstructorCalls

    _Chosen = Mapping[str, str]

#: Matches errors caused by an integer division that gave 0. `_LARGER` are the larger numbers to try then.
_NOTHING = re.compile(
    r"[(\[ ]0[,)\]]|\b0 (?:channels|units|groups)|by zero|do not divide|a size of 0|must be (?:greater than|above|>) 0"
    r"|positive"
)
_LARGER = ("32", "64")
#: Matches the error of a window along an axis that a size of the constructor left too short.
_SHORT = re.compile(r"the window of \d+ exceeds the input of -?\d+|kernel size .* exceeds input")
#: Matches the argument names in an error about missing arguments.
_LACKED = re.compile(r"'(\w+)'")
#: Arguments that are image sizes, the least value that counts as large, and the divisor for smaller images.
_IMAGE = re.compile(r"(?:(?:crop|base|input|image|img|in|out|output|feature)_)?(?:size|height|width|resolution)|h|w")
_LARGE, _SHRINK = 32, 4
#: Integers, and integer arithmetic taken from calls, such as ``240 // 4``.
_WHOLE = re.compile(r"\(*\d{1,5}\)*(?: ?(?://|\*|\+|-) ?\d{1,5}\)*){0,3}")
#: Costs added to a changed candidate (the cheapest is tried first): for smaller images, for a value that an error
#: suggests, for the next guess for an argument that the error names, and for the next guess for any other argument.
_CHEAPER, _REQUESTED, _NAMED, _ANY = 0.05, 0.2, 0.6, 1.0
#: Most candidates for one class.
_MOST_TRIED = 150
#: Limits in seconds and tries for a class that is an argument of another class.
_FOR_ARGUMENTS = 1.0
_TRIED_FOR_ARGUMENTS = 12


class Constructor:
    """Finds constructor arguments for the classes of one module.

    For a class whose instances are arguments of others, one working expression is found and kept.
    """

    def __init__(self, world: LoadedModule, module: str, path: str, sites: ConstructorCalls) -> None:
        self.world = world
        self.path = path
        self.sites = sites
        self.project_classes = ProjectClasses(world, module, self.expression)
        self._built: dict[Any, str | None] = {}
        self._networks: list[str] | None = None

    @property
    def networks(self) -> list[str]:
        """Expressions that call those functions of the module that build a sequence of layers."""
        if self._networks is None:
            self._networks = list(self.sites.known.building(("HybridSequential",)))
        return self._networks

    def search(self, cls: Any, depth: int = 0, *, keys: bool = False) -> ConstructorSearch:
        """Return a search for arguments with which the constructor of a class works, from the beginning.

        `depth` counts the classes whose arguments are being searched; with `keys` dictionaries are candidates too.
        Raises NotRunError if the constructor has no signature.
        """
        return ConstructorSearch(self, cls, depth, keys)

    def expression(self, cls: Any, depth: int) -> str | None:
        """Return an expression that builds an instance of a class, None if none is found."""
        if cls not in self._built:
            self._built[cls] = None
            self._built[cls] = self._found(cls, depth)
        return self._built[cls]

    def _found(self, cls: Any, depth: int) -> str | None:
        self.world.borrow(cls)
        deadline = now() + _FOR_ARGUMENTS
        try:
            for found in self.search(cls, depth).working(deadline, _TRIED_FOR_ARGUMENTS):
                return f"{cls.__name__}({found})"
        except Exception:
            return None
        return None


class ConstructorSearch:
    """A search for arguments of one class, guided by errors of the constructor and by those given to `report`."""

    def __init__(self, constructor: Constructor, cls: Any, depth: int, keys: bool = False) -> None:
        self.constructor = constructor
        self.cls = cls
        self.depth = depth
        self.first: Failure | None = None
        self.parameters = {p.name: p for p in guesses.plain_parameters(cls)}
        self.required = required_names(cls)
        self._passes_on = any(p.kind is p.VAR_KEYWORD for p in inspect.signature(cls).parameters.values())
        self._values = ArgumentValues(constructor, cls, self.parameters, depth=depth, keys=keys)
        #: What alone is tried for the arguments for which the project gives arrays.
        self._arrays = {name: self._values.arrays[name] for name in self._values.only_arrays}
        self._queue: list[tuple[float, int, _Chosen]] = []
        self._seen: set[tuple[tuple[str, str], ...]] = set()
        self._order = itertools.count()
        #: Arguments that the constructor accepted, as text, with their cost and chosen values.
        self._built: dict[str, tuple[float, _Chosen]] = {}
        self._begin()

    def working(self, deadline: float, most: int = _MOST_TRIED) -> Iterator[ConstructorArguments]:
        """Yield arguments that the constructor accepts; end after `most` tries, or at the deadline if one failed."""
        for _ in range(most):
            if not self._queue or (self.first is not None and now() > deadline):
                return
            cost, _, chosen = heapq.heappop(self._queue)
            try:
                construct(self.constructor.world, self.cls, [], self._written(chosen))
            except Exception as error:
                found = failure(error, self.constructor.path)
                self.first = self.first or found
                self._mend(cost, chosen, found)
                continue
            built = ConstructorArguments([], self._written(chosen))
            self._built[str(built)] = cost, chosen
            for name in self._free(chosen):
                self._push(cost + 2 * _ANY, self._next(chosen, name))
            yield built

    def report(self, built: ConstructorArguments, found: Failure) -> None:
        """Report that a block built with these arguments fails when it runs; values that the error suggests follow."""
        if built.within is None and str(built) in self._built:
            self._mend(*self._built[str(built)], found, running=True)

    # -- the queue

    def _begin(self) -> None:
        kept = {name: "False" for name, p in self.parameters.items() if guesses.downloads(p)}
        arrays = {name: texts[0] for name, texts in self._values.arrays.items()}
        first = {**{name: self._values.of(name)[0] for name in self.required}, **arrays, **kept}
        base = order_bounds(first)
        # Guesses build small, fast blocks, so they come first; arguments of real calls fit each other better.
        self._push(0.0, base)
        for k, called in enumerate(self.constructor.sites.of(self.cls)):
            known = {name: text for name, text in called.items() if name in self.parameters}
            for number, arguments in enumerate(small_first(known)):
                self._push(0.1 * (k + 1) + _CHEAPER * number, {**base, **arguments, **kept})
        # An optional argument whose default is None or 0 may still be needed, for example the number of input channels.
        opened = {name: self._values.of(name)[0] for name, p in self.parameters.items() if guesses.is_open(p)}
        if opened:
            self._push(_NAMED, {**base, **opened})
        self._push(_NAMED, first)

    def _push(self, cost: float, chosen: _Chosen | None) -> None:
        if chosen is None or any(chosen.get(name) not in (None, *arrays) for name, arrays in self._arrays.items()):
            return
        key = tuple(sorted(chosen.items()))
        if key not in self._seen:
            self._seen.add(key)
            heapq.heappush(self._queue, (cost, next(self._order), chosen))

    def _mend(self, cost: float, chosen: _Chosen, found: Failure, *, running: bool = False) -> None:
        """Queue changed versions of a candidate that failed: other values for the arguments that the error names.

        `running` says that the block was built and failed when it ran.
        """
        missing = self._missing(found)
        if missing:
            self._push(cost + _REQUESTED, {**chosen, **{name: self._values.of(name)[0] for name in missing}})
            return
        for resized in _resized(chosen, found):
            self._push(cost + _REQUESTED, resized)
        for changed in _with_key(chosen, found):
            self._push(cost + _REQUESTED, changed)
        named = self._blamed(chosen, found)
        for place, name in enumerate(named[:3]):
            requested = list(
                itertools.chain(self._listed(name, found), requested_values(found), self._instances(name, found))
            )
            for rank, text in enumerate(dict.fromkeys(requested)):
                if rank < MOST_VALUES and chosen.get(name) != text:
                    self._push(cost + _REQUESTED * (1 + rank) + place * _REQUESTED, {**chosen, name: text})
            self._push(cost + _NAMED + place * _REQUESTED, self._next(chosen, name))
        if running:
            self._push(cost + _CHEAPER, self._smaller(chosen, found))
            return
        for name in self._free(chosen):
            self._push(cost + _ANY, self._next(chosen, name))

    def _listed(self, name: str, found: Failure) -> Iterator[str]:
        """Yield the guesses for an argument's name that are lists, if the error suggests a list."""
        if any(text[:1] == "[" for text in requested_values(found)):
            yield from (text for text in guesses.by_name(name) if text[:1] == "[")

    def _free(self, chosen: _Chosen) -> list[str]:
        """Return the names for which the next guess may be tried: required arguments and fields of settings objects."""
        return [*self.required, *self._fields(chosen)]

    def _fields(self, chosen: _Chosen) -> list[str]:
        objects = (self._values.objects[name] for name, text in chosen.items() if text == OBJECT)
        return [field for known in objects if known is not None for field in known.fields]

    def _written(self, chosen: _Chosen) -> dict[str, str]:
        """Return the arguments as expressions; a settings object is written with its fields."""
        return {name: self._expression(name, text, chosen) for name, text in chosen.items() if "." not in name}

    def _expression(self, name: str, text: str, chosen: _Chosen) -> str:
        known = self._values.objects.get(name)
        return known.expression(chosen) if text == OBJECT and known is not None else text

    def _next(self, chosen: _Chosen, name: str) -> _Chosen | None:
        """Return the candidate with the next guess for one argument, None after the last guess."""
        values = self._values.of(name)
        # A field that is not chosen has its likeliest value.
        current = chosen.get(name, values[0] if "." in name else "")
        place = values.index(current) + 1 if current in values else 0
        return {**chosen, name: values[place]} if place < len(values) else None

    def _smaller(self, chosen: _Chosen, found: Failure) -> _Chosen | None:
        """Return a candidate with smaller images, if the error is about sizes and the constructor has image sizes."""
        if not swaps(found.sentence):
            return None
        texts = {name: chosen.get(name, repr(p.default)) for name, p in self.parameters.items()}
        sizes = {name: _arithmetic(text) for name, text in texts.items() if _IMAGE.fullmatch(name)}
        smaller = {name: str(size // _SHRINK) for name, size in sizes.items() if size >= _LARGE}
        return {**chosen, **smaller} if smaller else None

    # -- what an error is about

    def _missing(self, found: Failure) -> list[str]:
        """Return the required arguments that an error reports as missing."""
        # If a layer was called without inputs, the argument should be a factory of layers, so none is missing.
        if "missing" not in found.sentence or calls_a_layer(found):
            return []
        sentence = found.sentence
        if self._passes_on:
            # An argument that is forwarded as **kwargs has a name only in the function that receives it.
            for name in _LACKED.findall(sentence.partition("required")[2]):
                self.parameters.setdefault(name, inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY))
        return [name for name in self.parameters if f"'{name}'" in sentence or f" {name}; field required" in sentence]

    def _blamed(self, chosen: _Chosen, found: Failure) -> list[str]:
        """Return the arguments to blame for an error: arguments in its statements, or else in its message."""
        fields = {field.rpartition(".")[2]: field for field in self._fields(chosen)}
        held = [fields[name] for name in (*found.blame.fields, *found.blame.names) if name in fields]
        blamed = [name for name in found.blame.names if name in self.parameters]
        named = [name for name in self.parameters if f"'{name}'" in found.sentence or f"`{name}`" in found.sentence]
        return list(dict.fromkeys([*named, *held, *blamed]))

    def _instances(self, name: str, found: Failure) -> Iterator[str]:
        project_classes = self.constructor.project_classes
        if "object is not callable" in found.sentence:
            yield from project_classes.blocks(self.cls, self.depth)
        attribute = missing_attribute(found)
        if attribute is not None:
            yield from project_classes.for_name(self.cls, name, self.depth)
            yield from project_classes.with_attribute(self.cls, attribute, self.depth)
        for kind in asserted_types(found):
            yield from project_classes.for_text(self.cls, kind, self.depth)
            if isinstance(self.constructor.world.namespace.get(kind), type):
                yield f"{kind}()"


def _resized(chosen: _Chosen, found: Failure) -> Iterator[_Chosen]:
    """Yield candidates in which one number in the error message replaces the other one.

    If integer division of a small number gave 0, the candidates have larger numbers.
    """
    if _NOTHING.search(found.sentence) or _SHORT.search(found.sentence):
        small = [name for name, text in chosen.items() if text == "4"]
        yield from ({**chosen, **dict.fromkeys(small, larger)} for larger in _LARGER)
    for old, new in swaps(found.sentence):
        number = re.compile(rf"(?<![\w.]){old}(?![\w.])")
        changed = {name: number.sub(str(new), text) for name, text in chosen.items() if number.search(text)}
        if changed:
            yield {**chosen, **changed}
        if 1 < len(changed) < MOST_VALUES:
            yield from ({**chosen, name: text} for name, text in changed.items())


def _with_key(chosen: _Chosen, found: Failure) -> Iterator[_Chosen]:
    """Yield candidates for a KeyError: the missing key is replaced by a key that the dictionary has."""
    missing = found.blame.missing
    for key in found.blame.keys if missing else ():
        for old in (missing, missing.replace("'", '"')):
            changed = {name: text.replace(old, key) for name, text in chosen.items() if old in text}
            if changed:
                yield {**chosen, **changed}


def _arithmetic(text: str) -> int:
    """Return the value of an expression of integers only, 0 for any other expression."""
    if not _WHOLE.fullmatch(text):
        return 0
    try:
        return int(eval(text, {"__builtins__": {}}))
    except (SyntaxError, ZeroDivisionError):
        return 0


def required_names(cls: Any) -> list[str]:
    """Return the names of required constructor arguments; an empty list if the class has no signature."""
    try:
        return [p.name for p in guesses.plain_parameters(cls) if p.default is inspect.Parameter.empty]
    except Exception:
        return []
