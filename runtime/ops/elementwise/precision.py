"""Conversion of arrays to a common floating-point dtype, and comparison within a tolerance."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.infer import unify_shapes
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.type_rules import one_dtype

_MIXED = ("float16", "float32")


def _target(dtypes: list[str | None], cast_narrow: bool) -> str | None:
    """Return the dtype to which float16 and float32 inputs are converted; None if it is unknown."""
    decisive = "float16" if cast_narrow else "float32"
    if decisive in dtypes:
        return decisive
    if None in dtypes:
        return None
    return "float32" if cast_narrow else dtypes[0]


def _infer_multicast(*data: TensorType, num_outputs: int, cast_narrow: bool) -> tuple[TensorType, ...]:
    if len(data) != num_outputs:
        raise InferError("num_outputs", f"{num_outputs} outputs of {len(data)} inputs")
    target = _target([t.dtype for t in data], cast_narrow)
    return tuple(t.with_dtype(target) if t.dtype in _MIXED else t for t in data)


def _multicast_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, num_outputs: int
) -> tuple[Any, ...]:
    heads = (g,) if num_outputs == 1 else g
    return tuple(F._hl_cast_like(head, x) for head, x in zip(heads, ins, strict=True))


@op(
    infer=_infer_multicast,
    outputs=lambda *, num_outputs: num_outputs,
    grad=_multicast_grad,
    samples=[
        sample((2, 3), (2,), num_outputs=2),
        sample((2,), (2,), num_outputs=2, cast_narrow=True),
        sample((3,), num_outputs=1),
    ],
)
def amp_multicast(xp: Any, *data: Any, num_outputs: int, cast_narrow: bool = False) -> tuple[Any, ...]:
    """Convert float16 and float32 arrays to the widest of their dtypes, or with `cast_narrow` to the narrowest."""
    target = _target([x.dtype.name for x in data], cast_narrow)
    return tuple(x.astype(target) if x.dtype.name in _MIXED else x.copy() for x in data)


def _infer_close(a: TensorType, b: TensorType) -> TensorType:
    one_dtype(a, b, argument="b")
    unify_shapes(a.shape, b.shape, "b")
    return TensorType((), "uint8")


@op(
    name="_contrib_allclose",
    infer=_infer_close,
    samples=[sample((2, 3), (2, 3)), sample((2, 3), (2, 3), rtol=10.0, atol=10.0)],
)
def allclose(
    xp: Any,
    a: Any,
    b: Any,
    /,
    *,
    rtol: float = 9.99999975e-06,
    atol: float = 9.99999994e-09,
    equal_nan: bool = True,
) -> Any:
    """Return 1 if all elements are equal within ``atol + rtol * abs(b)``, else 0."""
    return xp.asarray(xp.allclose(a, b, rtol, atol, equal_nan)).astype("uint8")
