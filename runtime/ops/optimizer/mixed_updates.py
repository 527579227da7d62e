"""Updates of one weight in half precision, with float32 states and a float32 copy of the weight."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.registry import Sample, sample
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.ops.optimizer.update_rules import (
    check_norms,
    corrected,
    descend,
    infer_mixed,
    look_ahead,
    prepared,
    push,
    scaled,
    trusted,
    update,
    usable,
)

_VALUES: dict[str, Any] = {"low": 0.6, "high": 0.75}


def _mixed(states: int, *more: tuple[int, ...], **params: Any) -> Sample:
    return sample(*((2, 3),) * (2 + states), *more, dtypes=("float16", "float16"), **_VALUES, **params)


def _rounded(new: Any, weight: Any, weight32: Any) -> Any:
    """Write the new weight to the float32 copy and return it in the weight's dtype."""
    weight32[...] = new
    return weight32.astype(weight.dtype)


def _wide(xp: Any, grad: Any, rescale_grad: Any, clip_gradient: float) -> Any:
    return prepared(xp, grad.astype("float32"), rescale_grad, clip_gradient)


@update(_mixed(1, lr=0.1), _mixed(1, lr=0.1, wd=0.5, rescale_grad=0.5, clip_gradient=0.34), infer=infer_mixed)
def mp_sgd_update(
    xp: Any,
    weight: Any,
    grad: Any,
    weight32: Any,
    /,
    *,
    lr: float,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
    lazy_update: bool = True,
) -> Any:
    """Take a step of stochastic gradient descent with decay."""
    step = _wide(xp, grad, rescale_grad, clip_gradient)
    return _rounded(descend(weight32, step, lr, wd), weight, weight32)


@update(_mixed(2, lr=0.1), _mixed(2, lr=0.1, wd=0.5, momentum=0.9, rescale_grad=0.5), infer=infer_mixed)
def mp_sgd_mom_update(
    xp: Any,
    weight: Any,
    grad: Any,
    mom: Any,
    weight32: Any,
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
    step = _wide(xp, grad, rescale_grad, clip_gradient)
    return _rounded(push(weight32, step, mom, lr, wd, momentum), weight, weight32)


@update(_mixed(2, lr=0.1), _mixed(2, lr=0.1, wd=0.5, momentum=0.9, rescale_grad=0.5), infer=infer_mixed)
def mp_nag_mom_update(
    xp: Any,
    weight: Any,
    grad: Any,
    mom: Any,
    weight32: Any,
    /,
    *,
    lr: float,
    momentum: float = 0.0,
    wd: float = 0.0,
    rescale_grad: float = 1.0,
    clip_gradient: float = -1.0,
) -> Any:
    """Take a step with Nesterov's accelerated gradient. As in MXNet, the momentum decays by the new weight."""
    step = _wide(xp, grad, rescale_grad, clip_gradient)
    moved = look_ahead(weight32, step, mom, lr, wd, momentum)
    mom += lr * wd * (weight32 - moved)
    return _rounded(moved, weight, weight32)


def _infer_adamw(weight: TensorType, grad: TensorType, *states: TensorType) -> TensorType:
    return infer_mixed(weight, grad, *states[:-1])


@update(
    _mixed(3, (1,), lr=0.1, eta=1.0),
    _mixed(3, (1,), lr=0.1, eta=0.5, wd=0.5, clip_gradient=0.34),
    infer=_infer_adamw,
)
def _mp_adamw_update(
    xp: Any,
    weight: Any,
    grad: Any,
    mean: Any,
    var: Any,
    weight32: Any,
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
    """Take a step of Adam with decoupled weight decay; no step if the gradient scale is 0 or not finite."""
    if not usable(xp, rescale_grad):
        return weight.copy()
    step = _wide(xp, grad, rescale_grad, clip_gradient)
    moved = weight32 - eta * (scaled(xp, lr, step, mean, var, beta1, beta2, epsilon) + wd * weight32)
    return _rounded(moved, weight, weight32)


def _infer_phase1(weight: TensorType, grad: TensorType, *states: TensorType) -> TensorType:
    return infer_mixed(weight, grad, *states).with_dtype("float32")


@update(
    _mixed(3, t=1, wd=0.0),
    _mixed(3, t=3, wd=0.5, rescale_grad=0.5, clip_gradient=0.34, bias_correction=False),
    infer=_infer_phase1,
)
def mp_lamb_update_phase1(
    xp: Any,
    weight: Any,
    grad: Any,
    mean: Any,
    var: Any,
    weight32: Any,
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
    """Return the direction of LAMB's step in float32. The second phase needs its norm."""
    step = _wide(xp, grad, rescale_grad, clip_gradient)
    return corrected(xp, step, mean, var, beta1, beta2, epsilon, t, bias_correction) + wd * weight32


def _infer_phase2(
    weight: TensorType, g: TensorType, r1: TensorType, r2: TensorType, weight32: TensorType
) -> TensorType:
    check_norms(r1, r2)
    states = infer_mixed(weight, weight, g, weight32)
    return states.with_dtype(weight.dtype)


_PHASE2: dict[str, Any] = {"dtypes": ("float16",), "lr": 0.1, **_VALUES}


@update(
    sample((2, 3), (2, 3), (1,), (1,), (2, 3), **_PHASE2),
    sample((2, 3), (2, 3), (1,), (1,), (2, 3), lower_bound=0.1, upper_bound=0.65, **_PHASE2),
    infer=_infer_phase2,
)
def mp_lamb_update_phase2(
    xp: Any,
    weight: Any,
    g: Any,
    r1: Any,
    r2: Any,
    weight32: Any,
    /,
    *,
    lr: float,
    lower_bound: float = -1.0,
    upper_bound: float = -1.0,
) -> Any:
    """Take LAMB's step along `g`; `r1` is the norm of the weight, `r2` that of `g`.

    As in MXNet, the float32 copy of the weight is not changed.
    """
    moved = weight32 - trusted(xp, lr, r1, r2, lower_bound, upper_bound).astype("float32") * g
    return moved.astype(weight.dtype)
