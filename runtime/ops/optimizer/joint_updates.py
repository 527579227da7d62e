"""Updates of several weights in one operator, whose inputs are interleaved: all arrays of each weight in turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridlint.runtime.facts.registry import Kernel, Sample, op, sample
from hybridlint.runtime.facts.types import Floats, InferError, Ints, TensorType
from hybridlint.runtime.ops.optimizer.update_rules import (
    EAGER_ONLY,
    corrected,
    descend,
    infer_mixed,
    infer_update,
    prepared,
    push,
    rows,
    scaled,
    trusted,
    usable,
)

_VALUES: dict[str, Any] = {"low": 0.6, "high": 0.75}


def _infer(*data: TensorType, num_weights: int, mixed: bool, extra: int, **lists: Any) -> tuple[TensorType, ...]:
    for name, values in lists.items():
        if isinstance(values, tuple) and len(values) != num_weights:
            raise InferError(name, f"expected {num_weights} numbers, got {values}")
    rule = infer_mixed if mixed else infer_update
    return tuple(rule(*row) for row in rows(data, num_weights, extra))


def _samples(inputs: int, mixed: bool, extra: tuple[Ints, ...], **params: Any) -> list[Sample]:
    """Return a sample of two weights with `inputs` arrays each, followed by `extra` arrays."""
    each = ("float16", "float16", *("float32",) * (inputs - 2)) if mixed else ("float32",) * inputs
    return [sample(*((2, 3),) * inputs, *((4,),) * inputs, *extra, dtypes=each * 2, **_VALUES, **params)]


def _joint(inputs: int, *, mixed: bool, extra: tuple[Ints, ...] = (), **params: Any) -> Callable[[Kernel], Kernel]:
    """Return a decorator that registers an update of several weights with `inputs` arrays each."""
    counter = "num_tensors" if "num_tensors" in params else "num_weights"

    def infer(*data: TensorType, **given: Any) -> tuple[TensorType, ...]:
        return _infer(*data, **{"num_weights": given.pop(counter)}, mixed=mixed, extra=len(extra), **given)

    return op(
        infer=infer,
        outputs=lambda **given: given[counter],
        samples=_samples(inputs, mixed, extra, **params),
        facts=EAGER_ONLY,
    )


_SGD: dict[str, Any] = {"num_weights": 2, "rescale_grad": 0.5, "clip_gradient": 0.34}
_LISTS: dict[str, Any] = {"lrs": (0.1, 0.2), "wds": (0.0, 0.5)}
_RATES: tuple[Ints, ...] = ((2,), (2,))


def _steps(
    xp: Any, data: tuple[Any, ...], lrs: Any, wds: Any, momentum: float | None, rescale: float, clip: float, mixed: bool
) -> tuple[Any, ...]:
    """Return the new weights after a step of SGD, with momentum unless `momentum` is None."""
    results = []
    for (weight, grad, *states), lr, wd in zip(rows(data, len(lrs)), lrs, wds, strict=True):
        exact = states.pop() if mixed else weight
        step = prepared(xp, grad.astype(exact.dtype, copy=False), rescale, clip)
        moved = descend(exact, step, lr, wd) if momentum is None else push(exact, step, states[0], lr, wd, momentum)
        if mixed:
            exact[...] = moved
        results.append(moved.astype(weight.dtype, copy=False))
    return tuple(results)


@_joint(2, mixed=False, **_SGD, **_LISTS)
def multi_sgd_update(
    xp: Any,
    *data: Any,
    lrs: Floats,
    wds: Floats,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
) -> tuple[Any, ...]:
    """Take a step of stochastic gradient descent with each weight: (weight, gradient) each."""
    return _steps(xp, data, lrs, wds, None, rescale_grad, clip_gradient, False)


@_joint(3, mixed=False, momentum=0.9, **_SGD, **_LISTS)
def multi_sgd_mom_update(
    xp: Any,
    *data: Any,
    lrs: Floats,
    wds: Floats,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
) -> tuple[Any, ...]:
    """Take a step with momentum with each weight: (weight, gradient, momentum) each."""
    return _steps(xp, data, lrs, wds, momentum, rescale_grad, clip_gradient, False)


@_joint(3, mixed=True, **_SGD, **_LISTS)
def multi_mp_sgd_update(
    xp: Any,
    *data: Any,
    lrs: Floats,
    wds: Floats,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
) -> tuple[Any, ...]:
    """Take a step with each weight in half precision: (weight, gradient, float32 weight) each."""
    return _steps(xp, data, lrs, wds, None, rescale_grad, clip_gradient, True)


@_joint(4, mixed=True, momentum=0.9, **_SGD, **_LISTS)
def multi_mp_sgd_mom_update(
    xp: Any,
    *data: Any,
    lrs: Floats,
    wds: Floats,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
) -> tuple[Any, ...]:
    """Take a step with momentum with each weight in half precision: (weight, gradient, momentum, float32 weight)."""
    return _steps(xp, data, lrs, wds, momentum, rescale_grad, clip_gradient, True)


@_joint(2, mixed=False, extra=_RATES, **_SGD)
def preloaded_multi_sgd_update(
    xp: Any, *data: Any, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1
) -> tuple[Any, ...]:
    """multi_sgd_update with learning rates and weight decays as two arrays after the weights' inputs."""
    return _steps(xp, data[:-2], data[-2], data[-1], None, rescale_grad, clip_gradient, False)


@_joint(3, mixed=False, extra=_RATES, momentum=0.9, **_SGD)
def preloaded_multi_sgd_mom_update(
    xp: Any,
    *data: Any,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
) -> tuple[Any, ...]:
    """multi_sgd_mom_update with learning rates and weight decays as two arrays after the weights' inputs."""
    return _steps(xp, data[:-2], data[-2], data[-1], momentum, rescale_grad, clip_gradient, False)


@_joint(3, mixed=True, extra=_RATES, **_SGD)
def preloaded_multi_mp_sgd_update(
    xp: Any, *data: Any, rescale_grad: float = 1.0, clip_gradient: float = -1.0, num_weights: int = 1
) -> tuple[Any, ...]:
    """multi_mp_sgd_update with learning rates and weight decays as two arrays after the weights' inputs."""
    return _steps(xp, data[:-2], data[-2], data[-1], None, rescale_grad, clip_gradient, True)


@_joint(4, mixed=True, extra=_RATES, momentum=0.9, **_SGD)
def preloaded_multi_mp_sgd_mom_update(
    xp: Any,
    *data: Any,
    momentum: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
) -> tuple[Any, ...]:
    """multi_mp_sgd_mom_update with learning rates and weight decays as two arrays after the weights' inputs."""
    return _steps(xp, data[:-2], data[-2], data[-1], momentum, rescale_grad, clip_gradient, True)


_ADAMW: dict[str, Any] = {"etas": (1.0, 0.5), "clip_gradient": 0.34, "num_weights": 2}


def _adamw(
    xp: Any,
    data: tuple[Any, ...],
    lrs: Floats,
    wds: Floats,
    etas: Floats,
    moments: tuple[float, float, float],
    clip: float,
    mixed: bool,
) -> tuple[Any, ...]:
    """Return the new weights after a step of Adam with decoupled weight decay.

    `moments` are beta1, beta2 and epsilon. The last input is the scale of the gradients.
    """
    *weights, scale = data
    known = rows(tuple(weights), len(lrs))
    if not usable(xp, scale):
        return tuple(row[0].copy() for row in known)
    results = []
    for (weight, grad, mean, var, *copy), lr, wd, eta in zip(known, lrs, wds, etas, strict=True):
        exact = copy[0] if mixed else weight
        step = prepared(xp, grad.astype(exact.dtype, copy=False), scale, clip)
        moved = exact - eta * (scaled(xp, lr, step, mean, var, *moments) + wd * exact)
        if mixed:
            exact[...] = moved
        results.append(moved.astype(weight.dtype, copy=False))
    return tuple(results)


@_joint(4, mixed=False, extra=((1,),), **_LISTS, **_ADAMW)
def _multi_adamw_update(
    xp: Any,
    *data: Any,
    lrs: Floats,
    beta1: float = 0.899999976,
    beta2: float = 0.999000013,
    epsilon: float = 9.99999994e-09,
    wds: Floats,
    etas: Floats,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
) -> tuple[Any, ...]:
    """Take a step of AdamW with each weight: (weight, gradient, mean, variance) each, and the scale of gradients."""
    return _adamw(xp, data, lrs, wds, etas, (beta1, beta2, epsilon), clip_gradient, False)


@_joint(5, mixed=True, extra=((1,),), **_LISTS, **_ADAMW)
def _multi_mp_adamw_update(
    xp: Any,
    *data: Any,
    lrs: Floats,
    beta1: float = 0.899999976,
    beta2: float = 0.999000013,
    epsilon: float = 9.99999994e-09,
    wds: Floats,
    etas: Floats,
    clip_gradient: float = -1.0,
    num_weights: int = 1,
) -> tuple[Any, ...]:
    """Take a step of AdamW with each weight in half precision: (weight, gradient, mean, variance, float32 weight)."""
    return _adamw(xp, data, lrs, wds, etas, (beta1, beta2, epsilon), clip_gradient, True)


_LAMB: dict[str, Any] = {
    "learning_rates": (0.1, 0.2),
    "wds": (0.0, 0.5),
    "step_count": (1, 3),
    "num_tensors": 2,
    "rescale_grad": 0.5,
    "clip_gradient": 0.34,
    "lower_bound": 0.1,
    "upper_bound": 1.2,
}


def _lamb(
    xp: Any,
    data: tuple[Any, ...],
    rates: tuple[Floats, Floats, Ints],
    moments: tuple[float, float, float],
    bounds: tuple[float, float],
    prepare: Callable[[Any], Any],
    bias_correction: bool,
    mixed: bool,
) -> tuple[Any, ...]:
    """Return the new weights after a step of LAMB. `rates` are the learning rates, weight decays and step counts."""
    results = []
    for (weight, grad, mean, var, *copy), lr, wd, t in zip(rows(data, len(rates[0])), *rates, strict=True):
        exact = copy[0] if mixed else weight
        step = prepare(grad.astype(exact.dtype, copy=False))
        direction = corrected(xp, step, mean, var, *moments, t, bias_correction) + wd * exact
        r1, r2 = (xp.sqrt(xp.square(values).sum()) for values in (exact, direction))
        moved = exact - trusted(xp, lr, r1, r2, *bounds).astype(exact.dtype) * direction
        if mixed:
            exact[...] = moved
        results.append(moved.astype(weight.dtype, copy=False))
    return tuple(results)


@_joint(4, mixed=False, **_LAMB)
def _multi_lamb_update(
    xp: Any,
    *data: Any,
    learning_rates: Floats,
    beta1: float = 0.899999976,
    beta2: float = 0.999000013,
    epsilon: float = 9.99999997e-07,
    wds: Floats,
    rescale_grad: float = 1.0,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    clip_gradient: float = -1.0,
    bias_correction: bool = True,
    step_count: Ints,
    num_tensors: int = 1,
) -> tuple[Any, ...]:
    """Take a step of LAMB with each weight: (weight, gradient, mean, variance) each."""
    rates, moments = (learning_rates, wds, step_count), (beta1, beta2, epsilon)
    bounds = (lower_bound, upper_bound)
    return _lamb(
        xp, data, rates, moments, bounds, lambda g: prepared(xp, g, rescale_grad, clip_gradient), bias_correction, False
    )


@_joint(5, mixed=True, **_LAMB)
def _multi_mp_lamb_update(
    xp: Any,
    *data: Any,
    learning_rates: Floats,
    beta1: float = 0.899999976,
    beta2: float = 0.999000013,
    epsilon: float = 9.99999997e-07,
    wds: Floats,
    rescale_grad: float = 1.0,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
    clip_gradient: float = -1.0,
    bias_correction: bool = True,
    step_count: Ints,
    num_tensors: int = 1,
) -> tuple[Any, ...]:
    """_multi_lamb_update in half precision, with a float32 weight as fifth input of each."""
    rates, moments = (learning_rates, wds, step_count), (beta1, beta2, epsilon)
    bounds = (lower_bound, upper_bound)
    return _lamb(
        xp, data, rates, moments, bounds, lambda g: prepared(xp, g, rescale_grad, clip_gradient), bias_correction, True
    )


def _infer_lars(lrs: TensorType, *others: TensorType) -> TensorType:
    return infer_update(lrs, *others)


@op(
    infer=_infer_lars,
    samples=[
        sample((3,), (3,), (3,), (3,), low=0.0, high=1.0, eta=0.1, eps=1e-8, rescale_grad=0.5),
        sample((2,), (2,), (2,), (2,), low=0.0, high=0.0, eta=0.1, eps=1e-8),
    ],
)
def multi_lars(
    xp: Any,
    lrs: Any,
    weights_sum_sq: Any,
    grads_sum_sq: Any,
    wds: Any,
    /,
    *,
    eta: float,
    eps: float,
    rescale_grad: float = 1.0,
) -> Any:
    """Return LARS's learning rate of each weight, given the sums of squares of weights and gradients."""
    norms, slopes = xp.sqrt(weights_sum_sq), xp.sqrt(grads_sum_sq)
    usable_ones = (norms > 0) & (slopes > 0)
    ratio = eta * norms / xp.where(usable_ones, slopes * rescale_grad + wds * norms + eps, 1)
    return xp.where(usable_ones, lrs * ratio, lrs).astype(lrs.dtype, copy=False)


@op(
    infer=lambda *data: (),
    outputs=0,
    samples=[sample((2, 3), (4,), num_arrays=2)],
    facts=EAGER_ONLY,
)
def reset_arrays(xp: Any, *data: Any, num_arrays: int) -> tuple[Any, ...]:
    """Fill all arrays with zeros."""
    for array in data:
        array[...] = 0
    return ()
