"""Finding arguments and inputs on which a block runs eagerly as it stood before any fix."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hybridlint.verify.child import arguments, shapes
from hybridlint.verify.child.arguments import Arguments
from hybridlint.verify.child.blocks import build, seed_all
from hybridlint.verify.child.compare import flatten
from hybridlint.verify.child.errors import LACKING, Failure, NotRunError, failure
from hybridlint.verify.child.runs import Call, inputs_of
from hybridlint.verify.child.specs import BATCH, FLAVOURS, Spec, TensorSpec, World, names, show, spec_from_json, tensors
from hybridlint.verify.child.stages import TRIAL, Stage

if TYPE_CHECKING:
    from collections.abc import Callable

LOOKING = Stage("looking for inputs")
#: Seconds for trying inputs that nobody gave.
PATIENCE = 8.0
#: Seconds and working inputs after which no better ones are looked for.
PATIENCE_FOR_BETTER = 2.0
MOST_WORKING = 8
#: Seconds of one forward from which fewer random inputs are run.
SLOW = 0.3


class Setup(NamedTuple):
    """How a block is built and called: `rounds` are the named sizes of each round, `flavours` the random inputs."""

    arguments: Arguments
    inputs: dict[str, Spec]
    rounds: list[dict[str, int]]
    flavours: list[int]

    def chosen(self, samples: int) -> list[int]:
        """Return the numbers of as many random inputs as are asked for; slow blocks run on one only."""
        if len(self.flavours) == 1:
            return self.flavours
        return [self.flavours[k % len(self.flavours)] + FLAVOURS * (k // len(self.flavours)) for k in range(samples)]

    @property
    def text(self) -> str:
        """The setup for people: ``Net(units=4) on x (N, 4)``."""
        shown = ", ".join(f"{name} {show(spec)}" for name, spec in self.inputs.items())
        return f"({self.arguments}) on {shown or 'no input'}"


class Attempt(NamedTuple):
    """Inputs that were tried and failed."""

    inputs: Mapping[str, Spec]
    failure: Failure


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

    def find(self) -> Setup:
        """Return the first setup that works. Raises NotRunError where there is none."""
        self.say(LOOKING)
        constructed = list(self._constructions())
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
        missing = arguments.required_names(self.cls)
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
        if first.lacking:
            raise NotRunError(f"{LACKING}: {first.sentence}", None, first.row)
        if not missing:
            raise NotRunError(f"{self.cls.__name__}() fails: {first.sentence}", self._add(args="..."), first.row)
        listed = ", ".join(f"`{name}`" for name in missing)
        plural = "s" if len(missing) > 1 else ""
        raise NotRunError(
            f"constructor argument{plural} {listed} cannot be guessed; the likeliest guess fails: {first.sentence}",
            self._add(args=", ".join(missing) + ("," if len(missing) == 1 else "")),
            first.row,
        )

    # -- inputs

    def _inputs(self, constructed: list[Arguments]) -> tuple[dict[str, Spec], Arguments, list[int], float]:
        attempts: list[Attempt] = []
        works: list[tuple[dict[str, Spec], Arguments, list[int], float]] = []
        deadline = time.monotonic() + PATIENCE
        for arguments_, inputs in self._trials(constructed):
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
        raise self._no_inputs(constructed[0], attempts)

    @property
    def _given(self) -> bool:
        return "inputs" in self.recipe or bool(self.recipe.get("named"))

    def _trials(self, constructed: Sequence[Arguments]) -> Iterator[tuple[Arguments, dict[str, Spec]]]:
        for arguments_ in constructed:
            yield from ((arguments_, inputs) for inputs in self._candidates(arguments_))

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
        self, arguments_: Arguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int]
    ) -> Failure | tuple[list[int], float]:
        """Return the flavours of random inputs on which the block runs and the seconds of a run, or why it does not."""
        works: list[int] = []
        first: Failure | None = None
        seconds = 0.0
        try:
            block = build(self.world, self.cls, *arguments_)
        except Exception as error:
            return failure(error, self.path)
        for flavour in range(FLAVOURS):
            try:
                start = time.monotonic()
                call = Call(tuple(sizes.items()), flavour, "predict")
                values = inputs_of(self.world, inputs, call)
                seed_all(self.world.mx, 1)
                outputs = dict(flatten(block(*values), "output"))
                seconds = time.monotonic() - start
            except Exception as error:
                first = first or failure(error, self.path)
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
        return {name: _free(spec, lead) for name, spec in inputs.items()}, {BATCH: lead}

    def _more_rounds(
        self, arguments_: Arguments, inputs: Mapping[str, Spec], sizes: Mapping[str, int]
    ) -> list[dict[str, int]]:
        """Return the rounds with other sizes on which the block still runs: all other, or else the batch only."""
        found: list[dict[str, int]] = []
        for batch in self._other_batches(sizes.get(BATCH)):
            second = {name: shapes.SIZES[1].get(name, size + 2) for name, size in sizes.items()}
            if BATCH in sizes:
                second[BATCH] = batch
            for tried in (second, {**sizes, BATCH: batch} if BATCH in sizes else second):
                if tried != sizes and not isinstance(self._try(arguments_, inputs, tried), Failure):
                    found.append(dict(tried))
                    break
        return found

    def _other_batches(self, first: int | None) -> list[int]:
        others = [batch for batch in self.batches if batch != first]
        return others if first is None or len(others) < len(self.batches) else others[:1]

    # -- what to add

    def _no_inputs(self, arguments_: Arguments, attempts: Sequence[Attempt]) -> NotRunError:
        if not attempts:
            return NotRunError("no inputs to try are known", self._add(inputs=True))
        lacking = next((a.failure for a in attempts if a.failure.lacking), None)
        if lacking is not None:
            return NotRunError(f"{LACKING}: {lacking.sentence}", None, lacking.row)
        if self._given:
            found = attempts[0].failure
            shown = ", ".join(f"{name} {show(spec)}" for name, spec in attempts[0].inputs.items())
            return NotRunError(
                f"on the inputs of the directive ({shown}) the block fails eagerly: {found.sentence}",
                "Correct the inputs in the directive.",
                found.row,
            )
        last = _telling(attempts)
        shown = ", ".join(f"{name} {show(spec)}" for name, spec in last.inputs.items())
        built = f", built as {self.cls.__name__}({arguments_})" if str(arguments_) else ""
        return NotRunError(
            f"no inputs were found on which it runs eagerly{built} ({len(attempts)} tried); on {shown}: "
            f"{last.failure.sentence}",
            self._add(inputs=True, args=str(arguments_)),
            last.failure.row,
        )

    def _add(self, *, args: str = "", inputs: bool = False) -> str:
        parts = [f"args=({args})"] if args and not inputs else []
        if inputs and arguments.required_names(self.cls):
            parts.append("args=(...)")
        if inputs:
            parts.append(self._example())
        return f"# hybridlint: verify({', '.join(parts)})"

    def _example(self) -> str:
        try:
            takes = shapes.signature(build(self.world, self.cls, *next(arguments.candidates(self.cls))))
        except Exception:
            return 'x=("N", ...)'
        return ", ".join(f'{name}=("N", ...)' for name in takes.required) or 'inputs=[("N", ...)]'


def _kinds(outputs: Mapping[str, Any]) -> str:
    shown = [leaf if isinstance(leaf, str) else f"{type(leaf).__name__}" for leaf in outputs.values()]
    return ", ".join(dict.fromkeys(shown)) or "it is empty"


def _telling(attempts: Sequence[Attempt]) -> Attempt:
    """Return the attempt whose failure came latest in the user's file: it got furthest."""
    plain = [a for a in attempts if not any(isinstance(spec, list) for spec in a.inputs.values())]
    return max(plain or attempts, key=lambda a: a.failure.row or 0)


def _free(spec: Spec, lead: int) -> Spec:
    if isinstance(spec, list):
        return [_free(item, lead) for item in spec]
    if isinstance(spec, TensorSpec) and spec.shape and spec.shape[0] == lead:
        return TensorSpec((BATCH, *spec.shape[1:]), spec.dtype, spec.low, spec.high, spec.integers)
    return spec
