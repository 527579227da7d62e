"""Operators and layers that do something else in train mode, with arguments for which they do not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hybridlint.analysis.operators import constant
from hybridlint.analysis.tables import words

_OPERATORS = words("Dropout dropout BatchNorm batch_norm RNN rnn LeakyReLU leaky_relu")
#: Layers that ask for the mode.
MODAL = words("Dropout BatchNorm SyncBatchNorm BatchNormReLU DropoutCell ZoneoutCell VariationalDropoutCell")


def operator_asks(name: str, given: Mapping[str, Any]) -> bool:
    """Return whether an operator may do something else in train mode, given its arguments by name or position."""
    match name.lower().replace("_", ""):
        case "dropout":
            return _drops(given.get("p", given.get("1"))) and constant(given.get("mode", given.get("2"))) != "always"
        case "batchnorm":
            return constant(given.get("use_global_stats")) is not True
        case "rnn":
            return "p" in given and _drops(given["p"])
        case "leakyrelu":
            # Only this one draws slopes.
            return "act_type" in given and constant(given["act_type"]) not in {"leaky", "prelu", "elu", "selu", "gelu"}
        case _:
            return name in _OPERATORS


def layer_asks(layer: str, given: Mapping[str, Any]) -> bool:
    """Return whether a layer may do something else in train mode. `given` is what it was built with."""
    if layer in {"Dropout", "DropoutCell"}:
        return _drops(given.get("rate", given.get("0")))
    return layer in MODAL and constant(given.get("use_global_stats")) is not True


def _drops(rate: Any) -> bool:
    known = None if rate is None else constant(rate)
    return type(known) not in {int, float} or bool(known)
