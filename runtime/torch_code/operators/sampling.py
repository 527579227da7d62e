"""Operators that sample images at the points of a grid."""

from __future__ import annotations

from hybridlint.runtime.torch_code.call import OperatorCall
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.operators.shapes import code_texts
from hybridlint.runtime.torch_code.table import translates
from hybridlint.runtime.torch_code.texts import receiver

#: MXNet has the coordinates of a grid in axis 1, PyTorch in the last one.
_LAST, _FIRST = ".permute(0, 2, 3, 1)", ".permute(0, 3, 1, 2)"


def _affine_grid(call: OperatorCall, index: int) -> str:
    """Return the grid of an affine transformation, with PyTorch's order of axes."""
    if call.value("transform_type") != "affine":
        raise NoTranslationError(f"`{call.operator.name}` by {call.value('transform_type')!r}")
    sizes = code_texts(call.text("target_shape"))
    if sizes is None:
        sizes = [f"*{receiver(call.text('target_shape'))}"]
    theta = receiver(call.arg(index))
    return f"F.affine_grid({theta}.reshape(-1, 2, 3), (len({theta}), 1, {', '.join(sizes)}), align_corners=True)"


@translates("GridGenerator")
def _grid(call: OperatorCall) -> str:
    return f"{_affine_grid(call, 0)}{_FIRST}"


@translates("BilinearSampler")
def _sampler(call: OperatorCall) -> str:
    grid = receiver(call.arg(1))
    grid = grid.removesuffix(_FIRST) if grid.endswith(_FIRST) else f"{grid}{_LAST}"
    return f"F.grid_sample({call.arg(0)}, {grid}, align_corners=True)"


@translates("SpatialTransformer")
def _transformer(call: OperatorCall) -> str:
    return f"F.grid_sample({call.arg(0)}, {_affine_grid(call, 1)}, align_corners=True)"
