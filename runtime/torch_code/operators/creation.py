"""Operators that create tensors: constants, ranges, random numbers."""

from __future__ import annotations

from hybridlint.runtime.torch_code.call import OperatorCall
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.table import translates
from hybridlint.runtime.torch_code.texts import infix, shape_arguments


def _dtype(call: OperatorCall) -> str:
    value = call.value("dtype") if "dtype" in call.operator.params else None
    return "" if value in (None, "None", "float32") else f", dtype=torch.{value}"


@translates("_zeros")
def _zeros(call: OperatorCall) -> str:
    return f"torch.zeros({shape_arguments(call.text('shape'))}{_dtype(call)})"


@translates("_ones")
def _ones(call: OperatorCall) -> str:
    return f"torch.ones({shape_arguments(call.text('shape'))}{_dtype(call)})"


@translates("_full")
def _full(call: OperatorCall) -> str:
    return f"torch.full({call.text('shape')}, {call.text('value')}{_dtype(call)})"


@translates("_eye")
def _eye(call: OperatorCall) -> str:
    call.only_default("k", "M")
    return f"torch.eye({call.text('N')}{_dtype(call)})"


@translates("_arange")
def _arange(call: OperatorCall) -> str:
    """Return a range of floats, as MXNet does unless a dtype says otherwise."""
    call.only_default("repeat", "infer_range")
    parts = [call.text("start")]
    if call.text("stop") != "None":
        parts.append(call.text("stop"))
    if call.given("step"):
        parts = [*(parts if len(parts) == 2 else ["0", *parts]), call.text("step")]
    if parts[:1] == ["0"] and len(parts) == 2:
        parts = parts[1:]
    dtype = call.value("dtype")
    return f"torch.arange({', '.join(parts)}, dtype=torch.{dtype or 'float32'})"


@translates("_linspace")
def _linspace(call: OperatorCall) -> str:
    call.only_default("endpoint")
    return f"torch.linspace({call.text('start')}, {call.text('stop')}, {call.text('num')}{_dtype(call)})"


@translates("_contrib_arange_like")
def _arange_like(call: OperatorCall) -> str:
    call.only_default("repeat")
    axis = call.text("axis")
    size = f"{call.x}.numel()" if axis == "None" else f"{call.x}.shape[{axis}]"
    if axis == "None" and call.rank() != 1:
        raise NoTranslationError("`arange_like` over all axes")
    steps = f"torch.arange({size}, dtype={call.x}.dtype, device={call.x}.device)"
    scaled = infix(steps, "*", call.text("step")) if call.given("step") else steps
    return infix(scaled, "+", call.text("start")) if call.given("start") else scaled


@translates("zeros_like")
def _zeros_like(call: OperatorCall) -> str:
    return f"torch.zeros_like({call.arg(0)})"


@translates("ones_like")
def _ones_like(call: OperatorCall) -> str:
    return f"torch.ones_like({call.arg(0)})"


@translates("_random_normal")
def _random_normal(call: OperatorCall) -> str:
    return _shifted(call, f"torch.randn({shape_arguments(call.text('shape'))})", "loc", "scale")


@translates("_random_normal_like")
def _random_normal_like(call: OperatorCall) -> str:
    return _shifted(call, f"torch.randn_like({call.arg(0)})", "loc", "scale")


@translates("_random_uniform")
def _random_uniform(call: OperatorCall) -> str:
    return _between(call, f"torch.rand({shape_arguments(call.text('shape'))})")


@translates("_random_uniform_like")
def _random_uniform_like(call: OperatorCall) -> str:
    return _between(call, f"torch.rand_like({call.arg(0)})")


def _shifted(call: OperatorCall, noise: str, offset: str, factor: str) -> str:
    scaled = infix(call.text(factor), "*", noise) if call.given(factor) and call.text(factor) != "1" else noise
    if not call.given(offset) or call.text(offset) == "0":
        return scaled
    return infix(call.text(offset), "+", scaled)


def _between(call: OperatorCall, noise: str) -> str:
    low, high = call.text("low"), call.text("high")
    if low in ("0", "0.0"):
        return noise if high in ("1", "1.0") else infix(high, "*", noise)
    return infix(low, "+", infix(infix(high, "-", low), "*", noise))
