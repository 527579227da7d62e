"""Activations that do not map all negative numbers to zero."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from hybridlint.runtime.facts.dims import differ
from hybridlint.runtime.facts.recipes import count_of
from hybridlint.runtime.facts.registry import BufferRecipe, Facts, op, sample
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.blocks import ELEMENTS, blocks, is_numpy, together
from hybridlint.runtime.ops.choosing import select
from hybridlint.runtime.ops.elementwise.special import erf
from hybridlint.runtime.ops.nn.standardizing import along
from hybridlint.runtime.ops.type_rules import refined, size_along

_SELU_SCALE = 1.0507009873554805
_SELU_ALPHA = 1.6732632423543772


@dataclass(frozen=True, slots=True)
class _Tail:
    """An activation without further inputs: `apply` is ``(xp, x, slope)``, `grad` ``(F, x, y, positive, slope)``."""

    apply: Callable[[Any, Any, float], Any]
    grad: Callable[[Any, Any, Any, Any, float], Any]


def _leaky(xp: Any, x: Any, slope: float) -> Any:
    # Of an infinite number times 0 nothing may be taken.
    return xp.maximum(x, x * slope) if 0 < slope <= 1 else select(xp, x > 0, x, x * slope)


def _gelu(xp: Any, x: Any, slope: float) -> Any:
    if is_numpy(xp) and x.dtype == "float32" and x.size > _FEW:
        result, room = xp.empty_like(x), xp.empty((2, min(x.size, ELEMENTS)), x.dtype)
        _narrow_gelu(xp, *together(xp, x, result), room)
        return result
    return x * (0.5 + 0.5 * erf(xp, x * math.sqrt(0.5)))


def _gelu_grad(F: Any, x: Any, y: Any, positive: Any, slope: float) -> Any:
    density = F.exp(x * x * -0.5) * (1 / math.sqrt(2 * math.pi))
    return F.erf(x * math.sqrt(0.5)) * 0.5 + 0.5 + x * density


_TAILS = {
    "leaky": _Tail(
        _leaky,
        lambda F, x, y, positive, slope: positive * (1 - slope) + slope,
    ),
    "elu": _Tail(
        lambda xp, x, slope: select(xp, x > 0, x, xp.expm1(x) * slope),
        lambda F, x, y, positive, slope: positive + (1 - positive) * (F._minimum_scalar(y, scalar=0.0) + slope),
    ),
    "selu": _Tail(
        lambda xp, x, slope: select(xp, x > 0, x, xp.expm1(x) * _SELU_ALPHA) * _SELU_SCALE,
        # MXNet's rule for negative numbers takes the scaled output for the plain one: it is not the derivative.
        lambda F, x, y, positive, slope: (
            (positive + (1 - positive) * (F._minimum_scalar(y, scalar=0.0) + _SELU_ALPHA)) * _SELU_SCALE
        ),
    ),
    "gelu": _Tail(_gelu, _gelu_grad),
}


def _complete(data: TensorType, *gamma: TensorType, act_type: str) -> tuple[TensorType, ...]:
    if act_type != "prelu" or not gamma:
        return (data, *gamma)
    if gamma[0].shape is not None and (gamma[0].shape == (1,) or len(gamma[0].shape) > 1):
        return data, refined(gamma[0], None, data.dtype, "gamma")
    return data, refined(gamma[0], (size_along(data, 1),), data.dtype, "gamma")


def _infer(data: TensorType, *gamma: TensorType, act_type: str) -> TensorType | tuple[TensorType, ...]:
    if act_type not in {*_TAILS, "prelu", "rrelu"}:
        raise InferError("act_type", f"expected one of {', '.join(_TAILS)}, prelu, rrelu, got {act_type!r}")
    if act_type == "prelu" and gamma and gamma[0].shape is not None and len(gamma[0].shape) == 1:
        channels = 1 if gamma[0].shape == (1,) else size_along(data, 1)
        if differ(gamma[0].shape[0], channels):
            raise InferError("gamma", f"expected {channels} elements, got {gamma[0].shape[0]}")
    return (data, data) if act_type == "rrelu" else data


def _grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, act_type: str, slope: float
) -> tuple[Any, ...]:
    if act_type == "prelu":
        return tuple(F._hl_prelu_grad(g, *ins))
    x, rest = ins[0], (None,) * (len(ins) - 1)
    if act_type == "rrelu":
        positive = F._greater_scalar(x, scalar=0.0)
        return (g[0] * (positive + (1 - positive) * outs[1]), *rest)
    return (g * _TAILS[act_type].grad(F, x, outs[0], F._greater_scalar(x, scalar=0.0), slope), *rest)


#: gelu(x) is ``x / (1 + exp(-2 * x * p(x * x)))`` to the precision of float32 for the polynomial p with these
#: coefficients, that of the lowest power first. Of its degree it is the one nearest to ``atanh(erf(x / sqrt(2))) / x``,
#: in what remains of a difference after tanh. The last one is positive: far out the exponential is 0 or infinite.
_NARROW_GELU = (
    0.7978849415,
    0.03633308458,
    -3.259498143e-05,
    -5.530619214e-05,
    3.964744276e-06,
    -1.322633394e-07,
    1.75617104e-09,
)


#: So few elements are computed as erf has it: blocks and their room cost more than its steps.
_FEW = 1 << 10


def _narrow_gelu(xp: Any, given: Any, place: Any, scratch: Sequence[Any]) -> None:
    """Store gelu of float32 into `place`, block by block, with fewer steps than erf has."""
    highest, *coefficients = (-2 * c for c in reversed(_NARROW_GELU))
    for part in blocks(len(given), len(scratch[0])):
        x, into = given[part], place[part]
        square, total = (room[: len(x)] for room in scratch)
        xp.multiply(x, x, out=square)
        xp.multiply(square, highest, out=total)
        for number in coefficients[:-1]:
            xp.add(total, number, out=total)
            xp.multiply(total, square, out=total)
        xp.add(total, coefficients[-1], out=total)
        xp.multiply(total, x, out=total)
        # The exponential takes half the time of tanh.
        xp.exp(total, out=total)
        xp.add(total, 1, out=total)
        xp.divide(x, total, out=into)


def _planned(
    ins: tuple[TensorType | None, ...], outs: tuple[TensorType, ...], /, *, act_type: str
) -> BufferRecipe | None:
    """Compute gelu of float32 block by block, with fewer steps than erf has."""
    (held, *_) = outs
    if act_type != "gelu" or held.dtype != "float32":
        return None
    count = count_of(held)
    most = min(count, ELEMENTS)

    def run(xp: Any, ins: Sequence[Any], outs: Sequence[Any], kept: Sequence[Any], scratch: Sequence[Any]) -> None:
        _narrow_gelu(xp, *together(xp, ins[0], outs[0]), scratch)

    room = TensorType((most,), held.dtype)
    return BufferRecipe(run, scratch=(room, room), follows=True, in_place=True)


@op(
    name="LeakyReLU",
    planned=_planned,
    infer=_infer,
    complete=_complete,
    grad=_grad,
    outputs=lambda *, act_type: 2 if act_type == "rrelu" else 1,
    active_inputs=lambda *, act_type: ("data", "gamma") if act_type == "prelu" else ("data",),
    facts=Facts(
        initial={"gamma": '["Constant", {"value": 0.25}]'},
        same_in_both_modes=lambda *, act_type: act_type != "rrelu",
        overwrites_gradient=lambda *, act_type: act_type == "prelu",
    ),
    samples=[
        *(sample((2, 3), act_type=name) for name in _TAILS),
        sample((2, 3), (3,), act_type="prelu"),
    ],
)
def leaky_relu(
    xp: Any,
    data: Any,
    gamma: Any = None,
    /,
    *,
    act_type: Literal["elu", "gelu", "leaky", "prelu", "rrelu", "selu"] = "leaky",
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.333999991,
    training: bool = False,
    rng: Any = None,
) -> Any:
    """Apply leaky, prelu, elu, selu, gelu or rrelu.

    prelu takes the slopes for negative numbers from `gamma`, (C,) or (1,). rrelu draws them between the bounds in train
    mode and uses the middle of the bounds otherwise; its second output holds the slopes.
    """
    if act_type == "prelu":
        return select(xp, data > 0, data, data * _slopes(gamma, data))
    if act_type != "rrelu":
        return _TAILS[act_type].apply(xp, data, slope)
    if training:
        slopes = xp.asarray(rng.uniform(lower_bound, upper_bound, data.shape)).astype(data.dtype)
    else:
        slopes = xp.full(data.shape, (lower_bound + upper_bound) / 2, data.dtype)
    return select(xp, data > 0, data, data * slopes), slopes


def _slopes(gamma: Any, data: Any) -> Any:
    """Return gamma reshaped to broadcast to the data.

    A vector holds one slope per channel (axis 1); a gamma of higher rank covers the leading axes.
    """
    if gamma.ndim > 1:
        return gamma.reshape(*gamma.shape, *(1,) * (data.ndim - gamma.ndim))
    if gamma.size == 1:
        return gamma
    return along(gamma, min(1, data.ndim - 1), data.ndim)


@op(
    infer=lambda g, data, gamma: (data, gamma),
    outputs=2,
    samples=[sample((2, 3, 2), (2, 3, 2), (3,)), sample((2, 3), (2, 3), (1,))],
)
def _hl_prelu_grad(xp: Any, g: Any, data: Any, gamma: Any, /) -> tuple[Any, Any]:
    """Return the gradients with respect to prelu's data and slopes."""
    into_slopes = select(xp, data > 0, 0, g * data).astype(gamma.dtype, copy=False)
    if gamma.ndim > 1:
        into_slopes = into_slopes.sum(axis=tuple(range(gamma.ndim, data.ndim)))
    elif gamma.size == 1:
        into_slopes = into_slopes.sum().reshape(gamma.shape)
    else:
        axes = tuple(k for k in range(data.ndim) if k != min(1, data.ndim - 1))
        into_slopes = into_slopes.sum(axis=axes)
    return select(xp, data > 0, g, g * _slopes(gamma, data)), into_slopes
