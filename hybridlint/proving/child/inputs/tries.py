"""Running a block eagerly on inputs, to see whether it takes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hybridlint.proving.child.build.arguments import Arguments
from hybridlint.proving.child.build.blocks import build, seed_all
from hybridlint.proving.child.clock import now
from hybridlint.proving.child.compare.results import flatten
from hybridlint.proving.child.errors import STORED, Failure, failure
from hybridlint.proving.child.inputs.specs import FLAVOURS, Spec, World
from hybridlint.proving.child.runs.runs import Call, inputs_of
from hybridlint.proving.child.runs.setup import Setup

#: Seconds of one forward from which fewer random inputs are run.
SLOW = 0.3


class Tries:
    """Tries of one class, whose errors are told with their rows in the file `path`."""

    def __init__(self, world: World, cls: Any, path: str) -> None:
        self.world = world
        self.cls = cls
        self.path = path
        #: Whether inputs must also run in train mode, as those do that a block is meant for.
        self.trains = False
        #: What ran last: how it was built and called, and the block.
        self._last: tuple[object, Any] | None = None

    def run(
        self,
        arguments: Arguments,
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
            block = self._after(arguments, inputs, earlier)
        except Exception as error:
            return failure(error, self.path)
        for flavour in range(FLAVOURS):
            start = now()
            try:
                call = Call(tuple(sizes.items()), flavour, "predict")
                values = inputs_of(self.world, inputs, call)
                seed_all(self.world.mx, flavour + 1)
                outputs = dict(flatten(block(*values), "output"))
                seconds = now() - start
            except Exception as error:
                first = first or failure(error, self.path)
                if works and self.trains:
                    # What it draws, or the data, decides which layers it has: others take no such inputs.
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

    def _untrained(self, block: Any, values: list[Any], seconds: float) -> Failure | None:
        """Return why a block fails in train mode on what it takes in predict mode, None where it does not.

        What is stored in place cannot be recorded, and what the engine lacks it lacks: that says nothing of the inputs.
        """
        if seconds > SLOW or not self.trains:
            return None
        try:
            with self.world.mx.autograd.record(train_mode=True):
                block(*values)
        except Exception as error:
            found = failure(error, self.path)
            return None if found.lacking or STORED.search(found.sentence) else found
        return None

    def _after(self, arguments: Arguments, inputs: Mapping[str, Spec], earlier: Mapping[str, int] | None) -> Any:
        """Return a new block, or one that has run with the sizes of `earlier`."""
        if earlier is None:
            return build(self.world, self.cls, *arguments)
        if self._last is not None and self._last[0] == (arguments, dict(inputs), dict(earlier)):
            return self._last[1]
        block = build(self.world, self.cls, *arguments)
        block(*inputs_of(self.world, inputs, Call(tuple(earlier.items()), 0, "predict")))
        return block

    def setup(
        self, arguments: Arguments, inputs: dict[str, Spec], rounds: Sequence[Sequence[Mapping[str, int]]]
    ) -> Setup | Failure:
        """Return the setup of inputs that were seen, or why it does not run.

        For each round there are sizes to try in turn; only the first round must run.
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
        arguments: Arguments,
        inputs: Mapping[str, Spec],
        sizes: Mapping[str, int],
        others: Sequence[Mapping[str, int]],
    ) -> list[dict[str, int]]:
        """Return the first of other sizes on which a block runs that has run on `sizes`, none where there is none."""
        for tried in others:
            if tried == sizes or tried.keys() != sizes.keys():
                continue
            if not isinstance(self.run(arguments, inputs, tried, sizes), Failure):
                return [dict(tried)]
        return []


def _kinds(outputs: Mapping[str, Any]) -> str:
    shown = [leaf if isinstance(leaf, str) else f"{type(leaf).__name__}" for leaf in outputs.values()]
    return ", ".join(dict.fromkeys(shown)) or "it is empty"
