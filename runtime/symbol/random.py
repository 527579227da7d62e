"""Random draws of ``mx.sym.random``. Without a shape a draw takes the shape that its use asks for."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.core.random_functions import make_distribution
from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.surface import DISTRIBUTIONS
from hybridlint.runtime.symbol.functions import make_function
from hybridlint.runtime.symbol.symbol import Symbol


def _call(name: str, inputs: list[Any], kwargs: Any) -> Any:
    return make_function(registry.get(name), name)(
        *inputs, **{k: v for k, v in kwargs.items() if k not in {"out", "ctx"}}
    )


def randint(low: int, high: int, shape: Any = None, dtype: Any = None, **kwargs: Any) -> Symbol:
    """Draw integers from ``low`` up to but not including ``high``."""
    given = {"low": low, "high": high, "shape": shape, "dtype": dtype, **kwargs}
    return _call("_random_randint", [], {k: v for k, v in given.items() if v is not None})  # type: ignore[no-any-return]


def randn(*shape: int, loc: float = 0, scale: float = 1, **kwargs: Any) -> Symbol:
    """Draw from the normal distribution, with the shape as arguments; without one it is that which the use asks for."""
    return globals()["normal"](loc, scale, shape=shape or None, **kwargs)  # type: ignore[no-any-return]


def multinomial(data: Symbol, shape: Any = None, get_prob: bool = True, dtype: Any = "int32", **kwargs: Any) -> Symbol:
    """Draw indices with the probabilities in the last dimension of `data`, by default with their log likelihoods."""
    given = {"shape": shape, "get_prob": get_prob, "dtype": dtype, **kwargs}
    return _call("_sample_multinomial", [data], {k: v for k, v in given.items() if v is not None})  # type: ignore[no-any-return]


def shuffle(data: Symbol, **kwargs: Any) -> Symbol:
    """Shuffle along the first dimension."""
    return _call("_shuffle", [data], kwargs)  # type: ignore[no-any-return]


globals().update({name: make_distribution(name, Symbol, _call) for name in DISTRIBUTIONS})


def __getattr__(name: str) -> Any:
    op = registry.find(f"_random_{name}") if name.endswith("_like") else None
    if op is None:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return make_function(op, name)
