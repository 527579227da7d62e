"""Operators that do something else in train mode, and the arguments for which they do not."""

from __future__ import annotations

from hybridlint.analysis.model.events import Arguments
from hybridlint.analysis.model.lineages import UNTOLD
from hybridlint.analysis.mxnet.operators import bound_parameters
from hybridlint.runtime.registry import Operator


def operator_asks(operator: Operator | None, arguments: Arguments) -> bool:
    """Return whether a call of an operator may do something else in train mode."""
    if operator is None or not operator.modal:
        return False
    params = bound_parameters(operator, arguments)
    if params is None:
        return True
    if "act_type" in params:
        return params["act_type"] is UNTOLD or params["act_type"] == "rrelu"
    if "p" in params:
        always = params.get("mode") is not UNTOLD and params.get("mode") == "always"
        return (params["p"] is UNTOLD or bool(params["p"])) and not always
    return params.get("use_global_stats") is not True
