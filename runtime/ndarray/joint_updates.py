"""Functions of ``mx.nd.contrib`` that update weights. Some take several weights at once, as lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridlint.runtime.facts import registry
from hybridlint.runtime.ndarray.creation import full
from hybridlint.runtime.ndarray.functions import make_function
from hybridlint.runtime.ndarray.ndarray import NDArray


def _call(name: str, inputs: Sequence[Any], out: Any, params: dict[str, Any]) -> Any:
    return make_function(registry.get(name), name)(*inputs, out=out, **params)


def _scale(rescale_grad: Any, like: NDArray) -> NDArray:
    if isinstance(rescale_grad, NDArray):
        return rescale_grad
    return full((1,), rescale_grad, ctx=like.context)


def _flat(*lists: Sequence[NDArray]) -> list[NDArray]:
    return [array for row in zip(*lists, strict=True) for array in row]


def adamw_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    rescale_grad: Any,
    lr: float,
    eta: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0,
    clip_gradient: float = -1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Take a step of Adam with decay apart from the gradient."""
    numbers = {"lr": lr, "eta": eta, "beta1": beta1, "beta2": beta2, "epsilon": epsilon}
    inputs = (weight, grad, mean, var, _scale(rescale_grad, weight))
    return _call("_adamw_update", inputs, out, {**numbers, "wd": wd, "clip_gradient": clip_gradient, **kwargs})


def mp_adamw_update(
    weight: NDArray,
    grad: NDArray,
    mean: NDArray,
    var: NDArray,
    weight32: NDArray,
    rescale_grad: Any,
    lr: float,
    eta: float,
    beta1: float = 0.9,
    beta2: float = 0.999,
    epsilon: float = 1e-8,
    wd: float = 0,
    clip_gradient: float = -1,
    out: Any = None,
    name: str | None = None,
    **kwargs: Any,
) -> Any:
    """Take a step of Adam with a weight in half precision and its copy in float32."""
    numbers = {"lr": lr, "eta": eta, "beta1": beta1, "beta2": beta2, "epsilon": epsilon}
    inputs = (weight, grad, mean, var, weight32, _scale(rescale_grad, weight))
    return _call("_mp_adamw_update", inputs, out, {**numbers, "wd": wd, "clip_gradient": clip_gradient, **kwargs})


def multi_adamw_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    rescale_grad: Any,
    lrs: Sequence[float],
    wds: Sequence[float],
    etas: Sequence[float],
    out: Any = None,
    name: str | None = None,
    size: int = 0,
    **kwargs: Any,
) -> Any:
    """Take a step of Adam with each of several weights."""
    inputs = (*_flat(weights, grads, mean, var), _scale(rescale_grad, weights[0]))
    given = {"lrs": lrs, "wds": wds, "etas": etas, "num_weights": size or len(weights)}
    return _call("_multi_adamw_update", inputs, out, {**given, **kwargs})


def multi_mp_adamw_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    weights32: Sequence[NDArray],
    rescale_grad: Any,
    lrs: Sequence[float],
    wds: Sequence[float],
    etas: Sequence[float],
    out: Any = None,
    name: str | None = None,
    size: int = 0,
    **kwargs: Any,
) -> Any:
    """Take a step of Adam with each of several weights in half precision."""
    inputs = (*_flat(weights, grads, mean, var, weights32), _scale(rescale_grad, weights[0]))
    given = {"lrs": lrs, "wds": wds, "etas": etas, "num_weights": size or len(weights)}
    return _call("_multi_mp_adamw_update", inputs, out, {**given, **kwargs})


def multi_lamb_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    step_count: Sequence[int],
    lrs: Sequence[float],
    wds: Sequence[float],
    out: Any = None,
    num_tensors: int = 0,
    **kwargs: Any,
) -> Any:
    """Take a step of LAMB with each of several weights."""
    given = {"learning_rates": lrs, "wds": wds, "step_count": step_count, "num_tensors": num_tensors or len(weights)}
    return _call("_multi_lamb_update", _flat(weights, grads, mean, var), out, {**given, **kwargs})


def multi_mp_lamb_update(
    weights: Sequence[NDArray],
    grads: Sequence[NDArray],
    mean: Sequence[NDArray],
    var: Sequence[NDArray],
    weights32: Sequence[NDArray],
    step_count: Sequence[int],
    lrs: Sequence[float],
    wds: Sequence[float],
    out: Any = None,
    num_tensors: int = 0,
    **kwargs: Any,
) -> Any:
    """Take a step of LAMB with each of several weights in half precision."""
    given = {"learning_rates": lrs, "wds": wds, "step_count": step_count, "num_tensors": num_tensors or len(weights)}
    return _call("_multi_mp_lamb_update", _flat(weights, grads, mean, var, weights32), out, {**given, **kwargs})
