"""Gradients that can be differentiated again, as in MXNet: those of some operators, outside of compiled graphs.

Measured on every operator's samples; `tests/goldens/second_order.py` repeats the measurement.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.runtime.autograd import Entry, TapeNode
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.facts.registry import Operator, Refusal

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray

_WORDS = """
    Dropout FullyConnected _contrib_div_sqrt_dim _contrib_round_ste _contrib_sign_ste _copy _image_adjust_lighting
    _image_flip_left_right _image_flip_top_bottom _image_random_brightness _image_random_color_jitter
    _image_random_contrast _image_random_flip_left_right _image_random_flip_top_bottom _image_random_hue
    _image_random_lighting _image_random_saturation _minus_scalar _np_atleast_1d _np_atleast_2d _np_atleast_3d
    _np_copy _np_moveaxis _np_roll _np_transpose _npi_absolute _npi_add_scalar _npi_arccos _npi_arccosh _npi_arcsin
    _npi_arcsinh _npi_arctan _npi_arctanh _npi_cbrt _npi_cos _npi_cosh _npi_eigh _npi_eigvalsh _npi_exp _npi_expm1
    _npi_log _npi_log10 _npi_log1p _npi_log2 _npi_negative _npi_pinv_scalar_rcond _npi_radians _npi_reciprocal
    _npi_rot90 _npi_rsubtract_scalar _npi_sin _npi_sinh _npi_sqrt _npi_square _npi_subtract_scalar _npi_tan
    _npi_tanh _npx_relu _npx_sigmoid _plus_scalar _rminus_scalar _scatter_minus_scalar _scatter_plus_scalar abs
    add_n arccos arccosh arcsin arcsinh arctan arctanh batch_dot cast_storage cbrt clip cos cosh depth_to_space
    elemwise_add exp expm1 gather_nd log log10 log1p log2 make_loss negative radians rcbrt reciprocal relu rsqrt
    scatter_nd sigmoid sin sinh space_to_depth sqrt square tan tanh transpose
"""
#: Operators with differentiable gradients.
NAMES = frozenset(_WORDS.split())

#: The error message for a compiled graph.
COMPILED = (
    "CachedOp does not support higher order gradients: do not hybridize a block whose gradients are taken with "
    "create_graph=True"
)


def twice(op: Operator) -> bool:
    """Whether MXNet can differentiate the gradient of the operator."""
    return op.name in NAMES or not op.differentiable


def refusal(op: Operator) -> str:
    """Return the error message for an operator without a differentiable gradient."""
    return (
        f"Operator {op.name} cannot be differentiated twice: MXNet has no gradient of its gradient. "
        "Take gradients with create_graph=True of other operators only"
    )


def sealed(
    gradients: Sequence[NDArray | Refusal | None],
    heads: Sequence[NDArray | None],
    entries: Sequence[Entry | None],
    message: str,
) -> list[NDArray | Refusal | None]:
    """Return gradients that are recorded on the tape but not differentiable: backward through them raises MXNetError.

    They depend on the arrays `heads` and on the tape's `entries`; if neither is recorded, they are returned unchanged.
    `message` is the error's text.
    """
    sources = [*(None if head is None else head._entry for head in heads), *entries]
    if all(source is None for source in sources):
        return list(gradients)

    def pull(node: TapeNode, above: list[NDArray | None], recorded: bool) -> Sequence[NDArray | None]:
        raise MXNetError(message)

    node = TapeNode(pull, sources, len(gradients))
    return [
        g if g is None or isinstance(g, Refusal) else type(g)._wrap(g._data, (node, k)) for k, g in enumerate(gradients)
    ]
