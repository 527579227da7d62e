"""Color changes of an image (height, width, 3); an image of one channel supports only brightness and contrast.

As in MXNet, the gradient of all of these operators is the gradient of the output, unchanged.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridlint.runtime.facts.registry import Kernel, Sample, op, sample
from hybridlint.runtime.facts.types import Floats, InferError, TensorType
from hybridlint.runtime.ops.vision.image import BYTES, one_image, passed_on, saturated

_GRAY = (0.299, 0.587, 0.114)
#: How colors of photographs vary: standard deviations along principal axes of (red, green, blue), times the axes.
_SPREAD = (
    (55.46 * -0.5675, 4.794 * 0.7192, 1.148 * 0.4009),
    (55.46 * -0.5808, 4.794 * -0.0045, 1.148 * -0.8140),
    (55.46 * -0.5836, 4.794 * -0.6948, 1.148 * 0.4203),
)


def _gray(xp: Any, data: Any) -> Any:
    """Return the brightness of each pixel, as one channel."""
    if data.shape[-1] == 1:
        return data
    return (data @ xp.asarray(_GRAY))[..., None]


def brighten(xp: Any, data: Any, factor: float) -> Any:
    """Scale an image of floats."""
    return data * factor


def contrast(xp: Any, data: Any, factor: float) -> Any:
    """Scale the difference of each element of a float image to the mean brightness by `factor`."""
    return data * factor + (1 - factor) * _gray(xp, data).mean()


def saturate(xp: Any, data: Any, factor: float) -> Any:
    """Scale the difference of colors to gray by `factor`. MXNet computes gray from the blue channel alone."""
    return data if data.shape[-1] == 1 else data * factor + (1 - factor) * _GRAY[2] * data[..., 2:]


def turn_hue(xp: Any, data: Any, turn: float) -> Any:
    """Rotate the hue of a float image by `turn` (1 is the whole color circle), keeping lightness and saturation."""
    if data.shape[-1] == 1:
        return data
    red, green, blue = (xp.ascontiguousarray(data[..., k]) / 255 for k in range(3))
    high, low = (bound(bound(red, green), blue) for bound in (xp.maximum, xp.minimum))
    spread = high - low
    # Whichever color is the strongest says in which third of the circle the hue is: sums are faster than choices.
    from_red = high == red
    from_green = ~from_red & (high == green)
    from_blue = ~(from_red | from_green)
    hue = (green - blue) * from_red + (blue - red) * from_green + (red - green) * from_blue
    hue /= xp.where(spread > 0, spread, 1)
    hue += 2.0 * from_green + 4.0 * from_blue + 6 * turn
    middle = 255 * ((high + low) / 2 + spread / 2)
    spread *= 255
    result = xp.empty_like(data)
    for k, offset in enumerate((5, 3, 1)):
        place = hue + offset
        place -= 6 * xp.floor(place / 6)
        share = xp.clip(xp.minimum(place, 4 - place), 0, 1)
        result[..., k] = middle - spread * share
    return result


def light(xp: Any, data: Any, alpha: Any) -> Any:
    """Add noise of strengths `alpha` along the three principal axes of the colors of photographs."""
    return data if data.shape[-1] == 1 else data + xp.asarray(_SPREAD) @ xp.asarray(alpha)


def _colored(
    *samples: Sample, infer: Callable[..., TensorType] = one_image, host: str | None = None
) -> Callable[[Kernel], Kernel]:
    """Register an operator that changes colors."""

    def register(kernel: Kernel) -> Kernel:
        name = "_image_" + kernel.__name__
        return op(
            name=name,
            aliases=("_npx_" + name,),
            infer=infer,
            grad=passed_on,
            samples=samples,
            host=host,
            differentiable_twice=True,
        )(kernel)

    return register


def _infer_factors(data: TensorType, *, min_factor: float, max_factor: float) -> TensorType:
    for name, factor in (("min_factor", min_factor), ("max_factor", max_factor)):
        if factor < 0:
            raise InferError(name, f"{factor} should be greater equal to 0")
    return one_image(data)


_SAMPLES = (
    sample((2, 3, 3), low=0, high=255, min_factor=0.5, max_factor=1.5),
    sample((2, 3, 3), low=0, high=255, dtypes=BYTES, min_factor=0.5, max_factor=1.5),
)


@_colored(*_SAMPLES, infer=_infer_factors)
def random_brightness(xp: Any, data: Any, /, *, min_factor: float, max_factor: float, rng: Any) -> Any:
    """Multiply the image by a factor drawn between `min_factor` and `max_factor`."""
    return _changed(xp, data, brighten, _between(rng, min_factor, max_factor))


@_colored(*_SAMPLES, infer=_infer_factors)
def random_contrast(xp: Any, data: Any, /, *, min_factor: float, max_factor: float, rng: Any) -> Any:
    """Scale the difference to the mean brightness by a factor drawn between `min_factor` and `max_factor`."""
    return _changed(xp, data, contrast, _between(rng, min_factor, max_factor))


@_colored(*_SAMPLES, infer=_infer_factors)
def random_saturation(xp: Any, data: Any, /, *, min_factor: float, max_factor: float, rng: Any) -> Any:
    """Scale the difference to gray by a factor drawn between `min_factor` and `max_factor`."""
    return _changed(xp, data, saturate, _between(rng, min_factor, max_factor))


@_colored(*_SAMPLES, infer=_infer_factors)
def random_hue(xp: Any, data: Any, /, *, min_factor: float, max_factor: float, rng: Any) -> Any:
    """Rotate the hue by a part of the color circle that is drawn between `min_factor` and `max_factor`."""
    return _changed(xp, data, turn_hue, _between(rng, min_factor, max_factor))


def _between(rng: Any, first: float, last: float) -> Any:
    # As uniform(first, last), which wants them in order.
    return first + (last - first) * rng.uniform()


def _changed(xp: Any, data: Any, change: Any, amount: Any) -> Any:
    return saturated(xp, change(xp, data.astype("float64"), amount), data.dtype)


@_colored(
    sample((2, 3, 3), low=0, high=255, brightness=0.2, contrast=0.2, saturation=0.2, hue=0.1),
    host="the order of the changes is drawn, and Python has to know it",
)
def random_color_jitter(
    xp: Any, data: Any, /, *, brightness: float, contrast: float, saturation: float, hue: float, rng: Any
) -> Any:
    """Change brightness, contrast, saturation and hue in random order, each at most by the given amount."""
    amounts = (brightness, contrast, saturation, hue)
    result = data
    for k in rng.permutation(4).tolist():
        if amounts[k] > 0:
            result = _changed(xp, result, _CHANGES[k], rng.uniform(-amounts[k], amounts[k]) + (k < 3))
    return result.copy() if result is data else result


_CHANGES = (brighten, contrast, saturate, turn_hue)


@_colored(sample((2, 3, 3), low=0, high=255), sample((2, 2, 1), low=0, high=255))
def random_lighting(xp: Any, data: Any, /, *, alpha_std: float = 0.0500000007, rng: Any) -> Any:
    """Add noise of random strength along the principal axes of the colors of photographs."""
    return _changed(xp, data, light, alpha_std * rng.standard_normal(3))


def _infer_lighting(data: TensorType, *, alpha: Floats) -> TensorType:
    if len(alpha) != 3:
        raise InferError("alpha", f"expected 3 numbers, got {alpha}")
    return one_image(data)


@_colored(
    sample((2, 3, 3), low=0, high=255, alpha=(0.1, 0.2, 0.3)),
    sample((2, 3, 3), low=0, high=255, dtypes=BYTES, alpha=(0.3, -0.2, 0.1)),
    infer=_infer_lighting,
)
def adjust_lighting(xp: Any, data: Any, /, *, alpha: Floats) -> Any:
    """Add noise of strengths `alpha` along the three principal axes of the colors of photographs."""
    return _changed(xp, data, light, alpha)
