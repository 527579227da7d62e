"""Projects derive convolutions of their own from MXNet's private base."""

from __future__ import annotations

from typing import Any

import hybridlint.runtime as mx
from hybridlint.runtime.gluon.nn.conv_layers import _Conv


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
