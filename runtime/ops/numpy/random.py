"""Random draws in numpy mode. Parameters are numbers or arrays, which broadcast.

Without a size, they draw one number for each element of the broadcast parameters.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridlint.runtime.facts.infer import broadcast_shapes
from hybridlint.runtime.facts.registry import Grad, Kernel, Sample, op, sample, zero_gradient
from hybridlint.runtime.facts.types import Dtype, Ints, Shape, TensorType, ValuesError
from hybridlint.runtime.ops.random.distributions import NOT_IN_CUPY

_NUMBER = TensorType(())


def _shape(size: Ints | None, ins: tuple[TensorType, ...]) -> Shape | None:
    if size is not None:
        return size
    found: Shape | None = ()
    for t in ins:
        found = broadcast_shapes(found, t.shape)
    return found


def _drawn(xp: Any, drawn: Any, dtype: str | None) -> Any:
    return xp.asarray(drawn).astype(dtype or "float32", copy=False)


def _require(xp: Any, holds: Any, what: str) -> None:
    """Raise ValuesError unless a condition holds for every element of a parameter."""
    if not xp.all(holds):
        raise ValuesError(what)


def _two(
    first: str, second: str, *, grad: Grad = zero_gradient, batched: bool = False, host: str | None = None
) -> Callable[[Kernel], Kernel]:
    """Register a draw with two parameters. With `batched`, `size` comes in front of the shape of the parameters."""

    def infer(*ins: TensorType, size: Ints | None, dtype: Dtype | None = None) -> TensorType:
        if not batched:
            return TensorType(_shape(size, ins), dtype or "float32")
        tail = _shape(None, ins)
        return TensorType(None if tail is None else (*(size or ()), *tail), dtype or "float32")

    return op(
        infer=infer,
        grad=grad,
        host=host,
        active_inputs=lambda **params: ("input1", "input2")[: (params[first] is None) + (params[second] is None)],
        samples=[
            Sample((), {first: 1.0, second: 2.0, "size": (2, 3)}),
            Sample(((3,),), {first: None, second: 2.0, "size": (2,) if batched else None}, low=0.5),
        ],
    )


def _given(
    xp: Any,
    inputs: tuple[Any, Any],
    numbers: tuple[float | None, float | None],
    size: Ints | None,
    *,
    batched: bool = False,
) -> tuple[Any, Any, Ints]:
    """Return both parameters and the shape to draw. A parameter without a number is the next input array."""
    arrays = [x for x in inputs if x is not None]
    first, second = (arrays.pop(0) if number is None else number for number in numbers)
    shape = xp.broadcast_shapes(*(getattr(v, "shape", ()) for v in (first, second)))
    if batched:
        return first, second, (*(size or ()), *shape)
    return first, second, shape if size is None else size


def _normal_grad(
    F: Any,
    g: Any,
    ins: tuple[Any, ...],
    outs: tuple[Any, ...],
    *,
    loc: float | None,
    scale: float | None,
) -> tuple[Any, ...]:
    """Return the gradients with respect to the array parameters: a sample is loc + scale * noise."""
    arrays = [x for x in ins if x is not None]
    found = []
    center: Any = loc
    if loc is None:
        center = arrays.pop(0)
        found.append(F._hl_sum_to(g, center))
    if scale is None:
        width = arrays.pop(0)
        noise = F.broadcast_div(outs[0] - center, width)
        found.append(F._hl_sum_to(g * noise, width))
    return (*found, *[None] * (len(ins) - len(found)))


@_two("low", "high")
def _npi_uniform(
    xp: Any,
    input1: Any = None,
    input2: Any = None,
    /,
    *,
    low: float | None = None,
    high: float | None = None,
    size: Ints | None = None,
    ctx: str = "",
    dtype: Dtype = "float32",
    rng: Any,
) -> Any:
    """Draw evenly from `low` up to `high`."""
    low, high, shape = _given(xp, (input1, input2), (low, high), size)
    return _drawn(xp, low + (high - low) * rng.random(shape), dtype)


@_two("loc", "scale", grad=_normal_grad)
def _npi_normal(
    xp: Any,
    input1: Any = None,
    input2: Any = None,
    /,
    *,
    loc: float | None = None,
    scale: float | None = None,
    size: Ints | None = None,
    ctx: str = "",
    dtype: Dtype = "float32",
    rng: Any,
) -> Any:
    """Draw from the normal distribution."""
    loc, scale, shape = _given(xp, (input1, input2), (loc, scale), size)
    _require(xp, xp.asarray(scale) >= 0, "scale < 0")
    return _drawn(xp, loc + scale * rng.standard_normal(shape), dtype)


@_two("loc", "scale", grad=_normal_grad, host=NOT_IN_CUPY)
def _npi_gumbel(
    xp: Any,
    input1: Any = None,
    input2: Any = None,
    /,
    *,
    loc: float | None = None,
    scale: float | None = None,
    size: Ints | None = None,
    ctx: str = "",
    rng: Any,
) -> Any:
    """Draw from the Gumbel distribution."""
    loc, scale, shape = _given(xp, (input1, input2), (loc, scale), size)
    _require(xp, xp.asarray(scale) >= 0, "scale < 0")
    return _drawn(xp, loc + scale * rng.gumbel(size=shape), None)


@_two("loc", "scale", grad=_normal_grad, host=NOT_IN_CUPY)
def _npi_logistic(
    xp: Any,
    input1: Any = None,
    input2: Any = None,
    /,
    *,
    loc: float | None = None,
    scale: float | None = None,
    size: Ints | None = None,
    ctx: str = "",
    rng: Any,
) -> Any:
    """Draw from the logistic distribution."""
    loc, scale, shape = _given(xp, (input1, input2), (loc, scale), size)
    _require(xp, xp.asarray(scale) >= 0, "scale < 0")
    return _drawn(xp, loc + scale * rng.logistic(size=shape), None)


@_two("low", "high", batched=True)
def _npi_uniform_n(
    xp: Any,
    input1: Any = None,
    input2: Any = None,
    /,
    *,
    low: float | None = None,
    high: float | None = None,
    size: Ints | None = None,
    ctx: str = "",
    dtype: Dtype = "float32",
    rng: Any,
) -> Any:
    """Draw `size` times evenly from `low` up to `high`."""
    low, high, shape = _given(xp, (input1, input2), (low, high), size, batched=True)
    return _drawn(xp, low + (high - low) * rng.random(shape), dtype)


@_two("loc", "scale", batched=True)
def _npi_normal_n(
    xp: Any,
    input1: Any = None,
    input2: Any = None,
    /,
    *,
    loc: float | None = None,
    scale: float | None = None,
    size: Ints | None = None,
    ctx: str = "",
    dtype: Dtype = "float32",
    rng: Any,
) -> Any:
    """Draw `size` times from the normal distribution."""
    loc, scale, shape = _given(xp, (input1, input2), (loc, scale), size, batched=True)
    return _drawn(xp, loc + scale * rng.standard_normal(shape), dtype)


@_two("shape", "scale")
def _npi_gamma(
    xp: Any,
    input1: Any = None,
    input2: Any = None,
    /,
    *,
    shape: float | None = None,
    scale: float | None = None,
    size: Ints | None = None,
    ctx: str = "",
    dtype: Dtype = "float32",
    rng: Any,
) -> Any:
    """Draw from the gamma distribution."""
    form, width, wanted = _given(xp, (input1, input2), (shape, scale), size)
    _require(xp, xp.asarray(form) > 0, "expect shape > 0")
    _require(xp, xp.asarray(width) > 0, "expect scale > 0")
    return _drawn(xp, width * rng.standard_gamma(form, wanted), dtype)


def _one(
    name: str,
    parameter: str,
    draw: Callable[..., Any],
    slope: Callable[[Any, Any, Any], Any] | None,
    *,
    host: str | None = None,
) -> None:
    """Register a draw by one parameter, a number or an array. `slope` is ``(F, draw, parameter)``: its derivative."""

    def run(xp: Any, array: Any, value: float | None, size: Ints | None, rng: Any) -> Any:
        given = array if value is None else value
        if parameter == "scale":
            _require(xp, xp.asarray(given) >= 0, "expect scale >= 0")
        else:
            _require(xp, xp.asarray(given) > 0, f"expect {parameter} > 0")
        shape = size if size is not None else getattr(given, "shape", ())
        return _drawn(xp, draw(rng, shape, given), None)

    def by_scale(
        xp: Any, input1: Any = None, /, *, scale: float | None = None, size: Ints | None = None, ctx: str = "", rng: Any
    ) -> Any:
        return run(xp, input1, scale, size, rng)

    def by_a(
        xp: Any, input1: Any = None, /, *, a: float | None = None, size: Ints | None = None, ctx: str = "", rng: Any
    ) -> Any:
        return run(xp, input1, a, size, rng)

    def gradient(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
        if not ins or ins[0] is None or slope is None:
            return (None,) * len(ins)
        return (F._hl_sum_to(F.broadcast_mul(g, slope(F, outs[0], ins[0])), ins[0]),)

    kernel = by_scale if parameter == "scale" else by_a
    kernel.__name__, kernel.__doc__ = name, f"Draw by {parameter}, a number or an array."
    op(
        infer=lambda *ins, size: TensorType(_shape(size, ins), "float32"),
        grad=zero_gradient if slope is None else gradient,
        host=host,
        active_inputs=lambda **params: ("input1",)[: params[parameter] is None],
        samples=[
            Sample((), {parameter: 1.5, "size": (2, 3)}),
            Sample(((3,),), {parameter: None, "size": None}, low=0.5),
        ],
    )(kernel)


def _scaled(F: Any, y: Any, scale: Any) -> Any:
    return F.broadcast_div(y, scale)


def _weibull_slope(F: Any, y: Any, a: Any) -> Any:
    return F.broadcast_div(y * F.log(y) * -1, a)


def _pareto_slope(F: Any, y: Any, a: Any) -> Any:
    return F.broadcast_div((y + 1) * F.log(y + 1) * -1, a)


_one("_npi_exponential", "scale", lambda rng, size, scale: scale * rng.standard_exponential(size), _scaled)
_one("_npi_rayleigh", "scale", lambda rng, size, scale: scale * rng.rayleigh(size=size), _scaled, host=NOT_IN_CUPY)
_one("_npi_pareto", "a", lambda rng, size, a: rng.pareto(a, size), _pareto_slope, host=NOT_IN_CUPY)
_one("_npi_powerd", "a", lambda rng, size, a: rng.power(a, size), None)
_one("_npi_weibull", "a", lambda rng, size, a: rng.weibull(a, size), _weibull_slope, host=NOT_IN_CUPY)


@op(
    infer=lambda *, low, high, shape, dtype: TensorType(shape or (), dtype or "int32"),
    samples=[
        Sample((), {"low": 0, "high": 5, "shape": (2, 3)}),
        Sample((), {"low": 0, "high": 5, "dtype": "int64", "shape": (2,)}),
    ],
)
def _npi_random_randint(
    xp: Any,
    /,
    *,
    low: int,
    high: int,
    shape: Ints | None = None,
    ctx: str = "",
    dtype: Dtype | None = None,
    rng: Any,
) -> Any:
    """Draw whole numbers from `low` up to but not including `high`."""
    return xp.asarray(rng.integers(low, high, shape or ())).astype(dtype or "int32")


@op(
    infer=lambda *ins, size, dtype: TensorType(_shape(size, ins), dtype or "float32"),
    grad=zero_gradient,
    active_inputs=lambda *, prob, logit: ("input1",)[: prob is None and logit is None],
    samples=[
        sample(prob=0.5, logit=None, size=(2, 3), is_logit=False),
        sample((3,), low=0, high=1, prob=None, logit=None, size=None, is_logit=False),
    ],
)
def _npi_bernoulli(
    xp: Any,
    input1: Any = None,
    /,
    *,
    prob: float | None = None,
    logit: float | None = None,
    size: Ints | None = None,
    ctx: str = "",
    dtype: Dtype | None = None,
    is_logit: bool,
    rng: Any,
) -> Any:
    """Draw 0 or 1 by a probability or its logit."""
    given = input1 if input1 is not None else logit if is_logit else prob
    if not is_logit:
        _require(xp, (xp.asarray(given) >= 0) & (xp.asarray(given) <= 1), "expect probs >= 0 && probs <= 1")
    chance = 1 / (1 + xp.exp(-xp.asarray(given, dtype="float64"))) if is_logit else xp.asarray(given)
    shape = size if size is not None else chance.shape
    return _drawn(xp, rng.random(shape) < chance, dtype)
