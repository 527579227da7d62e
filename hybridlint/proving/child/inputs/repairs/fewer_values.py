"""Repairs that give an input fewer values: one index for each item, or a single number."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.specs.spec import Spec, TensorSpec

#: The error of a branch on an array of several numbers.
_TRUTH = "truth value of an NDArray with multiple elements"
_BROADCAST = "broadcast"


def with_fewer_values(inputs: Mapping[str, Spec], failure: Failure) -> Iterator[dict[str, Spec]]:
    """Yield versions of `inputs` in which indices have the axis of the batch alone, or a branch has one number.

    Indices such as those of users and items mostly come one for each item of a batch, those of words as sequences.
    """
    if _TRUTH in failure.sentence:
        for name in failure.blame.names:
            spec = inputs.get(name)
            if isinstance(spec, TensorSpec) and spec.shape != (1,):
                yield {**inputs, name: replace(spec, shape=(1,), single=frozenset({0}))}
    whole = {name: spec for name, spec in inputs.items() if isinstance(spec, TensorSpec) and spec.integers}
    if _BROADCAST in failure.sentence and any(len(spec.shape) > 1 for spec in whole.values()):
        yield {**inputs, **{name: spec.reshaped(spec.shape[:1]) for name, spec in whole.items()}}
