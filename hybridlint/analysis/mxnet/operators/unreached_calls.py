"""The operators of code that no block is known to reach, under the name that everybody gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import Namespace, Unknown, Value

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

#: What everybody calls the namespace of operators.
FUNCTIONS = "F"
#: What modules of functions of arrays are called.
ARRAYS = frozenset({"nd", "ndarray"})


def found_operators(act: Activation, name: str, value: Value) -> Value:
    """Return the operators for an unknown value of their name, as in ``F = getF(x)``, and any other value as it is."""
    return Namespace("F") if name == FUNCTIONS and isinstance(value, Unknown) else value
