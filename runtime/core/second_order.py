"""Gradients that can be differentiated again, as in MXNet: those of some operators, outside of compiled graphs.

`Operator.differentiable_twice` says which; `tests/goldens/second_order.py` has asked MXNet on every operator's samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.runtime.autograd import Entry, TapeNode
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.facts.registry import Operator, Refusal

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray

#: The error message for a compiled graph.
COMPILED = (
    "CachedOp does not support higher order gradients: do not hybridize a block whose gradients are taken with "
    "create_graph=True"
)


def twice(op: Operator) -> bool:
    """Whether MXNet can differentiate the gradient of the operator."""
    return op.differentiable_twice or not op.differentiable


def refusal(op: Operator) -> str:
    """Return the error message for an operator without a differentiable gradient."""
    return (
        f"Operator {op.name} cannot be differentiated twice: MXNet has no gradient of its gradient. "
        "Take gradients with create_graph=True of other operators only"
    )


def seal_gradients(
    gradients: Sequence[NDArray | Refusal | None],
    heads: Sequence[NDArray | None],
    entries: Sequence[Entry | None],
    message: str,
) -> list[NDArray | Refusal | None]:
    """Return gradients that are recorded on the tape but not differentiable: backward through them raises MXNetError.

    They depend on the arrays `heads` and on the tape's `entries`; if neither is recorded, they are returned unchanged.
    `message` is the error's text.
    """
    sources = [*(None if head is None else head._entry for head in heads), *entries]
    if all(source is None for source in sources):
        return list(gradients)

    def pull(node: TapeNode, above: list[NDArray | None], recorded: bool) -> Sequence[NDArray | None]:
        raise MXNetError(message)

    node = TapeNode(pull, sources, len(gradients))
    return [
        g if g is None or isinstance(g, Refusal) else type(g)._wrap(g._data, (node, k)) for k, g in enumerate(gradients)
    ]
