"""Update rules of optimizers. They change the states in place and return the new weight."""

from __future__ import annotations

from collections.abc import Callable
from ctypes import c_float
from typing import Any

from hybridlint.runtime.facts.dims import differ
from hybridlint.runtime.facts.infer import unify_shapes
from hybridlint.runtime.facts.registry import Facts, Kernel, Sample, op
from hybridlint.runtime.facts.storage import Storage
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.type_rules import one_dtype

EAGER_ONLY = Facts(eager_only=True, single_precision=True)


def prepared(xp: Any, grad: Any, rescale_grad: Any, clip_gradient: float) -> Any:
    """Return the gradient times `rescale_grad`, clipped to +-`clip_gradient` unless that is negative."""
    return limited(xp, grad * rescale_grad, clip_gradient)


def limited(xp: Any, values: Any, limit: float) -> Any:
    """Return the values clipped to [-limit, limit]; unchanged if the limit is negative."""
    return xp.clip(values, -limit, limit) if limit >= 0 else values


def blend(state: Any, value: Any, decay: float) -> Any:
    """Update the running mean `state` in place to decay * state + (1 - decay) * value, and return it."""
    state[...] = decay * state + (1 - decay) * value
    return state


def blend_square(state: Any, value: Any, decay: float) -> Any:
    """Update the running mean of squares like `blend`, and multiply in the order in which MXNet rounds."""
    state[...] = decay * state + (1 - decay) * value * value
    return state


def powered(beta: float, t: int) -> float:
    """Return a power in single precision."""
    return c_float(beta**t).value


def descend(weight: Any, grad: Any, lr: Any, wd: Any) -> Any:
    """Return the weight after a step of gradient descent with weight decay."""
    return (1 - lr * wd) * weight - lr * grad


def push(weight: Any, grad: Any, mom: Any, lr: Any, wd: Any, momentum: float) -> Any:
    """Return the weight after a step with momentum, whose state `mom` changes in place."""
    mom[...] = momentum * mom - lr * wd * weight - lr * grad
    return weight + mom


def look_ahead(weight: Any, grad: Any, mom: Any, lr: float, wd: float, momentum: float) -> Any:
    """Return the weight after a step with Nesterov's momentum, whose state `mom` changes in place."""
    before = momentum * mom
    mom[...] = before - lr * (grad + wd * weight)
    return weight - before + (1 + momentum) * mom


def scaled(xp: Any, lr: Any, grad: Any, mean: Any, var: Any, beta1: float, beta2: float, epsilon: float) -> Any:
    """Update Adam's running means in place; return `lr` times the mean over the root of that of squares."""
    blend(mean, grad, beta1)
    return lr * mean / (xp.sqrt(blend(var, xp.square(grad), beta2)) + epsilon)


def corrected(
    xp: Any, grad: Any, mean: Any, var: Any, beta1: float, beta2: float, epsilon: float, t: int, correct: bool
) -> Any:
    """Return the direction of Adam's step, like `scaled` for a rate of 1.

    With `correct` it is without the bias of the first `t` steps.
    """
    first, second = (1 - powered(beta1, t), 1 - powered(beta2, t)) if correct else (1, 1)
    blend(mean, grad, beta1)
    return mean / first / (xp.sqrt(blend_square(var, grad, beta2) / second) + epsilon)


def check_norms(*norms: TensorType) -> None:
    """Raise InferError for a norm that is no single number."""
    for name, t in zip(("r1", "r2"), norms, strict=True):
        if t.shape is not None and any(differ(size, 1) for size in t.shape):
            raise InferError(name, f"expected one number, got {t}")


def trusted(xp: Any, lr: float, r1: Any, r2: Any, lower: float, upper: float) -> Any:
    """Return LAMB's learning rate: `lr` times the weight's norm `r1` over the step's norm `r2`; `lr` if one is 0.

    `r1` is clipped to [lower, upper]; a negative bound is none. The norms have one element, in any number of axes.
    """
    r1, r2 = r1.reshape(1), r2.reshape(1)
    kept = xp.maximum(r1, lower) if lower >= 0 else r1
    kept = xp.minimum(kept, upper) if upper >= 0 else kept
    usable = (r1 != 0) & (r2 != 0)
    return xp.where(usable, lr * kept / xp.where(usable, r2, 1), lr)


def usable(xp: Any, scale: Any) -> bool:
    """Return whether gradients can be multiplied by a scale: it is finite and not 0.

    Loss scaling gives 0, infinity or nan after an overflow of gradients.
    """
    return bool(xp.isfinite(scale).all()) and float(scale.reshape(-1)[0]) != 0


def infer_update(weight: TensorType, *others: TensorType) -> TensorType:
    """Return the type of the new weight: the one shape and dtype of weight, gradient and states.

    Raises InferError if they differ.
    """
    shape, dtype = weight.shape, one_dtype(weight, *others, argument="grad")
    for other in others:
        shape = unify_shapes(shape, other.shape, "grad")
    return TensorType(shape, dtype)


def infer_mixed(weight: TensorType, grad: TensorType, *others: TensorType) -> TensorType:
    """Return the type of the new weight: that of weight and gradient, beside float32 states of the same shape.

    Raises InferError if they differ.
    """
    result = infer_update(weight, grad)
    return result.with_shape(infer_update(TensorType(result.shape, "float32"), *others).shape)


def update(
    *samples: Sample,
    infer: Callable[..., Any] = infer_update,
    name: str | None = None,
    aliases: tuple[str, ...] = (),
    storage: Storage | None = None,
) -> Callable[[Kernel], Kernel]:
    """Return a decorator that registers the update of one weight."""
    return op(infer=infer, samples=samples, facts=EAGER_ONLY, name=name, aliases=aliases, storage=storage)


def rows(data: tuple[Any, ...], count: int, extra: int = 0) -> list[tuple[Any, ...]]:
    """Return interleaved inputs as one tuple per weight. Raises InferError if they cannot be divided by `count`."""
    own = len(data) - extra
    if count < 1 or own < count or own % count:
        raise InferError("data", f"{len(data)} inputs are not those of {count} weights")
    size = own // count
    return [data[k * size : (k + 1) * size] for k in range(count)]
