"""Updates of one weight: the new weight is returned, states change in place."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.registry import sample
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.ops.optimizer.update_rules import (
    blend,
    blend_square,
    check_norms,
    corrected,
    descend,
    infer_update,
    limited,
    look_ahead,
    powered,
    prepared,
    push,
    scaled,
    trusted,
    update,
    usable,
)
from hybridlint.runtime.ops.storage.updates import LAZY, LAZY_ONLY

#: Values for which all states make sense.
_POSITIVE: dict[str, Any] = {"low": 0.6, "high": 0.75}
_TUNED: dict[str, Any] = {"lr": 0.1, "wd": 0.5, "rescale_grad": 0.5, "clip_gradient": 0.34, **_POSITIVE}


def _two(count: int, **params: Any) -> tuple[Any, Any]:
    """Return two samples with `count` arrays: one with default parameters, one with all parameters set."""
    shapes = ((2, 3),) * count
    return sample(*shapes, lr=0.1, **_POSITIVE), sample(*shapes, **_TUNED, **params)


@update(*_two(2), aliases=("_sparse_sgd_update",), storage=LAZY)
def sgd_update(
    xp: Any,
    weight: Any,
    grad: Any,
    /,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
) -> Any:
    """Take a step of stochastic gradient descent with decay."""
    return descend(weight, prepared(xp, grad, rescale_grad, clip_gradient), lr, wd)


@update(*_two(3, momentum=0.9), aliases=("_sparse_sgd_mom_update",), storage=LAZY)
def sgd_mom_update(
    xp: Any,
    weight: Any,
    grad: Any,
    mom: Any,
    /,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
) -> Any:
    """Take a step of stochastic gradient descent with momentum."""
    return push(weight, prepared(xp, grad, rescale_grad, clip_gradient), mom, lr, wd, momentum)


@update(*_two(3, momentum=0.9))
def nag_mom_update(
    xp: Any,
    weight: Any,
    grad: Any,
    mom: Any,
    /,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """Take a step with Nesterov's accelerated gradient."""
    return look_ahead(weight, prepared(xp, grad, rescale_grad, clip_gradient), mom, lr, wd, momentum)


@update(*_two(2))
def signsgd_update(
    xp: Any,
    weight: Any,
    grad: Any,
    /,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """Take a step along the signs of the gradient."""
    return descend(weight, xp.sign(grad), lr, wd)


@update(*_two(3, momentum=0.9, wd_lh=0.2))
def signum_update(
    xp: Any,
    weight: Any,
    grad: Any,
    mom: Any,
    /,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    wd_lh: float = 0.0,
) -> Any:
    """Take a step along the signs of the momentum."""
    step = prepared(xp, grad, rescale_grad, clip_gradient)
    mom[...] = momentum * mom - (1 - momentum) * wd * weight - (1 - momentum) * step
    return (1 - lr * wd_lh) * weight + lr * xp.sign(mom)


@update(*_two(4), aliases=("_sparse_adam_update",), storage=LAZY)
def adam_update(
    xp: Any,
    weight: Any,
    grad: Any,
    mean: Any,
    var: Any,
    /,
    *,
    lr: float,
    beta1: float = 0.899999976,
    beta2: float = 0.999000013,
    epsilon: float = 9.99999994e-09,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
) -> Any:
    """Take a step of Adam. The caller corrects the bias of the first steps in the learning rate."""
    step = limited(xp, grad * rescale_grad + wd * weight, clip_gradient)
    blend(mean, step, beta1)
    return weight - lr * mean / (xp.sqrt(blend_square(var, step, beta2)) + epsilon)


def _infer_adamw(weight: TensorType, grad: TensorType, mean: TensorType, var: TensorType, scale: TensorType) -> Any:
    return infer_update(weight, grad, mean, var)


@update(
    sample((2, 3), (2, 3), (2, 3), (2, 3), (1,), lr=0.1, eta=1.0, **_POSITIVE),
    sample((3,), (3,), (3,), (3,), (1,), lr=0.1, eta=0.5, wd=0.5, clip_gradient=0.34, **_POSITIVE),
    infer=_infer_adamw,
)
def _adamw_update(
    xp: Any,
    weight: Any,
    grad: Any,
    mean: Any,
    var: Any,
    rescale_grad: Any,
    /,
    *,
    lr: float,
    beta1: float = 0.899999976,
    beta2: float = 0.999000013,
    epsilon: float = 9.99999994e-09,
    wd: float = 0.0,
    eta: float,
    clip_gradient: float = -1.0,
) -> Any:
    """Take a step of Adam with decoupled weight decay; no step if the gradient scale is 0 or not finite.

    As in MXNet, the caller's gradient is left rescaled and clipped.
    """
    if not usable(xp, rescale_grad):
        return weight.copy()
    grad[...] = prepared(xp, grad, rescale_grad, clip_gradient)
    return weight - eta * (scaled(xp, lr, grad, mean, var, beta1, beta2, epsilon) + wd * weight)


@update(
    sample(*((2, 3),) * 5, lr=0.1, t=1, **_POSITIVE),
    sample(*((2, 3),) * 5, lr=0.1, t=3, wd=0.5, rescale_grad=0.5, clip_grad=0.6, **_POSITIVE),
)
def ftml_update(
    xp: Any,
    weight: Any,
    grad: Any,
    d: Any,
    v: Any,
    z: Any,
    /,
    *,
    lr: float,
    beta1: float = 0.600000024,
    beta2: float = 0.999000013,
    epsilon: float = 9.9999999392252903e-09,
    t: int,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_grad: float = -1.0,
) -> Any:
    """Take a step of Follow The Moving Leader."""
    step = limited(xp, grad * rescale_grad + wd * weight, clip_grad)
    blend(v, xp.square(step), beta2)
    new_d = (1 - powered(beta1, t)) / lr * (xp.sqrt(v / (1 - powered(beta2, t))) + epsilon)
    z[...] = beta1 * z + (1 - beta1) * step - (new_d - beta1 * d) * weight
    d[...] = new_d
    return -z / d


@update(sample((2, 3), (2, 3), (2, 3), lr=0.1, **_POSITIVE), name="_sparse_adagrad_update", storage=LAZY_ONLY)
def adagrad_update(
    xp: Any,
    weight: Any,
    grad: Any,
    history: Any,
    /,
    *,
    lr: float,
    epsilon: float = 1.00000001e-07,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """Take a step scaled by the sum of squared gradients."""
    step = prepared(xp, grad, rescale_grad, clip_gradient)
    history += xp.square(step)
    return weight - lr * (step / xp.sqrt(history + epsilon))


def _infer_group(weight: TensorType, grad: TensorType, history: TensorType) -> TensorType:
    return infer_update(weight, grad)


@update(
    sample((2, 3), (2, 3), (2, 1), lr=0.1, **_POSITIVE),
    infer=_infer_group,
    name="_contrib_group_adagrad_update",
    storage=LAZY_ONLY,
)
def group_adagrad_update(
    xp: Any,
    weight: Any,
    grad: Any,
    history: Any,
    /,
    *,
    lr: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    epsilon: float = 9.99999975e-06,
) -> Any:
    """Take a step scaled, row by row, by the sum of mean squared gradients."""
    step = prepared(xp, grad, rescale_grad, clip_gradient)
    history += xp.square(step).mean(axis=1, keepdims=True)
    return weight - lr * step / xp.sqrt(history + epsilon)


@update(*_two(4, lamda1=0.2, beta=0.5), aliases=("_sparse_ftrl_update",), storage=LAZY)
def ftrl_update(
    xp: Any,
    weight: Any,
    grad: Any,
    z: Any,
    n: Any,
    /,
    *,
    lr: float,
    lamda1: float = 0.00999999978,
    beta: float = 1.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """Take a step of Follow The Regularized Leader."""
    step = prepared(xp, grad, rescale_grad, clip_gradient)
    z += step - (xp.sqrt(n + xp.square(step)) - xp.sqrt(n)) * weight / lr
    n += xp.square(step)
    moved = (xp.sign(z) * lamda1 - z) / ((beta + xp.sqrt(n)) / lr + wd)
    return moved * (xp.abs(z) > lamda1)


@update(*_two(3, gamma1=0.8, clip_weights=0.65))
def rmsprop_update(
    xp: Any,
    weight: Any,
    grad: Any,
    n: Any,
    /,
    *,
    lr: float,
    gamma1: float = 0.949999988,
    epsilon: float = 9.99999994e-09,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
) -> Any:
    """Take a step of RMSProp in the form of Tieleman and Hinton."""
    step = limited(xp, grad * rescale_grad + wd * weight, clip_gradient)
    blend(n, xp.square(step), gamma1)
    return limited(xp, weight - lr * (step / xp.sqrt(n + epsilon)), clip_weights)


@update(*_two(5, gamma1=0.8, gamma2=0.7, clip_weights=0.65))
def rmspropalex_update(
    xp: Any,
    weight: Any,
    grad: Any,
    n: Any,
    g: Any,
    delta: Any,
    /,
    *,
    lr: float,
    gamma1: float = 0.949999988,
    gamma2: float = 0.899999976,
    epsilon: float = 9.99999994e-09,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    clip_weights: float = -1.0,
) -> Any:
    """Take a step of RMSProp in the form of Graves."""
    step = limited(xp, grad * rescale_grad + wd * weight, clip_gradient)
    blend_square(n, step, gamma1)
    blend(g, step, gamma1)
    delta[...] = gamma2 * delta - lr * step / xp.sqrt(n - xp.square(g) + epsilon)
    return limited(xp, weight + delta, clip_weights)


@update(
    sample(*((2, 3),) * 4, t=1, wd=0.0, **_POSITIVE),
    sample(*((3,),) * 4, t=3, wd=0.5, rescale_grad=0.5, clip_gradient=0.34, bias_correction=False, **_POSITIVE),
)
def lamb_update_phase1(
    xp: Any,
    weight: Any,
    grad: Any,
    mean: Any,
    var: Any,
    /,
    *,
    beta1: float = 0.899999976,
    beta2: float = 0.999000013,
    epsilon: float = 9.99999997e-07,
    t: int,
    bias_correction: bool = True,
    wd: float,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """Return the direction of LAMB's step. The second phase needs its norm."""
    step = prepared(xp, grad, rescale_grad, clip_gradient)
    return corrected(xp, step, mean, var, beta1, beta2, epsilon, t, bias_correction) + wd * weight


def _infer_phase2(weight: TensorType, g: TensorType, r1: TensorType, r2: TensorType) -> TensorType:
    check_norms(r1, r2)
    return infer_update(weight, g)


@update(
    sample((2, 3), (2, 3), (1,), (1,), lr=0.1, **_POSITIVE),
    sample((2, 3), (2, 3), (1,), (1,), lr=0.1, lower_bound=0.1, upper_bound=0.65, **_POSITIVE),
    infer=_infer_phase2,
)
def lamb_update_phase2(
    xp: Any,
    weight: Any,
    g: Any,
    r1: Any,
    r2: Any,
    /,
    *,
    lr: float,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
) -> Any:
    """Take LAMB's step along `g`; `r1` is the norm of the weight, `r2` that of `g`."""
    return weight - trusted(xp, lr, r1, r2, lower_bound, upper_bound).astype(weight.dtype) * g
