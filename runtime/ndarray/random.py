"""Random draws of ``mx.nd.random``."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.core.random_functions import make_distribution
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.surface import DISTRIBUTIONS
from hybridlint.runtime.ndarray.functions import make_function
from hybridlint.runtime.ndarray.ndarray import NDArray


def _call(name: str, inputs: list[Any], kwargs: Any) -> Any:
    return make_function(registry.get(name), name)(*inputs, **kwargs)


def randint(
    low: int, high: int, shape: Any = None, dtype: Any = None, ctx: Any = None, out: Any = None, **kwargs: Any
) -> NDArray:
    """Draw integers from ``low`` up to but not including ``high``."""
    given = {"low": low, "high": high, "shape": shape, "dtype": dtype, "ctx": ctx, "out": out, **kwargs}
    return _call("_random_randint", [], {k: v for k, v in given.items() if v is not None})  # type: ignore[no-any-return]


def randn(*shape: int, loc: float = 0, scale: float = 1, **kwargs: Any) -> NDArray:
    """Draw from the normal distribution, with the shape as arguments."""
    return globals()["normal"](loc, scale, shape=shape or (1,), **kwargs)  # type: ignore[no-any-return]


def multinomial(
    data: NDArray, shape: Any = None, get_prob: bool = False, out: Any = None, dtype: Any = "int32", **kwargs: Any
) -> Any:
    """Draw indices with the probabilities in the last dimension of `data`."""
    given = {"shape": shape, "get_prob": get_prob, "dtype": dtype, "out": out, **kwargs}
    return _call("_sample_multinomial", [data], {k: v for k, v in given.items() if v is not None})


def shuffle(data: NDArray, **kwargs: Any) -> NDArray:
    """Shuffle along the first dimension."""
    return _call("_shuffle", [data], kwargs)  # type: ignore[no-any-return]


globals().update({name: make_distribution(name, NDArray, _call) for name in DISTRIBUTIONS})


def __getattr__(name: str) -> Any:
    op = registry.find(f"_random_{name}") if name.endswith("_like") else None
    if op is None:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return make_function(op, name)
