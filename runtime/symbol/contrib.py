"""Operators of ``mx.sym.contrib``, found in the registry."""

from __future__ import annotations

import math
from typing import Any

from hybridlint.runtime.core.namespaces import fill
from hybridlint.runtime.facts import registry
from hybridlint.runtime.symbol import random
from hybridlint.runtime.symbol.functions import make_function
from hybridlint.runtime.symbol.symbol import Symbol


def adamw_update(*args: Any, **kwargs: Any) -> Any:
    """Raise MXNetError: updates change their inputs, and no symbol can."""
    return make_function(registry.get("_adamw_update"), "adamw_update")(*args, **kwargs)


def mp_adamw_update(*args: Any, **kwargs: Any) -> Any:
    """Raise MXNetError: updates change their inputs, and no symbol can."""
    return make_function(registry.get("_mp_adamw_update"), "mp_adamw_update")(*args, **kwargs)


def rand_zipfian(true_classes: Symbol, num_sampled: int, range_max: int) -> tuple[Symbol, Symbol, Symbol]:
    """Return draws of classes, and the expected counts of the true and of the drawn ones: see ``mx.nd.contrib``."""
    span = math.log(range_max + 1)
    draws = random.__dict__["uniform"](0, span, shape=(num_sampled,), dtype="float64")
    classes = (draws.exp() - 1).astype("int64") % range_max

    def expected(wanted: Symbol) -> Symbol:
        number = wanted.astype("float64")
        return ((number + 2) / (number + 1)).log() / span * num_sampled  # type: ignore[no-any-return]

    return classes, expected(true_classes), expected(classes)


#: Control flow is made of compiled graphs, and these of symbols.
_CONTROL_FLOW = dict.fromkeys(("cond", "foreach", "while_loop"), "hybridlint.runtime.control_flow.traced")

__getattr__, __dir__ = fill("contrib", make_function, globals(), functions=_CONTROL_FLOW)
