"""Axes of inputs that the code squeezes. Their size is 1 in every call, so no other size matches by chance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hybridlint.proving.child.brief.code import facts_of
from hybridlint.proving.child.specs.spec import Spec, TensorSpec


def with_single_axes(inputs: Mapping[str, Spec], forward: Any) -> dict[str, Spec]:
    """Return the inputs with the axes marked that `forward` squeezes; they are of size 1, or the eager run fails."""
    squeezed = facts_of(forward).inputs.squeezed
    return {name: _marked(spec, squeezed.get(name, ())) for name, spec in inputs.items()}


def _marked(spec: Spec, axes: Sequence[int]) -> Spec:
    if not isinstance(spec, TensorSpec) or not axes:
        return spec
    rank = len(spec.shape)
    single = {axis % rank for axis in axes if -rank <= axis < rank}
    return replace(spec, single=spec.single | {axis for axis in single if spec.shape[axis] == 1})
