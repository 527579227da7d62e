"""Operators of ``mx.nd.contrib``, found in the registry."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from hybridlint.runtime.core.namespaces import fill
from hybridlint.runtime.ndarray import joint_updates, random
from hybridlint.runtime.ndarray.functions import make_function
from hybridlint.runtime.ndarray.ndarray import NDArray


def _test(name: str) -> Callable[[NDArray], NDArray]:
    def function(data: NDArray) -> NDArray:
        with data._platform.computing():
            holds = getattr(data._platform.xp, name)(data._data)
            return NDArray._wrap(holds.astype(data._data.dtype))._on(data._ctx)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return 1 where {name} holds, else 0; there is no such operator in ``mx.sym.contrib``."
    return function


def rand_zipfian(
    true_classes: NDArray, num_sampled: int, range_max: int, ctx: Any = None
) -> tuple[NDArray, NDArray, NDArray]:
    """Draw classes below `range_max` log-uniformly, so that frequent classes (small numbers) come more often.

    Returns the draws (int64), and the expected counts of the true and of the drawn classes (float64).
    """
    span = math.log(range_max + 1)
    draws = random.uniform(0, span, shape=(num_sampled,), dtype="float64", ctx=ctx)
    classes = (draws.exp() - 1).astype("int64") % range_max

    def expected(wanted: NDArray) -> NDArray:
        number = wanted.astype("float64")
        return ((number + 2) / (number + 1)).log() / span * num_sampled  # type: ignore[no-any-return]

    return classes, expected(true_classes), expected(classes)


isnan = _test("isnan")
isinf = _test("isinf")
isfinite = _test("isfinite")

adamw_update = joint_updates.adamw_update
mp_adamw_update = joint_updates.mp_adamw_update
multi_adamw_update = joint_updates.multi_adamw_update
multi_lamb_update = joint_updates.multi_lamb_update
multi_mp_adamw_update = joint_updates.multi_mp_adamw_update
multi_mp_lamb_update = joint_updates.multi_mp_lamb_update

#: Control flow is made of arrays.
_CONTROL_FLOW = dict.fromkeys(("cond", "foreach", "while_loop"), "hybridlint.runtime.control_flow.eager")

__getattr__, __dir__ = fill("contrib", make_function, globals(), functions=_CONTROL_FLOW)
