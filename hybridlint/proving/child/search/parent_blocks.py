"""Surroundings of a block: the larger blocks that contain it, which show its arguments and inputs.

A block whose arguments cannot be guessed is mostly a part of a larger block that can be built, or that a function of
the module returns. The larger block is built and run with its constructor calls and inputs recorded. The part can then
be built with the recorded arguments, or taken from its place in the larger block, and its inputs are known.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hybridlint.proving.child.build.arguments import ConstructorArguments, Within
from hybridlint.proving.child.build.blocks import build, seed_all
from hybridlint.proving.child.build.constructor_search import Constructor
from hybridlint.proving.child.build.recorded_arguments import KnownConstructions
from hybridlint.proving.child.build.values import guesses
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.errors import Failure, NotRunError, failure
from hybridlint.proving.child.inputs import shapes
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.runs.runs import PlannedCall, inputs_of
from hybridlint.proving.child.search.neighbour_modules import neighbouring
from hybridlint.proving.child.specs.seen_inputs import SeenInputs, seen_inputs
from hybridlint.proving.child.specs.spec import BATCH, Spec, names

#: Fractions of the time limit: for building blocks by functions; for building these and blocks of guessed arguments;
#: for blocks of other modules; for running one block; for running all.
FUNCTIONS, BUILDING, NEIGHBOURS, RUNNING, ALL = 0.15, 0.25, 0.2, 0.15, 0.3
#: Most guesses for the arguments of a larger block.
GUESSES = 6
#: Most places that are considered for one class.
PLACES = 3
#: Sizes for blocks whose layers reduce the smallest images to size 0.
_LARGER = ({"H": 64, "W": 80, "T": 16, "D": 16}, {"H": 96, "W": 112, "T": 20, "D": 24})
_TABLES = (shapes.SIZES, _LARGER)


class Root(NamedTuple):
    """A larger block, built by `expression`. A place is the tuple of child names that leads to a block in it.

    `places` maps each class to the places of its instances, `arguments` each place to the constructor arguments there,
    and `bases` each class to the arguments with which subclasses called its constructor.
    """

    expression: str
    places: Mapping[Any, list[tuple[str, ...]]]
    arguments: Mapping[tuple[str, ...], ConstructorArguments]
    bases: Mapping[Any, list[ConstructorArguments]]


class ParentBlocks:
    """The larger blocks of one module and its package; they are built one by one, on demand.

    `limit` is the time limit in seconds. With `alone` other modules are left out, because
    they would import the module on disk and not the version that is being proved.
    """

    def __init__(
        self,
        world: LoadedModule,
        module: str,
        constructor: Constructor,
        *,
        batches: Sequence[int],
        limit: float,
        alone: bool = False,
    ) -> None:
        self.world = world
        self.constructor = constructor
        self.alone = alone
        self.batches = batches
        self.limit = limit
        hybrid = world.mx.gluon.HybridBlock
        own = [c for c in world.namespace.values() if isinstance(c, type) and issubclass(c, hybrid)]
        self.classes = {c.__name__: c for c in own if c.__module__ == module}
        #: Blocks that are not hybrid themselves but may contain hybrid ones.
        self.holders = [
            c
            for c in world.namespace.values()
            if isinstance(c, type)
            and issubclass(c, world.mx.gluon.Block)
            and not issubclass(c, hybrid)
            and c.__module__ == module
        ]
        self._roots: list[Root] = []
        self._coming: Iterator[Root] | None = None
        self._seen: dict[str, dict[tuple[str, ...], SeenInputs]] = {}
        #: Seconds spent so far on building and on running.
        self._building = self._running = 0.0

    def of(self, cls: Any) -> Iterator[tuple[ConstructorArguments, SeenInputs | None]]:
        """Yield (arguments, inputs) with which larger blocks build and call a class; None for inputs not seen."""
        used = 0
        while True:
            for root in self._roots[used:]:
                yield from self._within(root, cls)
            used = len(self._roots)
            if not self._grown():
                return

    def larger_blocks(self, cls: Any) -> Iterator[tuple[Within, bool]]:
        """Yield the larger blocks that contain an instance of a class, those with the most blocks first.

        Each comes with a flag that is True if `cls` is the only hybrid class of the module in it.
        """
        own = set(self.classes.values())
        while self._grown():
            pass
        holding = [root for root in self._roots if any(root.places.get(cls, []))]
        for root in sorted(holding, key=lambda root: -sum(map(len, root.places.values()))):
            yield Within(root.expression, ()), own.intersection(root.places) == {cls}

    def _within(self, root: Root, cls: Any) -> Iterator[tuple[ConstructorArguments, SeenInputs | None]]:
        places = root.places.get(cls, [])
        seen = self._calls(root) if places else {}
        for place in sorted(places, key=lambda place: place not in seen)[:PLACES]:
            # Building the block alone is faster than building the larger block.
            if place in root.arguments:
                yield root.arguments[place], seen.get(place)
            yield ConstructorArguments([], {}, Within(root.expression, place)), seen.get(place)
        yield from ((arguments, None) for arguments in root.bases.get(cls, [])[:PLACES])

    # -- building

    def _grown(self) -> bool:
        """Build the next larger block; return False if there is none."""
        begin = now()
        self._coming = self._coming or self._built()
        root = next(self._coming, None)
        self._building += now() - begin
        if root is not None:
            self._roots.append(root)
        return root is not None

    def _built(self) -> Iterator[Root]:
        missing = set(self.classes.values())
        for expression, guessed, share in self._expressions(missing):
            if not missing:
                return
            if self._building > share * self.limit:
                continue
            root = self._root(expression, guessed, again=not guessed)
            if root is not None:
                missing -= {*root.places, *root.bases}
                yield root

    def _root(self, expression: str, guessed: bool, again: bool) -> Root | None:
        """Return the larger block that an expression builds, None if that fails.

        With `again` a failing call is repeated once, with an argument added that the error names.
        """
        built = KnownConstructions(self.world)
        try:
            with built.watched(self.classes.values()):
                block = build(self.world, None, [], {}, Within(expression, ()), initialize=False)
        except Exception as error:
            more = self._with_more(expression, failure(error, self.constructor.path)) if again else None
            return None if more is None else self._root(more, guessed, again=False)
        if not isinstance(block, self.world.mx.gluon.Block):
            return None
        places: dict[Any, list[tuple[str, ...]]] = {}
        # The guessed block itself was tried before; the blocks in it were not.
        found = [(path, inner) for path, inner in walk(block) if path or not guessed]
        for path, part in found:
            places.setdefault(type(part), []).append(path)
        arguments = {path: built.of[id(part)] for path, part in found if id(part) in built.of}
        return Root(expression, places, arguments, built.by_heirs)

    def _with_more(self, expression: str, found: Failure) -> str | None:
        """Return a call with one argument added that the error names and a constructor of the module has; else None."""
        known = {name for cls in self.classes.values() for name in guesses.names(cls)}
        name = next((name for name in found.blame.names if name in known and f"{name}=" not in expression), None)
        if name is None or not expression.endswith(")"):
            return None
        comma = "" if expression.endswith("()") else ", "
        return f"{expression[:-1]}{comma}{name}={guesses.by_name(name)[0]})"

    def _expressions(self, missing: Collection[Any]) -> Iterator[tuple[str, bool, float]]:
        """Yield expressions: calls of functions, then of constructors, then the same for other modules.

        Each comes with a flag that is True for a guess about a class of this module, and with the part of the time
        limit within which it may start.
        """
        known = self.constructor.sites.known
        yield from ((expression, False, FUNCTIONS) for expression in known.building(self.classes))
        yield from ((f"{name}()", False, FUNCTIONS) for name in self._partial())
        for cls in (*self.classes.values(), *self.holders):
            yield from ((f"{cls.__name__}({guess})", True, BUILDING) for guess in self._guesses(cls))
        for _, name, method in known.makers:
            built = getattr(self.classes.get(name), method, None)
            guesses = self._guesses(built)[:2] if built is not None else []
            yield from ((f"{name}.{method}({guess})", False, BUILDING) for guess in guesses)
        for name in known.asking(self.classes):
            function = self.world.namespace.get(name)
            yield from ((f"{name}({guess})", False, BUILDING) for guess in self._guesses(function)[:1])
        if self.alone or not missing:
            return
        deadline = now() + NEIGHBOURS * self.limit
        names = [cls.__name__ for cls in missing]
        for expression, other in neighbouring(self.world, known, names, deadline):
            if other is None:
                yield expression, False, BUILDING + NEIGHBOURS
            else:
                guesses = self._guesses(other)[:2]
                yield from ((f"{expression}({guess})", False, BUILDING + NEIGHBOURS) for guess in guesses)

    def _partial(self) -> Iterator[str]:
        """Yield names of module variables that are classes with their arguments bound by `functools.partial`."""
        own = set(self.classes.values())
        for name, value in self.world.namespace.items():
            if isinstance(value, functools.partial) and value.func in own:
                yield name

    def _guesses(self, cls: Any) -> list[ConstructorArguments]:
        try:
            deadline = now() + BUILDING * self.limit
            return list(itertools.islice(self.constructor.search(cls).working(deadline, GUESSES), GUESSES))
        except NotRunError:
            return []

    # -- running

    def _calls(self, root: Root) -> dict[tuple[str, ...], SeenInputs]:
        if root.expression not in self._seen:
            begin = now()
            deadline = begin + min(ALL * self.limit - self._running, RUNNING * self.limit)
            self._seen[root.expression] = self._run(root, deadline)
            self._running += now() - begin
        return self._seen[root.expression]

    def _run(self, root: Root, deadline: float) -> dict[tuple[str, ...], SeenInputs]:
        """Run a larger block; return the inputs that each block in it received, by place.

        If it accepts none of the inputs tried, they are from the run in which most blocks were called.
        """
        best: dict[tuple[str, ...], Any] = {}
        try:
            block = build(self.world, None, [], {}, Within(root.expression, ()))
            tried = list(shapes.candidates(block))
        except Exception:
            return {}
        for inputs, table in _inputs(tried):
            if now() > deadline:
                break
            sizes = {name: {BATCH: self.batches[0], **table[0]}.get(name, 4) for name in names(list(inputs.values()))}
            calls, done = self._watched(root, inputs, sizes)
            if len(calls) > len(best) or done:
                others = {name: {BATCH: self.batches[1], **table[1]}.get(name, 6) for name in sizes}
                second, again = self._watched(root, inputs, others)
                if not again:
                    others = {**sizes, BATCH: self.batches[1]}
                    second, again = self._watched(root, inputs, others)
                best = {p: seen_inputs((sizes, others), call, second.get(p)) for p, call in calls.items()}
            if done:
                break
        return {place: found for place, found in best.items() if found is not None}

    def _watched(
        self, root: Root, inputs: Mapping[str, Spec], sizes: Mapping[str, int]
    ) -> tuple[dict[tuple[str, ...], Any], bool]:
        """Run a larger block; return the first inputs of each block in it, by place, and whether the run finished."""
        calls: dict[tuple[str, ...], Any] = {}
        try:
            block = build(self.world, None, [], {}, Within(root.expression, ()))
            for path, part in walk(block):
                part.register_forward_pre_hook(lambda _part, given, path=path: _note(calls, path, given))
            seed_all(self.world.mx, 1)
            outputs = block(*inputs_of(self.world, dict(inputs), PlannedCall(tuple(sizes.items()), 0, "predict")))
            for array in outputs if isinstance(outputs, (list, tuple)) else [outputs]:
                getattr(array, "wait_to_read", lambda: None)()
        except Exception:
            return calls, False
        return calls, True


def _note(calls: dict[tuple[str, ...], Any], path: tuple[str, ...], given: Any) -> None:
    """Record the inputs of a block's first call on arrays; earlier calls on Symbols only infer parameter shapes."""
    if not any(hasattr(value, "list_arguments") for value in given):
        calls.setdefault(path, given)


def walk(block: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield a block and all blocks below it, each with the child names that lead to it."""
    yield path, block
    for name, child in block._children.items():
        # MXNet 2 keeps weak references.
        yield from walk(child() if type(child).__name__ == "ReferenceType" else child, (*path, str(name)))


def _inputs(tried: Sequence[dict[str, Spec]]) -> Iterator[tuple[dict[str, Spec], Any]]:
    """Yield inputs, each with the sizes of two rounds; small sizes come first."""
    for table in _TABLES:
        for inputs in tried:
            if table is _TABLES[0] or set(names(list(inputs.values()))) & set(table[0]):
                yield inputs, table
