"""Operators that behave differently in train mode, and the arguments that prevent it."""

from __future__ import annotations

from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.shape_provenance import UNSTATED
from hybridlint.analysis.mxnet.operators.results import bound_parameters
from hybridlint.runtime.facts.registry import Operator


def operator_asks(operator: Operator | None, arguments: ArgumentsEvent) -> bool:
    """Return whether an operator's call may behave differently in train mode."""
    if operator is None or not operator.modal:
        return False
    params = bound_parameters(operator, arguments)
    if params is None:
        return True
    return operator.asks_mode({name: value for name, value in params.items() if value is not UNSTATED})
