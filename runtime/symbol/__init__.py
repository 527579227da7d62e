"""``mx.sym``: operators that build a graph instead of computing."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.core.namespaces import NUMPY_MODE, fill
from hybridlint.runtime.symbol import _internal, contrib, image, linalg, methods, op, random, sparse
from hybridlint.runtime.symbol.arithmetic import hypot, maximum, minimum, pow, power
from hybridlint.runtime.symbol.creation import (
    Group,
    Variable,
    arange,
    eye,
    full,
    histogram,
    linspace,
    load,
    load_json,
    ones,
    split_v2,
    var,
    zeros,
)
from hybridlint.runtime.symbol.functions import make_function
from hybridlint.runtime.symbol.symbol import Symbol

import hybridlint.runtime.merged  # isort: skip  # adds its operators to those of graphs


def Custom(*args: Any, op_type: str | None = None, **kwargs: Any) -> Symbol:
    """Return the node of a registered custom operator. Raises MXNetError if it is not registered."""
    from hybridlint.runtime.operator.custom import find

    kept = {k: v for k, v in kwargs.items() if k in {"name", "attr", "out"} or isinstance(v, Symbol)}
    params = {"op_type": op_type, **{k: v for k, v in kwargs.items() if k not in kept}}
    return make_function(find(params), "Custom")(*args, **kept, **{k: str(v) for k, v in params.items()})


__getattr__, __dir__ = fill("", make_function, globals(), NUMPY_MODE)
