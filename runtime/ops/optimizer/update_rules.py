"""Rules by which optimizers move weights. States are changed in place; the new weight is returned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridlint.runtime.facts.infer import unify_shapes
from hybridlint.runtime.facts.registry import Facts, Kernel, Sample, op
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.type_rules import one_dtype

EAGER_ONLY = Facts(eager_only=True)


def prepared(xp: Any, grad: Any, rescale_grad: Any, clip_gradient: float) -> Any:
    """Return the gradient rescaled and, where the limit is not negative, clipped."""
    return limited(xp, grad * rescale_grad, clip_gradient)


def limited(xp: Any, values: Any, limit: float) -> Any:
    """Return the values clipped to a limit on both sides; a negative one is none."""
    return xp.clip(values, -limit, limit) if limit >= 0 else values


def blend(state: Any, value: Any, decay: float) -> Any:
    """Move a running mean towards a value and return it."""
    state[...] = decay * state + (1 - decay) * value
    return state


def descend(weight: Any, grad: Any, lr: Any, wd: Any) -> Any:
    """Take a plain step with decay."""
    return (1 - lr * wd) * weight - lr * grad


def push(weight: Any, grad: Any, mom: Any, lr: Any, wd: Any, momentum: float) -> Any:
    """Take a step with momentum."""
    mom[...] = momentum * mom - lr * wd * weight - lr * grad
    return weight + mom


def look_ahead(weight: Any, grad: Any, mom: Any, lr: float, wd: float, momentum: float) -> Any:
    """Take a step with Nesterov's momentum."""
    step = lr * (grad + wd * weight)
    mom[...] = momentum * mom - step
    return weight + momentum * mom - step


def scaled(xp: Any, grad: Any, mean: Any, var: Any, beta1: float, beta2: float, epsilon: float) -> Any:
    """Return the running mean of the gradient over the root of that of its square."""
    blend(mean, grad, beta1)
    return mean / (xp.sqrt(blend(var, xp.square(grad), beta2)) + epsilon)


def corrected(
    xp: Any, grad: Any, mean: Any, var: Any, beta1: float, beta2: float, epsilon: float, t: int, correct: bool
) -> Any:
    """Return what `scaled` does, without the bias of the first steps where `correct` holds."""
    first, second = (1 - beta1**t, 1 - beta2**t) if correct else (1, 1)
    blend(mean, grad, beta1)
    return mean / first / (xp.sqrt(blend(var, xp.square(grad), beta2) / second) + epsilon)


def trusted(xp: Any, lr: float, r1: Any, r2: Any, lower: float, upper: float) -> Any:
    """Return the rate for a weight of norm `r1` (kept between bounds that are not negative) and a step of norm `r2`."""
    kept = xp.maximum(r1, lower) if lower >= 0 else r1
    kept = xp.minimum(kept, upper) if upper >= 0 else kept
    usable = (r1 != 0) & (r2 != 0)
    return xp.where(usable, lr * kept / xp.where(usable, r2, 1), lr)


def usable(xp: Any, scale: Any) -> bool:
    """Whether gradients can be rescaled by it: loss scaling gives 0, infinity or nan for those that overflowed."""
    return bool(xp.isfinite(scale).all()) and float(scale.reshape(-1)[0]) != 0


def infer_update(weight: TensorType, *others: TensorType) -> TensorType:
    """Weight, gradient and states have one shape and dtype, which the new weight has too."""
    shape, dtype = weight.shape, one_dtype(weight, *others, argument="grad")
    for other in others:
        shape = unify_shapes(shape, other.shape, "grad")
    return TensorType(shape, dtype)


def infer_mixed(weight: TensorType, grad: TensorType, *others: TensorType) -> TensorType:
    """Weight and gradient have one dtype, the states float32; all have one shape."""
    result = infer_update(weight, grad)
    return result.with_shape(infer_update(TensorType(result.shape, "float32"), *others).shape)


def update(
    *samples: Sample, infer: Callable[..., Any] = infer_update, name: str | None = None, aliases: tuple[str, ...] = ()
) -> Callable[[Kernel], Kernel]:
    """Register a rule with one weight."""
    return op(infer=infer, samples=samples, facts=EAGER_ONLY, name=name, aliases=aliases)


def rows(data: tuple[Any, ...], count: int, extra: int = 0) -> list[tuple[Any, ...]]:
    """Split interleaved inputs into those of each weight. Raises InferError where they do not divide."""
    own = len(data) - extra
    if count < 1 or own < count or own % count:
        raise InferError("data", f"{len(data)} inputs are not those of {count} weights")
    size = own // count
    return [data[k * size : (k + 1) * size] for k in range(count)]
