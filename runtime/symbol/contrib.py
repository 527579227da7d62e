"""Operators of ``mx.sym.contrib``, found in the registry."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.core.namespaces import fill
from hybridlint.runtime.facts import registry
from hybridlint.runtime.symbol.functions import make_function


def adamw_update(*args: Any, **kwargs: Any) -> Any:
    """Raise MXNetError: updates change their inputs, and no symbol can."""
    return make_function(registry.get("_adamw_update"), "adamw_update")(*args, **kwargs)


def mp_adamw_update(*args: Any, **kwargs: Any) -> Any:
    """Raise MXNetError: updates change their inputs, and no symbol can."""
    return make_function(registry.get("_mp_adamw_update"), "mp_adamw_update")(*args, **kwargs)


#: Control flow is made of compiled graphs, and these of symbols.
_CONTROL_FLOW = dict.fromkeys(("cond", "foreach", "while_loop"), "hybridlint.runtime.control_flow.traced")

__getattr__, __dir__ = fill("contrib", make_function, globals(), functions=_CONTROL_FLOW)
