"""Methods of tensors: methods that call an operator, and facts about methods of NDArray."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.registry import Operator


@cache
def fluent() -> Mapping[str, Operator]:
    """Return the operators that are methods of every tensor, by method; the tensor is the first input."""
    return {operator.method: operator for operator in registry.operators() if operator.method is not None}


#: Methods of both classes that call an operator of another name.
OTHER_METHODS = {
    "astype": "Cast",
    "copy": "_copy",
    "detach": "BlockGrad",
    "reshape": "Reshape",
    "split_v2": "_split_v2",
}

#: Methods of NDArray whose result shares the memory of their array, or is that array.
SHARING_MEMORY = frozenset(
    {
        *("reshape", "reshape_like", "reshape_view", "detach"),
        *("as_in_context", "as_in_ctx", "as_nd_ndarray", "as_np_ndarray"),
    }
)

#: Methods with a parameter ``inplace``, which makes NDArray's return a view.
TAKING_INPLACE = frozenset({"expand_dims", "flatten", "squeeze"})
