"""Transposed convolutions over one to three dimensions."""

from __future__ import annotations

from typing import Any, ClassVar

from hybridlint.runtime.gluon.nn.convolution import _Conv, checked_layout
from hybridlint.runtime.gluon.nn.sizes import Sizes, expand


class _TransposedConvolution(_Conv):
    """A transposed convolution; `output_padding` enlarges the output."""

    _layouts_: ClassVar[tuple[str, ...]]

    def __init__(
        self,
        channels: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: Sizes = 0,
        output_padding: Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        layout: str | None = None,
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        layout = checked_layout(layout, self._layouts_)
        super().__init__(
            channels,
            expand(kernel_size, len(layout) - 2, "kernel_size"),
            strides,
            padding,
            dilation,
            groups,
            layout,
            in_channels,
            activation,
            use_bias,
            weight_initializer,
            bias_initializer,
            op_name="Deconvolution",
            adj=output_padding,
            **kwargs,
        )
        self.outpad = self._kwargs["adj"]


class Conv1DTranspose(_TransposedConvolution):
    """Transposed convolution over one dimension: input (batch, channels, width)."""

    _layouts_ = ("NCW",)


class Conv2DTranspose(_TransposedConvolution):
    """Transposed convolution over two dimensions: input (batch, channels, height, width), or ``NHWC``."""

    _layouts_ = ("NCHW", "NHWC")


class Conv3DTranspose(_TransposedConvolution):
    """Transposed convolution over three dimensions: input (batch, channels, depth, height, width), or ``NDHWC``."""

    _layouts_ = ("NCDHW", "NDHWC")
