"""Functions of ``random`` that take numbers or tensors as parameters, shared by ``nd`` and ``sym``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hybridlint.runtime.facts.surface import DISTRIBUTIONS

Call = Callable[[str, list[Any], Mapping[str, Any]], Any]


def make_distribution(name: str, tensor: type, call: Call) -> Callable[..., Any]:
    """Return ``random.NAME``. `call` runs an operator by name on inputs and keyword arguments.

    The function raises AssertionError if parameters mix numbers and tensors.
    """
    defaults = DISTRIBUTIONS[name]

    def function(*args: Any, **kwargs: Any) -> Any:
        order = [*defaults, "shape", "dtype", "ctx", "out"]
        if len(args) > len(order):
            raise TypeError(f"{name}() takes at most {len(order)} positional arguments")
        given = {**defaults, **dict(zip(order, args, strict=False)), **kwargs}
        given = {k: v for k, v in given.items() if v is not None}
        values = [given.pop(k) for k in defaults]
        tensors = [isinstance(v, tensor) for v in values]
        if all(tensors):
            return call(f"_sample_{name}", _rates(name, values), given)
        if any(tensors):
            raise AssertionError(
                "Distribution parameters must all have the same type, but got "
                f"{', '.join(str(type(v)) for v in values)}."
            )
        return call(f"_random_{name}", [], {**_named(name, defaults, values), **given})

    function.__name__ = function.__qualname__ = name
    function.__doc__ = (
        f"Draw from the {name.replace('_', ' ')} distribution; `shape` draws for each element of tensor parameters."
    )
    return function


def _named(name: str, defaults: Mapping[str, float], values: list[Any]) -> dict[str, Any]:
    if name == "exponential":
        return {"lam": 1.0 / values[0]}
    return dict(zip(defaults, values, strict=True))


def _rates(name: str, values: list[Any]) -> list[Any]:
    """Convert the scale of an exponential distribution to the rate that MXNet's sampler takes."""
    return [1.0 / values[0]] if name == "exponential" else values
