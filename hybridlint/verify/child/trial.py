"""Finding arguments and inputs on which a block runs eagerly as it stood before any fix."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.verify.child import advice, arguments, shapes
from hybridlint.verify.child.arguments import Arguments
from hybridlint.verify.child.blocks import build, seed_all
from hybridlint.verify.child.compare import flatten
from hybridlint.verify.child.errors import Failure, NotRunError, failure
from hybridlint.verify.child.repairs import repaired
from hybridlint.verify.child.runs import Call, inputs_of
from hybridlint.verify.child.setup import Attempt, Setup
from hybridlint.verify.child.specs import (
    BATCH,
    FLAVOURS,
    Spec,
    World,
    names,
    spec_from_json,
    tensors,
    with_batch,
)
from hybridlint.verify.child.stages import SURROUNDINGS, TRIAL, Stage

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.verify.child.sightings import Sighting
    from hybridlint.verify.child.surroundings import Surroundings

LOOKING = Stage("looking for inputs")
#: Seconds for trying inputs that nobody gave.
PATIENCE = 8.0
#: Seconds and working inputs after which no better ones are looked for.
PATIENCE_FOR_BETTER = 2.0
MOST_WORKING = 8
#: Inputs that are tried of one kind, mended after the errors of those before.
MOST_REPAIRS = 6
#: Seconds of one forward from which fewer random inputs are run.
SLOW = 0.3


class Finder:
    """Finds a setup for one class. `recipe` is what a directive or the settings say of it.

    Of inputs that nobody gave those are preferred on which `compiled`, a version of the class, also runs compiled:
    eager code takes shapes by luck that it was never meant for.
    """

    def __init__(
        self,
        world: World,
        cls: Any,
        path: str,
        *,
        recipe: Mapping[str, Any],
        batches: Sequence[int],
        say: Callable[[Stage], None],
    ) -> None:
        self.world = world
        self.cls = cls
        self.path = path
        self.recipe = recipe
        self.batches = batches
        self.say = say
        self.compiled: tuple[World, Any] | None = (world, cls)
        self.surroundings: Surroundings | None = None

    def find(self) -> Setup:
        """Return the first setup that works. Raises NotRunError where there is none."""
        self.say(LOOKING)
        try:
            return self._alone(list(self._constructions()))
        except NotRunError:
            setup = self.enclosed()
            if setup is None:
                raise
            return setup

    def enclosed(self) -> Setup | None:
        """Return a setup that a larger block of the module shows, None where none does or the user said how."""
        if self.surroundings is None or self.recipe:
            return None
        self.say(Stage("looking at the blocks that hold it", optional=SURROUNDINGS))
        for arguments_, seen in self.surroundings.of(self.cls):
            setup = self._unseen(arguments_) if seen is None else self._sighted(arguments_, seen)
            if setup is not None:
                self.say(LOOKING)
                return setup
        self.say(LOOKING)
        return None

    def _unseen(self, arguments_: Arguments) -> Setup | None:
        try:
            return self._alone([arguments_])
        except NotRunError:
            return None

    def _sighted(self, arguments_: Arguments, seen: Sighting) -> Setup | None:
        """Return the setup of inputs that were seen, where they can be made anew."""
        try:
            takes = shapes.signature(build(self.world, self.cls, *arguments_))
        except Exception:
            return None
        order = [*takes.required, *takes.optional]
        inputs = {order[k] if k < len(order) else f"input {k}": spec for k, spec in enumerate(seen.inputs)}
        first, *others = seen.rounds
        found = self._try(arguments_, inputs, first)
        if isinstance(found, Failure):
            return None
        flavours, seconds = found
        rounds = [first]
        for second in others:
            rounds += self._first_working(arguments_, inputs, first, [second, {**first, BATCH: second.get(BATCH, 0)}])
        return Setup(arguments_, inputs, rounds, flavours[:1] if seconds > SLOW else flavours)

    def _alone(self, constructed: Sequence[Arguments]) -> Setup:
        inputs, arguments_, flavours, seconds = self._inputs(constructed)
        sizes = self._first_sizes(inputs)
        rounds = [sizes]
        if not self._fixed(inputs):
            inputs, sizes = self._with_batch(inputs, sizes)
            rounds = [sizes, *self._more_rounds(arguments_, inputs, sizes)]
        if seconds > SLOW:
            flavours = flavours[:1]
        return Setup(arguments_, inputs, rounds, flavours)

    # -- constructing

    def _constructions(self) -> Iterator[Arguments]:
        """Iterate over arguments that the constructor takes; the first is certain to exist. Raises NotRunError."""
        if "args" in self.recipe or "kwargs" in self.recipe:
            given = Arguments(list(self.recipe.get("args", [])), dict(self.recipe.get("kwargs", {})))
            try:
                build(self.world, self.cls, *given)
            except Exception as error:
                found = failure(error, self.path)
                raise NotRunError(
                    f"{self.cls.__name__}({given}), as the directive says, fails: {found.sentence}",
                    "Correct the arguments in the directive.",
                    found.row,
                ) from error
            yield given
            return
        yield from self._guessed()

    def _guessed(self) -> Iterator[Arguments]:
        first: Failure | None = None
        works = 0
        deadline = time.monotonic() + PATIENCE
        for guess in arguments.candidates(self.cls):
            if time.monotonic() > deadline or works >= 4:
                break
            try:
                build(self.world, self.cls, *guess)
            except Exception as error:
                first = first or failure(error, self.path)
                continue
            works += 1
            yield guess
        if works:
            return
        assert first is not None
        raise advice.not_constructed(self.cls, first)

    # -- inputs

    def _inputs(self, constructed: Sequence[Arguments]) -> tuple[dict[str, Spec], Arguments, list[int], float]:
        attempts: list[Attempt] = []
        works: list[tuple[dict[str, Spec], Arguments, list[int], float]] = []
        deadline = time.monotonic() + PATIENCE
        for arguments_, inputs in self._trials(constructed, attempts):
            if (attempts or works) and (time.monotonic() > deadline or len(works) >= MOST_WORKING):
                break
            tried = self._try(arguments_, inputs, self._first_sizes(inputs))
            if isinstance(tried, Failure):
                attempts.append(Attempt(inputs, tried))
                continue
            works.append((inputs, arguments_, *tried))
            if self._given or self._runs_compiled(arguments_, inputs):
                return works[-1]
            deadline = min(deadline, time.monotonic() + PATIENCE_FOR_BETTER)
        if works:
            return works[0]
        if self._given and attempts:
            raise advice.given_fail(attempts[0])
        raise advice.no_inputs(self.world, self.cls, constructed[0], attempts)

    @property
    def _given(self) -> bool:
        return "inputs" in self.recipe or bool(self.recipe.get("named"))

    def _trials(
        self, constructed: Sequence[Arguments], attempts: Sequence[Attempt]
    ) -> Iterator[tuple[Arguments, dict[str, Spec]]]:
        """Iterate over inputs to try; after those that fail, `attempts`, come what their errors ask for."""
        for arguments_ in constructed:
            seen = set()
            for inputs in self._candidates(arguments_):
                pending = [inputs]
                for _ in range(1 if self._given else MOST_REPAIRS):
                    if not pending:
                        break
                    tried, failed = pending.pop(0), len(attempts)
                    if str(tried) in seen:
                        continue
                    seen.add(str(tried))
                    yield arguments_, tried
                    if len(attempts) > failed:
                        pending += repaired(tried, attempts[-1].failure.sentence)

    def _runs_compiled(self, arguments_: Arguments, inputs: Mapping[str, Spec]) -> bool:
        if self.compiled is None:
            return True
        world, cls = self.compiled
        self.say(Stage("trying inputs compiled", optional=TRIAL))
        call = Call(tuple(self._first_sizes(inputs).items()), 0, "predict")
        try:
            block = build(world, cls, *arguments_)
            block.hybridize()
            block(*inputs_of(world, inputs, call))
        except Exception:
            return False
        finally:
            self.say(LOOKING)
        return True

    def _candidates(self, arguments_: Arguments) -> Iterator[dict[str, Spec]]:
        block = build(self.world, self.cls, *arguments_)
        takes = shapes.signature(block)
        specs = self.recipe.get("inputs")
        named = self.recipe.get("named") or {}
        if specs is not None or named:
            order = [*takes.required, *takes.optional]
            inputs = {
                order[k] if k < len(order) else f"input {k}": spec_from_json(s) for k, s in enumerate(specs or [])
            }
            inputs.update((name, spec_from_json(spec)) for name, spec in named.items())
            missing = [name for name in takes.required if name not in inputs]
            unknown = [] if takes.variadic else [name for name in inputs if name not in order]
            if missing or unknown:
                wrong = (
                    f"says nothing of input `{missing[0]}`" if missing else f"names `{unknown[0]}`, which is no input"
                )
                raise NotRunError(f"the directive {wrong}; the inputs are {', '.join(order) or 'none'}")
            yield {name: inputs[name] for name in sorted(inputs, key=lambda n: order.index(n) if n in order else 99)}
            return
        yield from shapes.candidates(block)

    def _try(
        self,
        arguments_: Arguments,
        inputs: Mapping[str, Spec],
        sizes: Mapping[str, int],
        earlier: Mapping[str, int] | None = None,
    ) -> Failure | tuple[list[int], float]:
        """Return the flavours of random inputs on which the block runs and the seconds of a run, or why it does not.

        With `earlier` the block has run with these sizes before, which can have settled those of its parameters.
        """
        works: list[int] = []
        first: Failure | None = None
        seconds = 0.0
        try:
            block = build(self.world, self.cls, *arguments_)
            if earlier is not None:
                block(*inputs_of(self.world, inputs, Call(tuple(earlier.items()), 0, "predict")))
        except Exception as error:
            return failure(error, self.path)
        for flavour in range(FLAVOURS):
            start = time.monotonic()
            try:
                call = Call(tuple(sizes.items()), flavour, "predict")
                values = inputs_of(self.world, inputs, call)
                seed_all(self.world.mx, 1)
                outputs = dict(flatten(block(*values), "output"))
                seconds = time.monotonic() - start
            except Exception as error:
                first = first or failure(error, self.path)
                if time.monotonic() - start > SLOW:
                    break
                continue
            if any(isinstance(leaf, np.ndarray) and leaf.size for leaf in outputs.values()):
                works.append(flavour)
            else:
                first = first or Failure(f"its output holds no array: {_kinds(outputs)}", None)
            if seconds > SLOW:
                break
        if not works:
            assert first is not None
            return first
        return works, seconds

    # -- sizes

    def _fixed(self, inputs: Mapping[str, Spec]) -> bool:
        return not tensors(list(inputs.values()))

    def _first_sizes(self, inputs: Mapping[str, Spec]) -> dict[str, int]:
        known = {BATCH: self.batches[0], **shapes.SIZES[0]}
        return {name: known.get(name, 4 + k) for k, name in enumerate(names(list(inputs.values())))}

    def _with_batch(self, inputs: dict[str, Spec], sizes: dict[str, int]) -> tuple[dict[str, Spec], dict[str, int]]:
        """Let the first axis vary where all sizes were given as numbers."""
        if sizes:
            return inputs, sizes
        lead = next((t.shape[0] for t in tensors(list(inputs.values())) if t.shape), None)
        if not isinstance(lead, int):
            return inputs, sizes
        return {name: with_batch(spec, lead) for name, spec in inputs.items()}, {BATCH: lead}

    def _more_rounds(
        self, arguments_: Arguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int]
    ) -> list[dict[str, int]]:
        """Return the rounds with other sizes on which the block still runs: all other, or else the batch only."""
        found: list[dict[str, int]] = []
        for batch in self._other_batches(sizes.get(BATCH)):
            second = {name: shapes.SIZES[1].get(name, size + 2) for name, size in sizes.items()}
            if BATCH in sizes:
                second[BATCH] = batch
            found += self._first_working(arguments_, inputs, sizes, [second, {**sizes, BATCH: batch}])
        return found

    def _first_working(
        self,
        arguments_: Arguments,
        inputs: Mapping[str, Spec],
        sizes: Mapping[str, int],
        others: Sequence[dict[str, int]],
    ) -> list[dict[str, int]]:
        """Return the first of other sizes on which a block runs that has run on `sizes`, none where there is none."""
        for tried in others:
            if tried == sizes or tried.keys() != sizes.keys():
                continue
            if not isinstance(self._try(arguments_, inputs, tried, sizes), Failure):
                return [tried]
        return []

    def _other_batches(self, first: int | None) -> list[int]:
        others = [batch for batch in self.batches if batch != first]
        return others if first is None or len(others) < len(self.batches) else others[:1]


def _kinds(outputs: Mapping[str, Any]) -> str:
    shown = [leaf if isinstance(leaf, str) else f"{type(leaf).__name__}" for leaf in outputs.values()]
    return ", ".join(dict.fromkeys(shown)) or "it is empty"
