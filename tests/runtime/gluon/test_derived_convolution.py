"""Projects derive convolutions of their own from MXNet's private base."""

from __future__ import annotations

from typing import Any

import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.gluon.nn.conv_layers import _Conv, _infer_weight_shape


class Standardized(_Conv):
    """A convolution whose filters have no mean, as weight standardization writes it."""

    def __init__(self, channels: int) -> None:
        super().__init__(channels, (3, 3), 1, 0, 1, 1, "NCHW", 3)

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        centred = F.broadcast_sub(weight, F.mean(weight, axis=(1, 2, 3), keepdims=True))
        return getattr(F, self._op_name)(x, centred, bias, name="fwd", **self._kwargs)


def test_a_derived_convolution_knows_its_operator_and_arguments() -> None:
    block = Standardized(4)
    block.initialize(mx.init.One())
    x = mx.nd.ones((2, 3, 5, 5))
    assert block(x).shape == (2, 4, 3, 3)
    block.hybridize()
    assert float(block(x).sum().asscalar()) == 0.0, "equal filters without their mean are zeros"
    assert repr(block) == "Standardized(3 -> 4, kernel_size=(3, 3), stride=(1, 1))"


_ARGUMENTS = {"kernel": (3, 3), "stride": (1, 1), "pad": (1, 1), "dilate": (1, 1), "num_filter": 8, "layout": "NCHW"}


@pytest.mark.parametrize(
    ("op_name", "data_shape", "changes", "shapes"),
    [
        ("Convolution", (0, 3, 0, 0), {}, [(0, 3, 0, 0), (8, 3, 3, 3), (8,)]),
        ("Convolution", [1, 3, 0, 0], {"no_bias": True}, [(1, 3, 0, 0), (8, 3, 3, 3)]),
        ("Convolution", (0, 4, 0, 0), {"num_group": 2}, [(0, 4, 0, 0), (8, 2, 3, 3), (8,)]),
        ("Convolution", (0, 0, 0, 0), {}, [(0, 0, 0, 0), (8, 0, 3, 3), (8,)]),
        ("Convolution", (-1, 3, -1, -1), {}, [(0, 3, 0, 0), (8, 3, 3, 3), (8,)]),
        ("Convolution", (0, 0, 0, 3), {"layout": "NHWC"}, [(0, 0, 0, 3), (8, 3, 3, 3), (8,)]),
        ("Deconvolution", (0, 4, 0, 0), {"num_group": 2, "no_bias": False}, [(0, 4, 0, 0), (4, 4, 3, 3), (8,)]),
        ("Deconvolution", (0, 3, 0, 0), {}, [(0, 3, 0, 0), (3, 8, 3, 3)]),
    ],
)
def test_the_shapes_of_weights_are_those_that_mxnet_infers(
    op_name: str, data_shape: Any, changes: dict[str, Any], shapes: list[tuple[int, ...]]
) -> None:
    assert _infer_weight_shape(op_name, data_shape, {**_ARGUMENTS, **changes}) == shapes
