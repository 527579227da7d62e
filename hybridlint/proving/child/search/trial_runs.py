"""Trial runs: the block runs eagerly, to see whether it accepts some inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hybridlint.proving.child.build.arguments import ConstructorArguments
from hybridlint.proving.child.build.blocks import build, seed_all
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.errors import STORED, Failure, failure
from hybridlint.proving.child.inputs.repairs.failing_operands import operands
from hybridlint.proving.child.loaded_module import LoadedModule
from hybridlint.proving.child.runs.results import flatten
from hybridlint.proving.child.runs.runs import PlannedCall, inputs_of
from hybridlint.proving.child.runs.setup import Setup
from hybridlint.proving.child.specs.spec import FLAVOURS, Spec

#: Seconds: if one forward pass takes longer, fewer random inputs are run.
SLOW = 0.3


class TrialRunner:
    """Trial runs of one class. Rows in failures are rows of the file `path`."""

    def __init__(self, world: LoadedModule, cls: Any, path: str) -> None:
        self.world = world
        self.cls = cls
        self.path = path
        #: Whether inputs must also work in train mode.
        self.trains = False
        #: The last run: (arguments, inputs, sizes), and the block.
        self._last: tuple[object, Any] | None = None

    def run(
        self,
        arguments: ConstructorArguments,
        inputs: Mapping[str, Spec],
        sizes: Mapping[str, int],
        earlier: Mapping[str, int] | None = None,
    ) -> Failure | tuple[list[int], float]:
        """Return the random flavours with which a block runs and the seconds of a run, or the first failure.

        `sizes` has the number of each named size. With `earlier` the block first runs with these sizes, which may fix
        the shapes of its parameters.
        """
        works: list[int] = []
        first: Failure | None = None
        seconds = 0.0
        try:
            block = self._after(arguments, inputs, earlier)
        except Exception as error:
            return failure(error, self.path)
        for flavour in range(FLAVOURS):
            start = now()
            values: list[Any] = []
            try:
                call = PlannedCall(tuple(sizes.items()), flavour, "predict")
                values = inputs_of(self.world, inputs, call)
                seed_all(self.world.mx, flavour + 1)
                outputs = dict(flatten(block(*values), "output"))
                seconds = now() - start
            except Exception as error:
                first = first or self._failure(error, inputs, values)
                if works and self.trains:
                    # Its layers depend on random numbers or on the data, so other random inputs fail.
                    return first
                if now() - start > SLOW:
                    break
                continue
            if any(isinstance(leaf, np.ndarray) and leaf.size for leaf in outputs.values()):
                trained = None if works else self._untrained(block, values, seconds)
                if trained is not None:
                    return trained
                works.append(flavour)
                self._last = (arguments, dict(inputs), dict(sizes)), block
            else:
                first = first or Failure(f"its output holds no array: {_kinds(outputs)}", None)
            if seconds > SLOW:
                break
        if not works:
            assert first is not None
            return first
        return works, seconds

    def _failure(self, error: Exception, inputs: Mapping[str, Spec], values: Sequence[Any]) -> Failure:
        """Return the failure for an error of a run, with the arrays of the failing statement."""
        return failure(error, self.path)._replace(operands=operands(error, dict(zip(inputs, values))))  # noqa: B905

    def _untrained(self, block: Any, values: list[Any], seconds: float) -> Failure | None:
        """Return a block's failure in train mode on values accepted in predict mode; None if it runs.

        An in-place store that autograd cannot record, and a feature that the engine lacks, say nothing about the
        inputs.
        """
        if seconds > SLOW or not self.trains:
            return None
        try:
            with self.world.mx.autograd.record(train_mode=True):
                block(*values)
        except Exception as error:
            found = failure(error, self.path)
            return None if found.engine_lacks or STORED.search(found.sentence) else found
        return None

    def _after(
        self, arguments: ConstructorArguments, inputs: Mapping[str, Spec], earlier: Mapping[str, int] | None
    ) -> Any:
        """Return a new block; with `earlier`, one that has run once with these sizes."""
        if earlier is None:
            return build(self.world, self.cls, *arguments)
        if self._last is not None and self._last[0] == (arguments, dict(inputs), dict(earlier)):
            return self._last[1]
        block = build(self.world, self.cls, *arguments)
        values = inputs_of(self.world, inputs, PlannedCall(tuple(earlier.items()), 0, "predict"))
        block(*values)
        if self.trains:
            # Layers that train mode alone runs get their shapes here.
            with self.world.mx.autograd.record(train_mode=True):
                block(*values)
        return block

    def setup(
        self, arguments: ConstructorArguments, inputs: dict[str, Spec], rounds: Sequence[Sequence[Mapping[str, int]]]
    ) -> Setup | Failure:
        """Return the setup for inputs recorded in a real run or seen in a larger block, or the failure.

        `rounds` has, for each round, the sizes to try in turn. Only the first round must work.
        """
        found: Failure | tuple[list[int], float] = Failure("there is nothing to run", None)
        for first in rounds[0]:
            found = self.run(arguments, inputs, first)
            if not isinstance(found, Failure):
                break
        if isinstance(found, Failure):
            return found
        flavours, seconds = found
        chosen = [dict(first)]
        for others in rounds[1:]:
            chosen += self.first_working(arguments, inputs, first, others)
        return Setup(arguments, inputs, chosen, flavours[:1] if seconds > SLOW else flavours)

    def first_working(
        self,
        arguments: ConstructorArguments,
        inputs: Mapping[str, Spec],
        sizes: Mapping[str, int],
        others: Sequence[Mapping[str, int]],
    ) -> list[dict[str, int]]:
        """Return a list with the first of `others` on which a block works after `sizes`; empty if none works."""
        for tried in others:
            if tried == sizes or tried.keys() != sizes.keys():
                continue
            if not isinstance(self.run(arguments, inputs, tried, sizes), Failure):
                return [dict(tried)]
        return []


def _kinds(outputs: Mapping[str, Any]) -> str:
    shown = [leaf if isinstance(leaf, str) else f"{type(leaf).__name__}" for leaf in outputs.values()]
    return ", ".join(dict.fromkeys(shown)) or "it is empty"
