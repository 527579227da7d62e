"""Convolutions of mxnet-octave-conv 0.1.0, which makes symbols, in blocks that hold them."""

from __future__ import annotations

from typing import Any

from ..drawn import image, mx
from .network import Build, Network, Networks


def _convolved(*ratios: float) -> Build:
    """Return what builds a stack of convolutions, each with a share of its filters at half the resolution."""

    def build(octave: Any) -> tuple[Any, list[Any]]:
        flowing = mx.sym.var("data")
        for place, ratio in enumerate(ratios):
            options = {"num_filter": 8, "kernel": (3, 3), "ratio_out": ratio, "name": f"conv{place}"}
            flowing = octave.octave_conv(flowing, **options)
            flowing = octave.octave_dual(flowing, lambda each: mx.sym.Activation(each, act_type="relu"))
        outputs = mx.sym.Group(flowing) if isinstance(flowing, (list, tuple)) else flowing
        return mx.gluon.SymbolBlock(outputs, mx.sym.var("data")), [image(2, 3, 8, 8)]

    return build


_BUILDS = {"one convolution": _convolved(0.5), "three convolutions": _convolved(0.5, 0.25, 0.0)}

NETWORKS: Networks = {name: Network("mxnet_octave_conv", build) for name, build in _BUILDS.items()}
