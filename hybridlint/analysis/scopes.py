"""Scopes of autograd: what the code in them makes, and whether a gradient can pass through it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hybridlint.analysis.lattice import element
from hybridlint.analysis.values import Divergent, ForeignTensor, Items, Outputs, Tensor, Unknown, Value

if TYPE_CHECKING:
    from hybridlint.analysis.state import Activation, Flow


def made_in(act: Activation, scope: ast.With, before: Flow) -> Iterator[Value]:
    """Yield what a scope has bound to names that are read outside of it, or to attributes of self."""
    inside = {id(node) for node in ast.walk(scope)}
    outside = ast.walk(act.node) if act.node is not None else ()
    read = {n.id for n in outside if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and id(n) not in inside}
    for name, value in act.flow.names.items():
        if (name in read or name.startswith("self.")) and before.names.get(name) is not value:
            yield value


def lets_gradients_pass(value: Value) -> bool:
    """Return whether a gradient can pass through a value; what is unknown may let it."""
    match value:
        case Tensor() | Outputs():
            return value.flows
        case Items(items=None):
            return lets_gradients_pass(element(value))
        case Items(items=items):
            return any(map(lets_gradients_pass, items or ()))
        case Divergent():
            return lets_gradients_pass(value.eager) or lets_gradients_pass(value.traced)
        case _:
            return isinstance(value, Unknown | ForeignTensor)
