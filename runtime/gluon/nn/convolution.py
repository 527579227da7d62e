"""Convolutions over one to three dimensions."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.gluon.arrays import operators
from hybridlint.runtime.gluon.hybrid_block import HybridBlock
from hybridlint.runtime.gluon.nn.activations import Activation
from hybridlint.runtime.gluon.nn.sizes import Sizes, expand

_LAYOUTS = {1: ("NCW",), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


class _Conv(HybridBlock):
    """What all convolutions share. `adj` (the output padding) makes a transposed one."""

    _rank: int

    def __init__(
        self,
        channels: int,
        kernel_size: Sizes,
        strides: Sizes,
        padding: Sizes,
        dilation: Sizes,
        groups: int,
        layout: str,
        in_channels: int,
        activation: str | None,
        use_bias: bool,
        weight_initializer: Any,
        bias_initializer: Any,
        adj: Sizes | None = None,
        **kwargs: Any,
    ) -> None:
        rank = self._rank
        if layout not in _LAYOUTS[rank]:
            raise AssertionError(f"Only supports {' and '.join(map(repr, _LAYOUTS[rank]))} layout for now")
        super().__init__(**kwargs)
        self._channels = channels
        self._in_channels = in_channels
        self._kwargs: dict[str, Any] = {
            "kernel": expand(kernel_size, rank, "kernel_size"),
            "stride": expand(strides, rank, "strides"),
            "dilate": expand(dilation, rank, "dilation"),
            "pad": expand(padding, rank, "padding"),
            "num_filter": channels,
            "num_group": groups,
            "no_bias": not use_bias,
            "layout": layout,
        }
        if adj is not None:
            self._kwargs["adj"] = expand(adj, rank, "output_padding")
        with self.name_scope():
            self.weight = self.params.get(
                "weight", shape=self._weight_shape(), init=weight_initializer, allow_deferred_init=True
            )
            self.bias = (
                self.params.get("bias", shape=(channels,), init=bias_initializer, allow_deferred_init=True)
                if use_bias
                else None
            )
            self.act = None if activation is None else Activation(activation, prefix=activation + "_")

    def _alias(self) -> str:
        return "conv"

    @property
    def _transposed(self) -> bool:
        return "adj" in self._kwargs

    def _weight_shape(self) -> tuple[int, ...]:
        """Return filters by inputs of a group by kernel (the inputs last in layouts whose channels are)."""
        groups, kernel = self._kwargs["num_group"], self._kwargs["kernel"]
        outer, inner = self._channels, self._in_channels // groups
        if self._transposed:
            outer, inner = self._in_channels, self._channels // groups
        return (outer, inner, *kernel) if self._kwargs["layout"][1] == "C" else (outer, *kernel, inner)

    def hybrid_forward(self, F: Any, x: Any, weight: Any, bias: Any = None) -> Any:
        """Return the convolved array, in the layout of the input."""
        ops = operators(F)
        operator = ops.Deconvolution if self._transposed else ops.Convolution
        tensors = (x, weight) if bias is None else (x, weight, bias)
        out = operator(*tensors, name="fwd", **self._kwargs)
        return out if self.act is None else self.act(out)

    def __repr__(self) -> str:
        shape, kwargs, ones = self.weight.shape, self._kwargs, (1,) * self._rank
        assert shape is not None
        parts = [
            f"{max(shape[1], 0) or None} -> {max(shape[0], 0)}",
            f"kernel_size={kwargs['kernel']}",
            f"stride={kwargs['stride']}",
        ]
        parts += [f"padding={kwargs['pad']}"] if any(kwargs["pad"]) else []
        parts += [f"dilation={kwargs['dilate']}"] if kwargs["dilate"] != ones else []
        parts += [f"groups={kwargs['num_group']}"] if kwargs["num_group"] != 1 else []
        parts += ["bias=False"] if self.bias is None else []
        parts += [repr(self.act)] if self.act else []
        return f"{type(self).__name__}({', '.join(parts)})"


class Conv1D(_Conv):
    """Convolution over one dimension: input (batch, channels, width)."""

    _rank = 1

    def __init__(
        self,
        channels: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: Sizes = 0,
        dilation: Sizes = 1,
        groups: int = 1,
        layout: str = "NCW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            channels,
            kernel_size,
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
            **kwargs,
        )


class Conv2D(_Conv):
    """Convolution over two dimensions: input (batch, channels, height, width), or channels last with ``NHWC``."""

    _rank = 2

    def __init__(
        self,
        channels: int,
        kernel_size: Sizes,
        strides: Sizes = (1, 1),
        padding: Sizes = (0, 0),
        dilation: Sizes = (1, 1),
        groups: int = 1,
        layout: str = "NCHW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            channels,
            kernel_size,
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
            **kwargs,
        )


class Conv3D(_Conv):
    """Convolution over three dimensions: input (batch, channels, depth, height, width), or ``NDHWC``."""

    _rank = 3

    def __init__(
        self,
        channels: int,
        kernel_size: Sizes,
        strides: Sizes = (1, 1, 1),
        padding: Sizes = (0, 0, 0),
        dilation: Sizes = (1, 1, 1),
        groups: int = 1,
        layout: str = "NCDHW",
        activation: str | None = None,
        use_bias: bool = True,
        weight_initializer: Any = None,
        bias_initializer: Any = "zeros",
        in_channels: int = 0,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            channels,
            kernel_size,
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
            **kwargs,
        )
