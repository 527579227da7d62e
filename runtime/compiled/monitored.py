"""Reports to monitors about single operators: the names of their inputs, and gradients from backward."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from hybridlint.runtime.facts.registry import Refusal

Report = Callable[[bytes, bytes, Any], Any]

#: Operators whose input MXNet tells monitors by its number, because it gave it no name.
_WITHOUT_NAMES = """
    Activation BlockGrad Cast Flatten Reshape SoftmaxActivation _contrib_AdaptiveAvgPooling2D
    _contrib_arange_like _contrib_div_sqrt_dim _contrib_gradientmultiplier _contrib_round_ste _contrib_sign_ste
    _copy _div_scalar _equal_scalar _greater_equal_scalar _greater_scalar _hypot_scalar _image_flip_left_right
    _image_flip_top_bottom _image_random_brightness _image_resize _lesser_equal_scalar _lesser_scalar
    _logical_and_scalar _logical_or_scalar _logical_xor_scalar _maximum_scalar _minimum_scalar _minus_scalar
    _mod_scalar _mul_scalar _not_equal_scalar _plus_scalar _power_scalar _random_uniform_like _rdiv_scalar
    _rminus_scalar _rmod_scalar _rpower_scalar _sample_multinomial _scatter_minus_scalar _scatter_plus_scalar
    _shuffle _slice_assign_scalar abs amp_cast arccos arccosh arcsin arcsinh arctan arctanh argmax
    argmax_channel argmin argsort broadcast_axis broadcast_to cast_storage cbrt ceil clip cos cosh degrees erf
    erfinv exp expand_dims expm1 fix floor gamma gammaln hard_sigmoid log log10 log1p log2 logical_not make_loss
    max mean min nanprod nansum negative norm ones_like prod radians rcbrt reciprocal relu rint round rsqrt
    shape_array sigmoid sign sin sinh size_array slice slice_axis smooth_l1 softmin softsign sort sqrt square
    sum tan tanh topk transpose trunc zeros_like
"""
_UNNAMED = frozenset(_WITHOUT_NAMES.split())


def input_names(operator: Any, count: int) -> Sequence[str]:
    """Return the names of an operator's `count` inputs for monitors."""
    if operator.variadic:
        return [f"arg{k}" for k in range(count)]
    if operator.name in _UNNAMED:
        return [f"input{k}" for k in range(count)]
    names: Sequence[str] = operator.inputs
    return names


def report_gradients(node: Any, inputs: Sequence[Any], made: Sequence[Any], report: Report) -> None:
    """Have the gradients of a recorded call of a symbol's node reported, under the names of MXNet's backward node."""
    recorded = next((array._entry[0] for array in made if array._entry is not None), None)
    if recorded is None or recorded.pull is None:
        return
    pull, operator = recorded.pull, f"_backward_{node.op.name}".encode()
    given = [array for array in inputs if array is not None][: len(node.op.inputs) - len(node.op.aux)]
    single = len(given) == 1

    def reporting(tape: Any, heads: list[Any], again: bool) -> Sequence[Any]:
        found: Sequence[Any] = pull(tape, heads, again)
        for k, (gradient, array) in enumerate(zip(found, given, strict=False)):
            if not isinstance(gradient, Refusal):
                name = f"{node.name}_backward_output{'' if single else k}"
                report(name.encode(), operator, array._filled(0) if gradient is None else gradient)
        return found

    recorded.pull = reporting
