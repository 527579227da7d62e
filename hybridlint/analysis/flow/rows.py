"""Arrays that eager runs have where the trace has several outputs of an operator.

An example is ``parts = x if F is mx.nd else F.split(x, axis=0, num_outputs=2, squeeze_axis=True)``. A subscript and a
loop take rows of the array, or outputs, which may be equal. Every other use takes the whole array, and raises at the
trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from hybridlint.analysis.model.lattice import join, parts
from hybridlint.analysis.model.values import (
    ContainerValue,
    EagerTracePair,
    Outputs,
    ShapeProvenance,
    Tensor,
    Value,
)
from hybridlint.runtime.facts.dims import product
from hybridlint.runtime.facts.types import Shape, TensorType

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

_BOTH_RUNS = 2


def has_rows(value: Value) -> TypeGuard[EagerTracePair]:
    """Return whether a value is one array in eager runs, and several outputs at the trace."""
    return isinstance(value, EagerTracePair) and isinstance(value.eager, Tensor) and isinstance(value.traced, Outputs)


def emit_whole_use(act: Activation, value: Value) -> None:
    """Emit an event for the guard around a use of an array that is several outputs at the trace.

    The use is an operand, an argument of an operator or a layer, or a result of the block.
    """
    if isinstance(value, ContainerValue):
        for part in parts(value):
            emit_whole_use(act, part)
    if has_rows(value) and value.tell is not None and len(act.flow.worlds) == _BOTH_RUNS:
        value.tell(chooses=False)


def row(act: Activation, value: EagerTracePair, eager: Value, traced: Value) -> Value:
    """Return one row of an array that is one output at the trace. Emit an event if their sizes differ."""
    if not isinstance(eager, Tensor) or not isinstance(traced, Tensor):
        return EagerTracePair(eager, traced, tell=value.tell)
    if value.tell is not None and _have_other_sizes(eager.type.shape, traced.type.shape):
        value.tell(chooses=False)
    return join(eager, traced)


def any_row(act: Activation, value: EagerTracePair) -> Tensor:
    """Return the row that a loop takes in one of its steps."""
    assert isinstance(value.eager, Tensor)
    return act.tensor(type=TensorType(), lineage=ShapeProvenance(act.run.token()), flows=value.eager.flows)


def _have_other_sizes(one: Shape | None, other: Shape | None) -> bool:
    """Return whether two shapes have different numbers of elements. Other shapes of as many may be reshaped alike."""
    known = one is not None and other is not None and all(isinstance(size, int) for size in (*one, *other))
    return known and one is not None and other is not None and product(one) != product(other)
